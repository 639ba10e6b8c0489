package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

final class RoundWaitsTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - MINUTE / 2);
    private final RoundWaits waits = new RoundWaits(5, clock::get);
    private final List<String> told = new ArrayList<>();

    private RoundWaits.Wait await(String name, long round) {
        return waits.await(round, MINUTE, outcome -> told.add(name + " " + outcome));
    }

    @Test
    void whoIsLateDoesNotWait() {
        await("a", 5);
        await("b", 6);
        assertThat(told).containsExactly("a REACHED");
        assertThat(waits.size()).isEqualTo(1);
    }

    @Test
    void aRoundEndsAllWaitsUpToIt() {
        await("a", 6);
        await("b", 8);
        await("c", 9);
        waits.reached(8);
        assertThat(told).containsExactly("a REACHED", "b REACHED");
        waits.reached(7); // Rounds told out of order take nothing back.
        await("d", 8);
        assertThat(told).endsWith("d REACHED");
        assertThat(waits.size()).isEqualTo(1);
    }

    @Test
    void timeEndsAWaitEvenWhereTheClockWraps() {
        await("a", 6);
        clock.addAndGet(MINUTE - 1);
        waits.expire();
        assertThat(told).isEmpty();
        clock.addAndGet(1);
        waits.expire();
        waits.expire();
        assertThat(told).containsExactly("a TIME_OVER");
        assertThat(waits.size()).isZero();
    }

    @Test
    void whoGivesUpIsNotTold() {
        RoundWaits.Wait wait = await("a", 6);
        wait.giveUp();
        wait.giveUp();
        waits.reached(6);
        assertThat(told).isEmpty();
        assertThat(waits.size()).isZero();
    }

    @Test
    void aStopEndsAllNowAndLater() {
        await("a", 6);
        await("b", 7);
        waits.stop();
        await("c", 8);
        assertThat(told).containsExactlyInAnyOrder("a STOPPED", "b STOPPED", "c STOPPED");
        assertThat(waits.size()).isZero();
    }
}
