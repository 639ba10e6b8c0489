package topspin.codec.crypto;

import java.util.Arrays;

/**
 * Multiplies a point by a secret. The sequence of operations and the addresses read are the same
 * for every scalar: 64 signed digits of four bits, each picking its multiple by going through the
 * whole table under a mask. That is as far as Java allows: nothing keeps a compiler from making a
 * branch of a mask, though none is known to, and nothing wipes registers. An instance owns scratch,
 * for one thread; {@link #wipe} clears it.
 */
final class SecretMultiplier {
    private static final int POINT = Edwards25519.POINT;

    /** Multiples 1 to 8. */
    private static final int ENTRIES = 8;

    private final long[] table = new long[ENTRIES * POINT];
    private final long[] chosen = new long[POINT];
    private final long[] digits = new long[Scalar25519.WORDS];
    private final long[] work = new long[Edwards25519.WORK];

    /** Writes the multiple of a point by a scalar below L; the target is another point. */
    void multiply(long[] target, int t, long[] point, int p, long[] scalar, int s) {
        fillTable(point, p);
        Scalar25519.signedNibbles(
                digits, 0, 1, scalar[s], scalar[s + 1], scalar[s + 2], scalar[s + 3]);
        Edwards25519.identity(target, t);
        for (int nibble = 63; nibble >= 0; nibble--) {
            for (int i = 0; i < 4; i++) {
                Edwards25519.twice(target, t, target, t, i == 3, work);
            }
            choose((int) (digits[nibble >> 4] >>> (4 * (nibble & 15)) & 15) - 8);
            Edwards25519.add(target, t, target, t, chosen, 0, work);
        }
    }

    private void fillTable(long[] point, int p) {
        Edwards25519.cache(table, 0, point, p);
        Edwards25519.copy(chosen, 0, point, p);
        for (int entry = 1; entry < ENTRIES; entry++) {
            Edwards25519.add(chosen, 0, chosen, 0, table, 0, work);
            Edwards25519.cache(table, entry * POINT, chosen, 0);
        }
    }

    /** The cached multiple by a digit from −8 to 7. */
    private void choose(int digit) {
        long negative = digit >> 31;
        int magnitude = (int) ((digit ^ negative) - negative);
        long isZero = maskOfEqual(magnitude, 0);
        // The identity: 1, 1, 2, 0.
        for (int i = 0; i < POINT; i++) {
            chosen[i] = 0;
        }
        chosen[0] = isZero & 1;
        chosen[5] = isZero & 1;
        chosen[10] = isZero & 2;
        for (int entry = 0; entry < ENTRIES; entry++) {
            long mask = maskOfEqual(magnitude, entry + 1);
            for (int i = 0; i < POINT; i++) {
                chosen[i] |= table[entry * POINT + i] & mask;
            }
        }
        // The negative: Y+X and Y−X change places, 2dT its sign.
        for (int i = 0; i < Field25519.LIMBS; i++) {
            long swap = (chosen[i] ^ chosen[5 + i]) & negative;
            chosen[i] ^= swap;
            chosen[5 + i] ^= swap;
            chosen[15 + i] = (chosen[15 + i] ^ negative) - negative;
        }
    }

    /** All ones if two small numbers are equal, else zero. */
    private static long maskOfEqual(int a, int b) {
        return ((long) (a ^ b) - 1) >> 63;
    }

    void wipe() {
        Arrays.fill(chosen, 0);
        Arrays.fill(digits, 0);
        Arrays.fill(work, 0);
    }
}
