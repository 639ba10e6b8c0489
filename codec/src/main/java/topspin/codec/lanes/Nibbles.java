package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.N;

/**
 * Scalars as signed digits of four bits without recoding: to s + 0x88…8 belongs the digit nibble −
 * 8 at every place, from −8 to 7.
 */
final class Nibbles {
    private static final long EIGHTS = 0x8888888888888888L;

    private Nibbles() {}

    /** Writes s + 0x88…8 for s below 2^253, four words N apart, from {@code t} on. */
    static void set(long[] target, int t, long w0, long w1, long w2, long w3) {
        long s0 = w0 + EIGHTS;
        long carry = carryOf(w0, EIGHTS, s0);
        long x = w1 + EIGHTS;
        long s1 = x + carry;
        carry = carryOf(w1, EIGHTS, x) + carryOf(x, carry, s1);
        x = w2 + EIGHTS;
        long s2 = x + carry;
        carry = carryOf(w2, EIGHTS, x) + carryOf(x, carry, s2);
        target[t] = s0;
        target[t + N] = s1;
        target[t + 2 * N] = s2;
        target[t + 3 * N] = w3 + EIGHTS + carry;
    }

    private static long carryOf(long a, long b, long sum) {
        return ((a & b) | ((a | b) & ~sum)) >>> 63;
    }
}
