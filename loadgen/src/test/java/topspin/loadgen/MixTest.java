package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.IntStream;

final class MixTest {
    @Test
    void weightsAreSharesOfAHundred() {
        Mix mix = Mix.parse("axfer=30,pay=60,keyreg=10");
        assertThat(IntStream.range(0, 100).filter(i -> mix.at(i) == Kind.PAY).count())
                .isEqualTo(60);
        assertThat(IntStream.range(0, 100).filter(i -> mix.at(i) == Kind.AXFER).count())
                .isEqualTo(30);
        assertThat(mix).hasToString("pay=60,axfer=30,keyreg=10");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "pay=99|weights add to 99, not 100",
                "pay=50,appl=50|no kind 'appl'",
                "pay=50,pay=50|'pay' comes twice",
                "pay|'pay' is not KIND=WEIGHT",
                "pay=100,axfer=0|'axfer=0' is not KIND=WEIGHT",
            })
    void refusesOthersByName(String text, String why) {
        assertThatThrownBy(() -> Mix.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }
}
