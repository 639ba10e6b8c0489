package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.ELEMENT;
import static topspin.codec.lanes.LaneField.N;

import topspin.codec.crypto.Field25519;

/**
 * Constants of the curve in every lane, and the way between elements of one lane and the scalar
 * field's.
 */
final class LaneConstants {
    static final double[] ONE = broadcast(Field25519.one());
    static final double[] D = broadcast(Field25519.d());
    static final double[] TWO_D = broadcast(Field25519.twoD());
    static final double[] ROOT_OF_MINUS_ONE = broadcast(Field25519.rootOfMinusOne());

    private LaneConstants() {}

    private static double[] broadcast(long[] element) {
        var lanes = new double[ELEMENT];
        balance(element, 0);
        for (int lane = 0; lane < N; lane++) {
            put(lanes, lane, N, element, 0);
        }
        return lanes;
    }

    /**
     * Brings limbs, of which each may be up to ±2^54, within ±(2^50 + 64), so that they are reduced
     * as lanes want it.
     */
    static void balance(long[] element, int e) {
        for (int pass = 0; pass < 2; pass++) {
            long carry = 0;
            for (int i = e; i < e + Field25519.LIMBS; i++) {
                element[i] += carry;
                carry = (element[i] + (1L << 50)) >> 51;
                element[i] -= carry << 51;
            }
            element[e] += 19 * carry;
        }
    }

    /** Writes limbs from an offset on, {@code step} apart. */
    static void put(double[] target, int t, int step, long[] element, int e) {
        for (int i = 0; i < Field25519.LIMBS; i++) {
            target[t + step * i] = element[e + i];
        }
    }
}
