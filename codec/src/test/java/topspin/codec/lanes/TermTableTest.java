package topspin.codec.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import static topspin.codec.lanes.LaneField.ELEMENT;
import static topspin.codec.lanes.LaneField.N;

import org.junit.jupiter.api.Test;

import topspin.codec.crypto.Edwards25519;
import topspin.codec.crypto.Field25519;

import java.math.BigInteger;

/** Every multiple, of a different point in each lane, against additions without vectors. */
class TermTableTest {
    private static final BigInteger P =
            BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
    private static final int DIGITS = 16;

    private final long[] work = new long[Edwards25519.WORK];
    private final double[] found = new double[N * LaneTable.ENTRY];

    /** So many times the base point, as x and y. */
    private BigInteger[] timesBase(int factor) {
        long[] step = Edwards25519.base();
        Edwards25519.cache(step, 0, step, 0);
        var point = new long[Edwards25519.POINT];
        Edwards25519.identity(point, 0);
        for (int i = 0; i < Math.abs(factor); i++) {
            Edwards25519.add(point, 0, point, 0, step, 0, work);
        }
        BigInteger inverse = value(point, 2 * Field25519.LIMBS).modInverse(P);
        BigInteger x = value(point, 0).multiply(inverse);
        return new BigInteger[] {
            (factor < 0 ? x.negate() : x).mod(P),
            value(point, Field25519.LIMBS).multiply(inverse).mod(P)
        };
    }

    private static BigInteger value(long[] element, int e) {
        BigInteger value = BigInteger.ZERO;
        for (int limb = Field25519.LIMBS - 1; limb >= 0; limb--) {
            value = value.shiftLeft(51).add(BigInteger.valueOf(element[e + limb]));
        }
        return value.mod(P);
    }

    private static BigInteger value(double[] lanes, int e) {
        var limbs = new long[Field25519.LIMBS];
        for (int limb = 0; limb < Field25519.LIMBS; limb++) {
            limbs[limb] = (long) lanes[e + limb * N];
        }
        return value(limbs, 0);
    }

    private static void put(double[] point, int e, BigInteger value) {
        var limbs = new long[Field25519.LIMBS];
        for (int limb = 0; limb < Field25519.LIMBS; limb++) {
            limbs[limb] = value.shiftRight(51 * limb).longValue() & ((1L << 51) - 1);
        }
        LaneConstants.balance(limbs, 0);
        LaneConstants.put(point, e, N, limbs, 0);
    }

    /** 3, 5, 7, … times the base point. */
    private double[] points() {
        var points = new double[LanePoint.POINT];
        for (int lane = 0; lane < N; lane++) {
            BigInteger[] point = timesBase(2 * lane + 3);
            put(points, LanePoint.X + lane, point[0]);
            put(points, LanePoint.Y + lane, point[1]);
            put(points, LanePoint.Z + lane, BigInteger.ONE);
            put(points, LanePoint.T + lane, point[0].multiply(point[1]).mod(P));
        }
        return points;
    }

    private void assertFound(int lane, int factor) {
        BigInteger[] point = timesBase(factor);
        BigInteger z =
                value(found, LanePoint.TWO_Z + lane).multiply(BigInteger.TWO.modInverse(P)).mod(P);
        assertThat(value(found, LanePoint.SUM + lane))
                .isEqualTo(point[1].add(point[0]).multiply(z).mod(P));
        assertThat(value(found, LanePoint.DIFFERENCE + lane))
                .isEqualTo(point[1].subtract(point[0]).multiply(z).mod(P));
        BigInteger twoD = value(Field25519.twoD(), 0);
        assertThat(value(found, LanePoint.TWO_D_T + lane))
                .isEqualTo(point[0].multiply(point[1]).multiply(twoD).multiply(z).mod(P));
        for (int i = lane; i < LanePoint.TWO_D_T + ELEMENT; i += N) {
            assertThat(Math.abs(found[i])).isLessThanOrEqualTo(2 * ((1L << 50) + 4864));
        }
    }

    /** A word per lane that has, at a place, the digit that is so much above the lane's number. */
    private static long[] words(int place, int shift) {
        var words = new long[N];
        for (int lane = 0; lane < N; lane++) {
            // Other digits are there to be passed over.
            words[lane] = 0x5a5a5a5aL ^ (long) (((lane + shift) % DIGITS) ^ 0xa) << (4 * place);
        }
        return words;
    }

    private static int digit(long[] words, int lane, int place) {
        return (int) (words[lane] >>> (4 * place) & 15) - 8;
    }

    @Test
    void everyLaneFindsItsMultipleOfOnePoint() {
        var table = new double[TermTable.TABLE];
        var tables = new TermTable();
        tables.fill(table, 0, points(), 0);
        for (int term = 0; term < N; term++) {
            for (int shift = 0; shift < DIGITS; shift++) {
                int place = shift % 8;
                long[] words = words(place, shift);
                tables.lookup(found, table, term * TermTable.TERM, words, 0, place);
                for (int lane = 0; lane < N; lane++) {
                    assertFound(lane, digit(words, lane, place) * (2 * term + 3));
                }
            }
        }
    }

    @Test
    void everyLaneFindsItsMultipleOfTheBasePoint() {
        for (int shift = 0; shift < DIGITS; shift++) {
            long[] words = words(3, shift);
            new TermTable().lookup(found, TermTable.base(), 0, words, 0, 3);
            for (int lane = 0; lane < N; lane++) {
                assertFound(lane, digit(words, lane, 3));
            }
        }
    }

    @Test
    void everyLaneFindsItsMultipleOfItsOwnPoint() {
        var table = new double[LaneTable.TABLE];
        var tables = new LaneTable();
        tables.fill(table, 0, points(), 0);
        for (int shift = 0; shift < DIGITS; shift++) {
            long[] words = words(5, shift);
            tables.lookupNibble(found, table, 0, LaneTable.LANE, words, 0, 5);
            for (int lane = 0; lane < N; lane++) {
                assertFound(lane, digit(words, lane, 5) * (2 * lane + 3));
            }
        }
    }
}
