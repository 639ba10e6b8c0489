package topspin.codec.lanes;

import topspin.codec.crypto.Edwards25519;
import topspin.codec.crypto.Field25519;

/**
 * Tables of the base point's multiples, worked out without vectors when the classes that need them
 * are loaded.
 */
final class BaseTables {
    private BaseTables() {}

    /**
     * The cached multiples 0 to {@code entries} − 1 of 2^doublings times the point in one table, as
     * {@link LaneTable} reads it.
     */
    static double[] multiples(int entries, int doublings) {
        var table = new double[entries * LaneTable.ENTRY];
        long[] point = Edwards25519.base();
        var work = new long[Edwards25519.WORK];
        for (int i = 0; i < doublings; i++) {
            Edwards25519.twice(point, 0, point, 0, true, work);
        }
        fill(table, 0, entries, point);
        return table;
    }

    private static void fill(double[] table, int t, int entries, long[] point) {
        var work = new long[Edwards25519.WORK];
        var step = new long[Edwards25519.POINT];
        var cached = new long[Edwards25519.POINT];
        var multiple = new long[Edwards25519.POINT];
        Edwards25519.cache(step, 0, point, 0);
        Edwards25519.identity(multiple, 0);
        for (int entry = 0; entry < entries; entry++) {
            Edwards25519.cache(cached, 0, multiple, 0);
            for (int limb = 0; limb < Edwards25519.POINT; limb += Field25519.LIMBS) {
                LaneConstants.balance(cached, limb);
                LaneConstants.put(table, t + entry * LaneTable.ENTRY + limb, 1, cached, limb);
            }
            Edwards25519.add(multiple, 0, multiple, 0, step, 0, work);
        }
    }
}
