package topspin.net.gossipsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of gossip.md A.6. */
final class DegreesTest {
    @ParameterizedTest
    @CsvSource({
        "-1, 0, 0, 0, 0, 0, 0",
        "0, 0, 0, 0, 0, 0, 0",
        "1, 4, 2, 4, 1, 1, 4",
        "4, 4, 2, 4, 1, 1, 4",
        "5, 4, 3, 5, 3, 1, 5",
        "8, 6, 4, 8, 4, 2, 8",
        "11, 8, 6, 11, 6, 3, 11",
        "12, 8, 6, 12, 6, 3, 12",
        "1000, 8, 6, 12, 6, 3, 12",
    })
    void theyFollowFromTheFanout(
            int fanout, int goal, int low, int high, int score, int outbound, int lazy) {
        assertThat(Degrees.of(fanout))
                .isEqualTo(new Degrees(goal, low, high, score, outbound, lazy));
    }

    @Test
    void whatContradictsItselfIsRefused() {
        assertThatThrownBy(() -> new Degrees(4, 5, 6, 1, 1, 4))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Degrees(4, 2, 3, 1, 1, 4))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> GossipSubConfig.DEFAULT.withDegrees(new Degrees(4, 2, 4, 5, 1, 4)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new GossipSubConfig(Degrees.of(4), 0, 1, 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rpcBytesMax");
    }
}
