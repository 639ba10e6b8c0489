package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.ELEMENT;
import static topspin.codec.lanes.LaneField.N;

import java.util.Arrays;

/**
 * Points of edwards25519, one per lane. A point is X, Y, Z, T with x = X/Z, y = Y/Z, T = XY/Z; a
 * cached point is Y+X, Y−X, 2Z, 2dT, ready to be added. Both are four elements of {@link LaneField}
 * in a caller's array at an offset, all reduced but for 2Z; targets may be operands. An instance
 * owns scratch, for one thread.
 */
final class LanePoint {
    /** Array elements of a point or cached point. */
    static final int POINT = 4 * ELEMENT;

    // Coordinates' offsets in a point ...
    static final int X = 0;
    static final int Y = ELEMENT;
    static final int Z = 2 * ELEMENT;
    static final int T = 3 * ELEMENT;
    // ... and in a cached one.
    static final int SUM = 0;
    static final int DIFFERENCE = ELEMENT;
    static final int TWO_Z = 2 * ELEMENT;
    static final int TWO_D_T = 3 * ELEMENT;

    // Scratch: four products A, B, C, D, then E, F, G, H made of them, of which the result is EF,
    // GH, FG, EH.
    private static final int A = 0;
    private static final int B = ELEMENT;
    private static final int C = 2 * ELEMENT;
    private static final int D = 3 * ELEMENT;
    private static final int E = 4 * ELEMENT;
    private static final int F = 5 * ELEMENT;
    private static final int G = 6 * ELEMENT;
    private static final int H = 7 * ELEMENT;

    private final double[] work = new double[8 * ELEMENT];
    private final double[] upper = new double[ELEMENT];

    static void identity(double[] point, int p) {
        Arrays.fill(point, p, p + POINT, 0);
        Arrays.fill(point, p + Y, p + Y + N, 1);
        Arrays.fill(point, p + Z, p + Z + N, 1);
    }

    /**
     * Adds a cached point; complete, so equal and opposite points and the identity need no care.
     */
    void add(double[] target, int t, double[] point, int p, double[] cached, int c) {
        LaneField.sumAndDifference(work, F, E, point, p + Y, p + X);
        multiply(work, A, cached, c + DIFFERENCE, work, E);
        multiply(work, B, cached, c + SUM, work, F);
        multiply(work, C, point, p + T, cached, c + TWO_D_T);
        multiply(work, D, point, p + Z, cached, c + TWO_Z);
        finishSum(target, t);
    }

    /** Adds a cached point whose Z is 1. */
    void addAffine(double[] target, int t, double[] point, int p, double[] cached, int c) {
        LaneField.sumAndDifference(work, F, E, point, p + Y, p + X);
        multiply(work, A, cached, c + DIFFERENCE, work, E);
        multiply(work, B, cached, c + SUM, work, F);
        multiply(work, C, point, p + T, cached, c + TWO_D_T);
        LaneField.addCarried(work, D, point, p + Z, point, p + Z);
        finishSum(target, t);
    }

    private void finishSum(double[] target, int t) {
        LaneField.sumAndCarriedDifference(work, H, E, B, A);
        LaneField.carriedSumAndDifference(work, G, F, D, C);
        finish(target, t, true);
    }

    /** Doubles. Without T the result may be doubled or compared, but not added to or cached. */
    void twice(double[] target, int t, double[] point, int p, boolean withT) {
        LaneField.addCarried(work, D, point, p + X, point, p + Y);
        LaneField.square(work, A, point, p + X);
        LaneField.square(work, B, point, p + Y);
        LaneField.square(work, C, point, p + Z);
        LaneField.square(work, D, work, D);
        LaneField.sumAndCarriedDifference(work, H, G, A, B);
        LaneField.subtractCarried(work, E, work, H, work, D);
        LaneField.addTwiceCarried(work, F, G, C);
        finish(target, t, withT);
    }

    private void finish(double[] target, int t, boolean withT) {
        multiply(target, t + X, work, E, work, F);
        multiply(target, t + Y, work, G, work, H);
        multiply(target, t + Z, work, G, work, F);
        if (withT) {
            multiply(target, t + T, work, E, work, H);
        }
    }

    /** Makes a point ready to be added; the target is another one. */
    void cache(double[] target, int t, double[] point, int p) {
        LaneField.addCarried(target, t + SUM, point, p + Y, point, p + X);
        LaneField.subtractCarried(target, t + DIFFERENCE, point, p + Y, point, p + X);
        LaneField.add(target, t + TWO_Z, point, p + Z, point, p + Z);
        multiply(target, t + TWO_D_T, point, p + T, LaneConstants.TWO_D, 0);
    }

    private void multiply(double[] target, int t, double[] left, int l, double[] right, int r) {
        LaneField.multiply(target, t, left, l, right, r, upper);
    }
}
