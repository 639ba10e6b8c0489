package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.ELEMENT;

/**
 * Works out the cached multiples 0 to 8 of a point per lane, one vector of points after the other,
 * for tables to be made of. An instance owns its results and scratch, for one thread.
 */
final class LaneMultiples {
    /** Multiples: for digits from −8 to 8. */
    static final int ENTRIES = 9;

    /** Where a multiple's −2dT is: it takes the place of 2dT where a digit is negative. */
    static final int MINUS_TWO_D_T = LanePoint.POINT;

    /** Array elements of a multiple: a cached point, then −2dT. */
    static final int MULTIPLE = MINUS_TWO_D_T + ELEMENT;

    private static final double[] ZERO = new double[ELEMENT];

    /** The multiples, in order. */
    final double[] cached = new double[ENTRIES * MULTIPLE];

    private final LanePoint points = new LanePoint();
    private final double[] multiples = new double[ENTRIES * LanePoint.POINT];

    LaneMultiples() {
        var identity = new double[LanePoint.POINT];
        LanePoint.identity(identity, 0);
        points.cache(cached, 0, identity, 0);
    }

    /** Fills in the multiples of a point whose Z is 1. Twice is cheaper than once more. */
    void of(double[] point, int p) {
        System.arraycopy(point, p, multiples, LanePoint.POINT, LanePoint.POINT);
        cache(1);
        for (int entry = 2; entry < ENTRIES; entry++) {
            int target = entry * LanePoint.POINT;
            if (entry % 2 == 0) {
                points.twice(multiples, target, multiples, target / 2, true);
            } else {
                points.addAffine(
                        multiples, target, multiples, target - LanePoint.POINT, cached, MULTIPLE);
            }
            cache(entry);
        }
    }

    private void cache(int entry) {
        int target = entry * MULTIPLE;
        points.cache(cached, target, multiples, entry * LanePoint.POINT);
        LaneField.subtract(
                cached, target + MINUS_TWO_D_T, ZERO, 0, cached, target + LanePoint.TWO_D_T);
    }
}
