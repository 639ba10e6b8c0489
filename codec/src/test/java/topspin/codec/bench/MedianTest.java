package topspin.codec.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

class MedianTest {
    @Test
    void sevenForksSpanFromTheSmallestToTheLargest() {
        assertThat(Median.of(5, 1, 7, 3, 2, 6, 4)).isEqualTo(new Median(4, 1, 7));
        assertThat(Median.of(2, 1)).isEqualTo(new Median(1.5, 1, 2));
        assertThat(Median.of(9)).isEqualTo(new Median(9, 9, 9));
    }

    @Test
    void theIntervalHoldsTheMedianInNineteenOfTwentySamples() {
        var random = new SplittableRandom(1);
        for (int size : new int[] {6, 7, 9, 12, 20, 41}) {
            int held = 0;
            for (int sample = 0; sample < 10_000; sample++) {
                Median median =
                        Median.of(
                                random.doubles(size).map(value -> value * value * value).toArray());
                held += median.low() <= 0.125 && 0.125 <= median.high() ? 1 : 0;
            }
            assertThat(held).as("of " + size).isGreaterThan(9_440);
        }
    }

    @Test
    void aLargerSampleLeavesItsOutliersOutOfTheInterval() {
        double[] values = new double[12];
        Arrays.setAll(values, i -> i == 0 ? 1000 : i);
        assertThat(Median.of(values).high()).isLessThan(12);
    }
}
