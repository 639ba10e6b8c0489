package topspin.node.devmode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

final class BlockModeTest {
    @Test
    void eachModeIsRead() {
        assertThat(BlockMode.parse("instant")).isEqualTo(new BlockMode.Instant());
        assertThat(BlockMode.parse("manual")).isEqualTo(new BlockMode.Manual());
        assertThat(BlockMode.parse("interval:1s"))
                .isEqualTo(new BlockMode.Interval(Duration.ofSeconds(1)));
        assertThat(BlockMode.parse("interval:2m"))
                .isEqualTo(new BlockMode.Interval(Duration.ofMinutes(2)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "agreement",
                "instant",
                "manual",
                "interval:1s",
                "interval:250ms",
                "interval:90s"
            })
    void whatIsPrintedIsReadBack(String text) {
        assertThat(BlockMode.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "interval", "interval:", "interval:1", "interval:1h", "agreed"})
    void anythingElseIsRefusedWithWhatIsAllowed(String text) {
        assertThatThrownBy(() -> BlockMode.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("interval:DURATION");
    }

    @ParameterizedTest
    @ValueSource(strings = {"interval:9ms", "interval:61m", "interval:0s"})
    void anIntervalHasBounds(String text) {
        assertThatThrownBy(() -> BlockMode.parse(text)).hasMessageContaining("10ms and 1h");
    }
}
