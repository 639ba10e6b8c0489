package topspin.codec.crypto;

import java.math.BigInteger;

/**
 * Arithmetic modulo p = 2^255 − 19 on five limbs of 51 bits, in a caller's array at an offset;
 * targets may be operands.
 *
 * <p>Limbs are signed. "Reduced" is what a product leaves: every limb within ±(2^51 + 2^16). A
 * product takes operands that are sums of at most four reduced elements, a square sums of two; sums
 * and differences therefore need no carry of their own. No branch and no index depends on a value,
 * {@link #isZero} included, so secrets may pass through.
 *
 * <p>Products are split at 2^51 by {@link Math#multiplyHigh} of shifted operands: the low parts add
 * up in a wrapping sum, the high parts beside it, and each column costs one subtraction instead of
 * a chain of carries.
 */
public final class Field25519 {
    /** Limbs, hence array elements, of an element. */
    public static final int LIMBS = 5;

    /** The modulus. */
    static final BigInteger P = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));

    private static final long MASK = (1L << 51) - 1;
    private static final BigInteger D_VALUE =
            BigInteger.valueOf(-121665).multiply(BigInteger.valueOf(121666).modInverse(P)).mod(P);

    /** The curve constant d = −121665/121666. */
    static final long[] D = of(D_VALUE);

    /** Twice the curve constant. */
    static final long[] TWO_D = of(D_VALUE.shiftLeft(1).mod(P));

    /** A square root of −1. */
    static final long[] ROOT_OF_MINUS_ONE = of(BigInteger.TWO.modPow(P.shiftRight(2), P));

    static final long[] ONE = {1, 0, 0, 0, 0};

    private Field25519() {}

    /** 1, in an array of its own. */
    public static long[] one() {
        return ONE.clone();
    }

    /** The curve constant d, in an array of its own. */
    public static long[] d() {
        return D.clone();
    }

    /** Twice the curve constant, in an array of its own. */
    public static long[] twoD() {
        return TWO_D.clone();
    }

    /** A square root of −1, in an array of its own. */
    public static long[] rootOfMinusOne() {
        return ROOT_OF_MINUS_ONE.clone();
    }

    /** The limbs of a number from 0 to p − 1. */
    static long[] of(BigInteger value) {
        var limbs = new long[LIMBS];
        for (int i = 0; i < LIMBS; i++) {
            limbs[i] = value.shiftRight(51 * i).longValue() & MASK;
        }
        return limbs;
    }

    static void multiply(long[] target, int t, long[] left, int l, long[] right, int r) {
        long a0 = left[l], a1 = left[l + 1], a2 = left[l + 2], a3 = left[l + 3], a4 = left[l + 4];
        long b0 = right[r], b1 = right[r + 1], b2 = right[r + 2];
        long b3 = right[r + 3], b4 = right[r + 4];
        // A column at or past 2^255 comes back at the bottom 19 times.
        long n1 = 19 * b1, n2 = 19 * b2, n3 = 19 * b3, n4 = 19 * b4;
        long low0 = a0 * b0 + a1 * n4 + a2 * n3 + a3 * n2 + a4 * n1;
        long low1 = a0 * b1 + a1 * b0 + a2 * n4 + a3 * n3 + a4 * n2;
        long low2 = a0 * b2 + a1 * b1 + a2 * b0 + a3 * n4 + a4 * n3;
        long low3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + a4 * n4;
        long low4 = a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0;
        // 8 + 5 bits more: the upper half of the 128-bit product is then the product shifted right
        // by 51.
        a0 <<= 8;
        a1 <<= 8;
        a2 <<= 8;
        a3 <<= 8;
        a4 <<= 8;
        b0 <<= 5;
        b1 <<= 5;
        b2 <<= 5;
        b3 <<= 5;
        b4 <<= 5;
        n1 <<= 5;
        n2 <<= 5;
        n3 <<= 5;
        n4 <<= 5;
        long high0 = high(a0, b0) + high(a1, n4) + high(a2, n3) + high(a3, n2) + high(a4, n1);
        long high1 = high(a0, b1) + high(a1, b0) + high(a2, n4) + high(a3, n3) + high(a4, n2);
        long high2 = high(a0, b2) + high(a1, b1) + high(a2, b0) + high(a3, n4) + high(a4, n3);
        long high3 = high(a0, b3) + high(a1, b2) + high(a2, b1) + high(a3, b0) + high(a4, n4);
        long high4 = high(a0, b4) + high(a1, b3) + high(a2, b2) + high(a3, b1) + high(a4, b0);
        carry(
                target,
                t,
                low0 - (high0 << 51) + 19 * high4,
                low1 - (high1 << 51) + high0,
                low2 - (high2 << 51) + high1,
                low3 - (high3 << 51) + high2,
                low4 - (high4 << 51) + high3);
    }

    static void square(long[] target, int t, long[] source, int s) {
        square(target, t, source, s, 1);
    }

    /** Squares {@code times} times, at least once; the chain stays in registers. */
    static void square(long[] target, int t, long[] source, int s, int times) {
        long a0 = source[s], a1 = source[s + 1], a2 = source[s + 2];
        long a3 = source[s + 3], a4 = source[s + 4];
        for (int i = 0; i < times; i++) {
            long n3 = 19 * a3, n4 = 19 * a4;
            long d0 = a0 << 1, d1 = a1 << 1, d2 = a2 << 1, d3 = a3 << 1;
            long low0 = a0 * a0 + d1 * n4 + d2 * n3;
            long low1 = d0 * a1 + d2 * n4 + a3 * n3;
            long low2 = d0 * a2 + a1 * a1 + d3 * n4;
            long low3 = d0 * a3 + d1 * a2 + a4 * n4;
            long low4 = d0 * a4 + d1 * a3 + a2 * a2;
            n3 <<= 6;
            n4 <<= 6;
            d0 <<= 7;
            d1 <<= 7;
            d2 <<= 7;
            d3 <<= 7;
            long high0 = high(a0 << 7, a0 << 6) + high(d1, n4) + high(d2, n3);
            long high1 = high(d0, a1 << 6) + high(d2, n4) + high(a3 << 7, n3);
            long high2 = high(d0, a2 << 6) + high(a1 << 7, a1 << 6) + high(d3, n4);
            long high3 = high(d0, a3 << 6) + high(d1, a2 << 6) + high(a4 << 7, n4);
            long high4 = high(d0, a4 << 6) + high(d1, a3 << 6) + high(a2 << 7, a2 << 6);
            long r0 = low0 - (high0 << 51) + 19 * high4;
            long r1 = low1 - (high1 << 51) + high0;
            long r2 = low2 - (high2 << 51) + high1;
            long r3 = low3 - (high3 << 51) + high2;
            long r4 = low4 - (high4 << 51) + high3;
            a0 = (r0 & MASK) + 19 * (r4 >> 51);
            a1 = (r1 & MASK) + (r0 >> 51);
            a2 = (r2 & MASK) + (r1 >> 51);
            a3 = (r3 & MASK) + (r2 >> 51);
            a4 = (r4 & MASK) + (r3 >> 51);
        }
        target[t] = a0;
        target[t + 1] = a1;
        target[t + 2] = a2;
        target[t + 3] = a3;
        target[t + 4] = a4;
    }

    private static long high(long a, long b) {
        return Math.multiplyHigh(a, b);
    }

    private static void carry(long[] target, int t, long r0, long r1, long r2, long r3, long r4) {
        target[t] = (r0 & MASK) + 19 * (r4 >> 51);
        target[t + 1] = (r1 & MASK) + (r0 >> 51);
        target[t + 2] = (r2 & MASK) + (r1 >> 51);
        target[t + 3] = (r3 & MASK) + (r2 >> 51);
        target[t + 4] = (r4 & MASK) + (r3 >> 51);
    }

    /** Makes a sum reduced, in place. */
    static void carry(long[] element, int e) {
        carry(
                element,
                e,
                element[e],
                element[e + 1],
                element[e + 2],
                element[e + 3],
                element[e + 4]);
    }

    static void add(long[] target, int t, long[] left, int l, long[] right, int r) {
        target[t] = left[l] + right[r];
        target[t + 1] = left[l + 1] + right[r + 1];
        target[t + 2] = left[l + 2] + right[r + 2];
        target[t + 3] = left[l + 3] + right[r + 3];
        target[t + 4] = left[l + 4] + right[r + 4];
    }

    static void subtract(long[] target, int t, long[] left, int l, long[] right, int r) {
        target[t] = left[l] - right[r];
        target[t + 1] = left[l + 1] - right[r + 1];
        target[t + 2] = left[l + 2] - right[r + 2];
        target[t + 3] = left[l + 3] - right[r + 3];
        target[t + 4] = left[l + 4] - right[r + 4];
    }

    static void negate(long[] target, int t, long[] source, int s) {
        for (int i = 0; i < LIMBS; i++) {
            target[t + i] = -source[s + i];
        }
    }

    static void copy(long[] target, int t, long[] source, int s) {
        System.arraycopy(source, s, target, t, LIMBS);
    }

    /**
     * Takes the low 255 bits of four little-endian words; no reduction, the result may be p or
     * more.
     */
    static void fromWords(long[] target, int t, long w0, long w1, long w2, long w3) {
        target[t] = w0 & MASK;
        target[t + 1] = (w0 >>> 51 | w1 << 13) & MASK;
        target[t + 2] = (w1 >>> 38 | w2 << 26) & MASK;
        target[t + 3] = (w2 >>> 25 | w3 << 39) & MASK;
        target[t + 4] = w3 >>> 12 & MASK;
    }

    /**
     * Writes the one representative below p as four little-endian words; limbs may be up to ±2^54.
     */
    public static void toWords(long[] words, int w, long a0, long a1, long a2, long a3, long a4) {
        // 64p in front makes every limb positive, without which the mask below would not be a
        // remainder.
        a0 += (1L << 57) - 64 * 19;
        a1 += (1L << 57) - 64;
        a2 += (1L << 57) - 64;
        a3 += (1L << 57) - 64;
        a4 += (1L << 57) - 64;
        for (int pass = 0; pass < 2; pass++) {
            a1 += a0 >> 51;
            a0 &= MASK;
            a2 += a1 >> 51;
            a1 &= MASK;
            a3 += a2 >> 51;
            a2 &= MASK;
            a4 += a3 >> 51;
            a3 &= MASK;
            a0 += 19 * (a4 >> 51);
            a4 &= MASK;
        }
        // Now below 2p: 1 if adding 19 reaches 2^255, that is, if p is to be taken off once more.
        long over = (a0 + 19) >> 51;
        over = (a1 + over) >> 51;
        over = (a2 + over) >> 51;
        over = (a3 + over) >> 51;
        over = (a4 + over) >> 51;
        a0 += 19 * over;
        a1 += a0 >> 51;
        a0 &= MASK;
        a2 += a1 >> 51;
        a1 &= MASK;
        a3 += a2 >> 51;
        a2 &= MASK;
        a4 += a3 >> 51;
        a3 &= MASK;
        a4 &= MASK;
        words[w] = a0 | a1 << 51;
        words[w + 1] = a1 >>> 13 | a2 << 38;
        words[w + 2] = a2 >>> 26 | a3 << 25;
        words[w + 3] = a3 >>> 39 | a4 << 12;
    }

    static void toWords(long[] words, int w, long[] element, int e) {
        toWords(
                words,
                w,
                element[e],
                element[e + 1],
                element[e + 2],
                element[e + 3],
                element[e + 4]);
    }

    /** Whether the element is a multiple of p; four elements of {@code scratch} are overwritten. */
    static boolean isZero(long[] element, int e, long[] scratch, int s) {
        toWords(scratch, s, element, e);
        return (scratch[s] | scratch[s + 1] | scratch[s + 2] | scratch[s + 3]) == 0;
    }

    /**
     * Raises to (p − 5)/8 = 2^252 − 3; {@code scratch} has room for three elements, apart from the
     * operands.
     */
    static void powerForRoot(long[] target, int t, long[] source, int s, long[] scratch, int u) {
        int x = u + 5; // Source to 2^250 − 1, made at u.
        power250(source, s, scratch, u);
        square(scratch, x, scratch, u, 2);
        multiply(target, t, scratch, x, source, s);
    }

    /** Raises to p − 2 = 2^255 − 21, which inverts and leaves zero alone; scratch as above. */
    static void invert(long[] target, int t, long[] source, int s, long[] scratch, int u) {
        int eleven = u + 10;
        power250(source, s, scratch, u);
        // 2^255 − 21 = 2^5 (2^250 − 1) + 11.
        square(scratch, u, scratch, u, 5);
        square(scratch, u + 5, source, s, 2);
        multiply(scratch, u + 5, scratch, u + 5, source, s);
        square(scratch, u + 5, scratch, u + 5);
        multiply(scratch, eleven, scratch, u + 5, source, s);
        multiply(target, t, scratch, u, scratch, eleven);
    }

    /**
     * Raises to 2^250 − 1 into scratch at {@code u}: exponents of ones, doubled in length from 1 to
     * 250.
     */
    private static void power250(long[] source, int s, long[] scratch, int u) {
        int ones = u, x = u + 5, y = u + 10;
        square(scratch, x, source, s); // 2
        square(scratch, y, scratch, x, 2); // 8
        multiply(scratch, y, scratch, y, source, s); // 9
        multiply(scratch, x, scratch, x, scratch, y); // 11
        square(scratch, x, scratch, x); // 22
        multiply(scratch, ones, scratch, x, scratch, y); // 31: five ones
        square(scratch, x, scratch, ones, 5);
        multiply(scratch, ones, scratch, x, scratch, ones); // 10
        square(scratch, x, scratch, ones, 10);
        multiply(scratch, x, scratch, x, scratch, ones); // 20
        square(scratch, y, scratch, x, 20);
        multiply(scratch, x, scratch, y, scratch, x); // 40
        square(scratch, x, scratch, x, 10);
        multiply(scratch, ones, scratch, x, scratch, ones); // 50
        square(scratch, x, scratch, ones, 50);
        multiply(scratch, x, scratch, x, scratch, ones); // 100
        square(scratch, y, scratch, x, 100);
        multiply(scratch, x, scratch, y, scratch, x); // 200
        square(scratch, x, scratch, x, 50);
        multiply(scratch, ones, scratch, x, scratch, ones); // 250
    }
}
