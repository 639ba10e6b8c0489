package topspin.codec.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import static topspin.codec.lanes.LaneField.ELEMENT;
import static topspin.codec.lanes.LaneField.N;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Every kernel against BigInteger, at the very bounds of its limbs. */
class LaneFieldTest {
    private static final BigInteger P =
            BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
    private static final long REDUCED = (1L << 50) + 4864;
    private static final int TRIES = 3000;

    private final SplittableRandom random = new SplittableRandom(25519);
    private final double[] a = new double[ELEMENT];
    private final double[] b = new double[ELEMENT];
    private final double[] both = new double[4 * ELEMENT];
    private final double[] result = new double[ELEMENT];
    private final double[] upper = new double[ELEMENT];

    private void draw(double[] element, long bound) {
        for (int i = 0; i < ELEMENT; i++) {
            element[i] =
                    switch (random.nextInt(5)) {
                        case 0 -> bound;
                        case 1 -> -bound;
                        case 2 -> 0;
                        case 3 -> bound - 1 - random.nextInt(10);
                        default -> random.nextLong(-bound, bound + 1);
                    };
        }
    }

    private static BigInteger value(double[] element, int e, int lane) {
        BigInteger value = BigInteger.ZERO;
        for (int limb = 4; limb >= 0; limb--) {
            value =
                    value.shiftLeft(51)
                            .add(BigInteger.valueOf((long) element[e + limb * N + lane]));
        }
        return value.mod(P);
    }

    private interface Expected {
        BigInteger of(BigInteger a, BigInteger b);
    }

    private void check(double[] actual, int e, boolean isReduced, Expected expected) {
        for (int lane = 0; lane < N; lane++) {
            assertThat(value(actual, e, lane))
                    .isEqualTo(expected.of(value(a, 0, lane), value(b, 0, lane)).mod(P));
        }
        for (int i = 0; isReduced && i < ELEMENT; i++) {
            assertThat(Math.abs(actual[e + i])).isLessThanOrEqualTo(REDUCED);
        }
    }

    @Test
    void aReducedElementTimesASumOfTwoIsExactAndReduced() {
        for (int i = 0; i < TRIES; i++) {
            draw(a, REDUCED);
            draw(b, 2 * REDUCED);
            LaneField.multiply(result, 0, a, 0, b, 0, upper);
            check(result, 0, true, BigInteger::multiply);
            LaneField.multiply(result, 0, b, 0, a, 0, upper);
            check(result, 0, true, BigInteger::multiply);
        }
    }

    @Test
    void aSquareIsExactAndReduced() {
        for (int i = 0; i < TRIES; i++) {
            draw(a, REDUCED);
            LaneField.square(result, 0, a, 0);
            check(result, 0, true, (x, y) -> x.multiply(x));
        }
    }

    /** All products of a column as large as can be, and of one sign: no carry is larger. */
    @Test
    void theLargestCarriesDoNotWrap() {
        for (int signs = 0; signs < 4; signs++) {
            Arrays.fill(a, (signs & 1) == 0 ? REDUCED : -REDUCED);
            Arrays.fill(b, (signs & 2) == 0 ? 2 * REDUCED : -2 * REDUCED);
            LaneField.multiply(result, 0, a, 0, b, 0, upper);
            check(result, 0, true, BigInteger::multiply);
            LaneField.square(result, 0, a, 0);
            check(result, 0, true, (x, y) -> x.multiply(x));
        }
    }

    /**
     * The rule that sums do not meet sums is no superstition: at the bounds the kernel really is
     * wrong.
     */
    @Test
    void aSumTimesASumMayBeWrong() {
        boolean isWrong = false;
        for (int i = 0; i < TRIES && !isWrong; i++) {
            draw(a, 2 * REDUCED);
            draw(b, 2 * REDUCED);
            LaneField.multiply(result, 0, a, 0, b, 0, upper);
            for (int lane = 0; lane < N; lane++) {
                isWrong |=
                        !value(result, 0, lane)
                                .equals(value(a, 0, lane).multiply(value(b, 0, lane)).mod(P));
            }
        }
        assertThat(isWrong).isTrue();
    }

    @Test
    void sumsAndDifferencesKeepTheValueAndAreReducedWhereCarried() {
        for (int i = 0; i < TRIES; i++) {
            draw(a, 3 * REDUCED);
            draw(b, 2 * REDUCED);
            LaneField.add(result, 0, a, 0, b, 0);
            check(result, 0, false, BigInteger::add);
            LaneField.subtract(result, 0, a, 0, b, 0);
            check(result, 0, false, BigInteger::subtract);
            LaneField.addCarried(result, 0, a, 0, b, 0);
            check(result, 0, true, BigInteger::add);
            LaneField.subtractCarried(result, 0, a, 0, b, 0);
            check(result, 0, true, BigInteger::subtract);
            System.arraycopy(a, 0, both, 0, ELEMENT);
            System.arraycopy(b, 0, both, ELEMENT, ELEMENT);
            int sum = 2 * ELEMENT;
            int difference = 3 * ELEMENT;
            LaneField.sumAndDifference(both, sum, difference, both, 0, ELEMENT);
            check(both, sum, false, BigInteger::add);
            check(both, difference, false, BigInteger::subtract);
            LaneField.sumAndCarriedDifference(both, sum, difference, 0, ELEMENT);
            check(both, sum, false, BigInteger::add);
            check(both, difference, true, BigInteger::subtract);
            LaneField.carriedSumAndDifference(both, sum, difference, 0, ELEMENT);
            check(both, sum, true, BigInteger::add);
            check(both, difference, false, BigInteger::subtract);
            LaneField.addTwiceCarried(both, sum, 0, ELEMENT);
            check(both, sum, true, (x, y) -> x.add(y.shiftLeft(1)));
        }
    }
}
