package topspin.net.gossipsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.concurrent.TimeUnit;

/** The figures of gossip.md A.6. */
final class PeerScoreTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @ParameterizedTest
    @CsvSource({"1, -100", "3, -900", "4, -1600", "5, -2500", "6, -3600"})
    void invalidMessagesCostTheirSquare(int count, double score) {
        var peer = new PeerScore();
        for (int index = 0; index < count; index++) {
            peer.deliveredInvalid();
        }
        assertThat(peer.value()).isEqualTo(score);
    }

    @Test
    void aPeerReachesAboutFive() {
        var peer = new PeerScore();
        peer.grafted(0);
        for (int index = 0; index < 200; index++) {
            peer.deliveredFirst();
        }
        assertThat(peer.value()).isEqualTo(5);
        peer.refresh(5 * SECOND);
        assertThat(peer.value()).isEqualTo(5, within(0.05));
        peer.pruned();
        assertThat(peer.value()).isLessThanOrEqualTo(5);
    }

    @Test
    void aSecondInTheMeshIsWorthALittle() {
        var peer = new PeerScore();
        peer.grafted(0);
        assertThat(peer.value()).isZero();
        peer.refresh(SECOND - 1);
        assertThat(peer.value()).isZero();
        peer.refresh(SECOND);
        assertThat(peer.value()).isEqualTo(0.00002778, within(1e-12));
        peer.refresh(100 * SECOND);
        assertThat(peer.value()).isEqualTo(0.00002778, within(1e-12));
    }

    @Test
    void countersFallToAHundredthAndThenToNothing() {
        var peer = new PeerScore();
        peer.deliveredInvalid();
        for (int second = 1; second < 3_600; second++) {
            peer.refresh(second * SECOND);
        }
        assertThat(peer.invalid()).isEqualTo(0.01, within(0.0001));
        peer.refresh(0);
        peer.refresh(0);
        assertThat(peer.value()).isZero();
    }

    @Test
    void whatWasHeldAgainstAPeerDecaysWhileItIsAway() {
        var there = new PeerScore();
        for (int index = 0; index < 6; index++) {
            there.deliveredInvalid();
        }
        var back = new PeerScore();
        back.resume(there.invalid(), 600);
        for (int second = 0; second < 600; second++) {
            there.refresh(0);
        }
        assertThat(back.value()).isEqualTo(there.value(), within(1e-6));
        back.resume(6, 36_000);
        assertThat(back.value()).isZero();
    }
}
