package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.ELEMENT;
import static topspin.codec.lanes.LaneField.N;
import static topspin.codec.lanes.LanePoint.T;
import static topspin.codec.lanes.LanePoint.X;
import static topspin.codec.lanes.LanePoint.Y;
import static topspin.codec.lanes.LanePoint.Z;

import topspin.codec.crypto.Field25519;

/**
 * Finds the x of two vectors of points at once: the 252 squarings of a root form one long chain,
 * and a second chain beside it costs little more than the first. An instance owns scratch, for one
 * thread.
 */
final class LaneDecompress {
    /**
     * Words of the encodings of one vector of points: word by word, the lanes of a word together.
     */
    static final int WORDS = 4 * N;

    // Scratch, in pairs of elements.
    private static final int PAIR = 2 * ELEMENT;
    private static final int Y_PAIR = 0;
    private static final int U = PAIR;
    private static final int V = 2 * PAIR;
    private static final int V3 = 3 * PAIR;
    private static final int POWER = 4 * PAIR;
    private static final int ONES = 5 * PAIR;
    private static final int S = 6 * PAIR;
    private static final int R = 7 * PAIR;
    private static final int X_PAIR = 8 * PAIR;
    private static final int OTHER_X = 9 * PAIR;

    private final double[] work = new double[10 * PAIR];
    private final double[] upper = new double[ELEMENT];
    private final long[] canonical = new long[4];

    /**
     * Decompresses canonical encodings: the first {@link #WORDS} into {@code first}, the next into
     * {@code second}.
     *
     * @param isPoint 2·N verdicts; where one is false, that lane's coordinates mean nothing
     */
    void decompress(double[] first, double[] second, long[] encodings, boolean[] isPoint) {
        // As Edwards25519.decompress has it: x = u·v^3·(u·v^7)^((p−5)/8), times √−1 if v·x^2 = −u.
        load(Y_PAIR, encodings, 0);
        load(Y_PAIR + ELEMENT, encodings, WORDS);
        // Limbs of 0 to 2^51 become balanced.
        multiplyBy(Y_PAIR, Y_PAIR, LaneConstants.ONE);
        square(POWER, Y_PAIR, 1);
        for (int half = 0; half < PAIR; half += ELEMENT) {
            LaneField.subtract(work, U + half, work, POWER + half, LaneConstants.ONE, 0);
        }
        multiplyBy(V, POWER, LaneConstants.D);
        for (int half = 0; half < PAIR; half += ELEMENT) {
            LaneField.addCarried(work, V + half, work, V + half, LaneConstants.ONE, 0);
        }
        square(V3, V, 1);
        multiply(V3, V3, V);
        square(POWER, V3, 1);
        multiply(POWER, POWER, V);
        multiply(POWER, POWER, U);
        powerForRoot();
        multiply(X_PAIR, V3, U);
        multiply(X_PAIR, X_PAIR, POWER);
        square(POWER, X_PAIR, 1);
        multiply(POWER, POWER, V);
        multiplyBy(OTHER_X, X_PAIR, LaneConstants.ROOT_OF_MINUS_ONE);
        finish(first, 0, encodings, 0, isPoint, 0);
        finish(second, ELEMENT, encodings, WORDS, isPoint, N);
    }

    /** Takes a non-negative y below p from the low 255 bits. */
    private void load(int target, long[] encodings, int from) {
        long mask = (1L << 51) - 1;
        for (int lane = 0; lane < N; lane++) {
            long w0 = encodings[from + lane];
            long w1 = encodings[from + N + lane];
            long w2 = encodings[from + 2 * N + lane];
            long w3 = encodings[from + 3 * N + lane];
            work[target + lane] = w0 & mask;
            work[target + N + lane] = (w0 >>> 51 | w1 << 13) & mask;
            work[target + 2 * N + lane] = (w1 >>> 38 | w2 << 26) & mask;
            work[target + 3 * N + lane] = (w2 >>> 25 | w3 << 39) & mask;
            work[target + 4 * N + lane] = (w3 >>> 12) & mask;
        }
    }

    /** Chooses each lane's root and its sign, and completes the point. */
    private void finish(
            double[] point,
            int half,
            long[] encodings,
            int from,
            boolean[] isPoint,
            int firstVerdict) {
        int difference = ONES + half;
        int sum = S + half;
        LaneField.subtract(work, difference, work, POWER + half, work, U + half);
        LaneField.add(work, sum, work, POWER + half, work, U + half);
        for (int lane = 0; lane < N; lane++) {
            boolean isRoot = isZero(work, difference + lane);
            isPoint[firstVerdict + lane] = isRoot || isZero(work, sum + lane);
            int x = (isRoot ? X_PAIR : OTHER_X) + half + lane;
            toWords(work, x);
            boolean isOdd = (canonical[0] & 1) != 0;
            boolean wantsOdd = encodings[from + 3 * N + lane] < 0;
            double sign = isOdd == wantsOdd ? 1 : -1;
            for (int limb = 0; limb < ELEMENT; limb += N) {
                point[X + limb + lane] = sign * work[x + limb];
            }
        }
        System.arraycopy(work, Y_PAIR + half, point, Y, ELEMENT);
        System.arraycopy(LaneConstants.ONE, 0, point, Z, ELEMENT);
        LaneField.multiply(point, T, point, X, point, Y, upper);
    }

    /** Whether the element of one lane, whose first limb is at {@code e}, is a multiple of p. */
    boolean isZero(double[] elements, int e) {
        toWords(elements, e);
        return (canonical[0] | canonical[1] | canonical[2] | canonical[3]) == 0;
    }

    private void toWords(double[] elements, int e) {
        Field25519.toWords(
                canonical,
                0,
                (long) elements[e],
                (long) elements[e + N],
                (long) elements[e + 2 * N],
                (long) elements[e + 3 * N],
                (long) elements[e + 4 * N]);
    }

    /** POWER to (p − 5)/8 = 2^252 − 3: exponents of ones, doubled in length up to 250, then 01. */
    private void powerForRoot() {
        square(S, POWER, 1); // 2
        square(R, S, 2); // 8
        multiply(R, R, POWER); // 9
        multiply(S, S, R); // 11
        square(S, S, 1); // 22
        multiply(ONES, S, R); // 31: five ones
        square(S, ONES, 5);
        multiply(ONES, S, ONES); // 10
        square(S, ONES, 10);
        multiply(S, S, ONES); // 20
        square(R, S, 20);
        multiply(S, R, S); // 40
        square(S, S, 10);
        multiply(ONES, S, ONES); // 50
        square(S, ONES, 50);
        multiply(S, S, ONES); // 100
        square(R, S, 100);
        multiply(S, R, S); // 200
        square(S, S, 50);
        multiply(ONES, S, ONES); // 250
        square(ONES, ONES, 2);
        multiply(POWER, ONES, POWER);
    }

    private void square(int target, int source, int times) {
        LaneField.square(work, target, work, source);
        LaneField.square(work, target + ELEMENT, work, source + ELEMENT);
        for (int i = 1; i < times; i++) {
            LaneField.square(work, target, work, target);
            LaneField.square(work, target + ELEMENT, work, target + ELEMENT);
        }
    }

    private void multiply(int target, int left, int right) {
        LaneField.multiply(work, target, work, left, work, right, upper);
        LaneField.multiply(
                work, target + ELEMENT, work, left + ELEMENT, work, right + ELEMENT, upper);
    }

    private void multiplyBy(int target, int source, double[] constant) {
        LaneField.multiply(work, target, work, source, constant, 0, upper);
        LaneField.multiply(work, target + ELEMENT, work, source + ELEMENT, constant, 0, upper);
    }
}
