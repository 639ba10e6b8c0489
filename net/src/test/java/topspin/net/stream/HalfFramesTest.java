package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.net.Drop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

final class HalfFramesTest {
    private static final int LARGE = 1 << 20;

    private final AtomicLong nanos = new AtomicLong();
    private final HalfFrames halves = new HalfFrames(4 * LARGE, Duration.ofSeconds(25), nanos::get);
    private final List<String> ended = new ArrayList<>();

    private HalfFrames.Part part(String name) {
        return halves.part(reason -> ended.add(name + " " + reason.label()));
    }

    private void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void aMessageThatGoesOnAndOnIsTimedFromItsBegin() {
        HalfFrames.Part part = part("slow");
        part.update(10, true);
        for (int second = 1; second <= 25; second++) {
            pass(1);
            part.update(10 + second, false);
            part.check();
        }
        assertThat(ended).isEmpty();
        pass(1);
        part.check();
        assertThat(ended).containsExactly("slow " + Drop.SLOW_FRAME.label());
    }

    @Test
    void aNewMessageHasTheWholeTimeAgain() {
        HalfFrames.Part part = part("busy");
        part.update(LARGE, true);
        pass(20);
        part.update(5, true);
        pass(20);
        part.check();
        part.update(0, true);
        pass(20);
        part.check();
        part.update(7, false);
        pass(20);
        part.check();
        assertThat(ended).isEmpty();
        assertThat(halves.bytes()).isZero();
    }

    @Test
    void whenAllHoldTooMuchTheOneThatBeganFirstGoes() {
        HalfFrames.Part first = part("first");
        HalfFrames.Part second = part("second");
        HalfFrames.Part third = part("third");
        first.update(LARGE, true);
        second.update(LARGE, true);
        third.update(LARGE, true);
        first.update(2 * LARGE, true); // Its next one: now the second is the eldest.
        assertThat(halves.bytes()).isEqualTo(4 * LARGE);
        assertThat(ended).isEmpty();
        third.update(LARGE + 1, false);
        assertThat(ended).containsExactly("second " + Drop.HALF_FRAMES.label());
        assertThat(halves.bytes()).isEqualTo(3 * LARGE + 1);

        second.update(2 * LARGE, false); // What still comes of it is not counted.
        second.close();
        assertThat(halves.bytes()).isEqualTo(3 * LARGE + 1);
        first.close();
        third.close();
        assertThat(halves.bytes()).isZero();
        assertThat(ended).hasSize(1);
    }

    @Test
    void whatIsShortIsNotCounted() {
        List<HalfFrames.Part> parts = new ArrayList<>();
        for (int count = 0; count < 100; count++) {
            parts.add(part("short"));
            parts.getLast().update(HalfFrames.FREE_BYTES, true);
        }
        assertThat(halves.bytes()).isZero();
        parts.getFirst().update(HalfFrames.FREE_BYTES + 1, false);
        assertThat(halves.bytes()).isEqualTo(HalfFrames.FREE_BYTES + 1);
        parts.getFirst().update(HalfFrames.FREE_BYTES, true);
        assertThat(halves.bytes()).isZero();
    }
}
