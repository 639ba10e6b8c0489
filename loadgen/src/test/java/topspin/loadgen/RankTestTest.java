package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.util.Random;

final class RankTestTest {
    @Test
    void agreesWithTheTables() {
        // All of one above all of the other: 2 / C(10, 5), 2 / C(8, 4).
        assertThat(
                        RankTest.probability(
                                new double[] {1, 2, 3, 4, 5}, new double[] {6, 7, 8, 9, 10}))
                .isCloseTo(2.0 / 252, within(1e-12));
        assertThat(RankTest.probability(new double[] {5, 6, 7, 8}, new double[] {1, 2, 3, 4}))
                .isCloseTo(2.0 / 70, within(1e-12));
        // U = 2 for sizes 4 and 4: 0.1143 two-sided.
        assertThat(RankTest.probability(new double[] {1, 2, 3, 6}, new double[] {4, 5, 7, 8}))
                .isCloseTo(8.0 / 70, within(1e-12));
    }

    @Test
    void equalSamplesAreCertainlyEqual() {
        assertThat(RankTest.probability(new double[] {3, 3, 3}, new double[] {3, 3, 3}))
                .isEqualTo(1);
    }

    @Test
    void theApproximationMeetsTheExactTest() {
        var random = new Random(1);
        double[] a = random.doubles(40).toArray();
        double[] b = random.doubles(40).map(x -> x + 0.3).toArray();
        double probability = RankTest.probability(a, b);
        assertThat(probability).isBetween(1e-12, 1e-3);
        double same = RankTest.probability(a, random.doubles(40).toArray());
        assertThat(same).isBetween(0.01, 1.0);
    }
}
