package topspin.codec.crypto;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;

/**
 * Arithmetic modulo L = 2^252 + 27742317777372353535851937790883648493, the order of the base
 * point, on four little-endian words in a caller's array at an offset; targets may be operands.
 * "Below L" is what every operation leaves. {@link #montgomery}, {@link #add}, {@link #reduce} and
 * {@link #signedNibbles} branch on no value, so secrets may pass through them; {@link
 * #nonAdjacentForm}, {@link #negate} and {@link #isCanonical} are for public scalars.
 */
public final class Scalar25519 {
    /** Words, hence array elements, of a scalar. */
    public static final int WORDS = 4;

    /** The order of the base point. */
    static final BigInteger L =
            BigInteger.ONE
                    .shiftLeft(252)
                    .add(new BigInteger("27742317777372353535851937790883648493"));

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);
    private static final BigInteger R = BigInteger.ONE.shiftLeft(256);
    private static final long L0 = L.longValue();
    private static final long L1 = L.shiftRight(64).longValue();
    // Word 2 of L is zero, and word 3 a single bit, which spares a third of the reduction.
    private static final long L3 = 1L << 60;
    private static final long MINUS_INVERSE_OF_L0 =
            L.negate().modInverse(BigInteger.ONE.shiftLeft(64)).longValue();
    private static final long EIGHTS = 0x8888888888888888L;
    private static final long[] R2 = of(R.pow(2).mod(L));
    private static final long[] R3 = of(R.pow(3).mod(L));

    private Scalar25519() {}

    static long[] of(BigInteger value) {
        var words = new long[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = value.shiftRight(64 * i).longValue();
        }
        return words;
    }

    /** The little-endian word at an offset of bytes. */
    public static long word(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset);
    }

    /** Writes a scalar as 32 little-endian bytes. */
    static void toBytes(long[] scalar, int s, byte[] target, int offset) {
        for (int i = 0; i < WORDS; i++) {
            LONG.set(target, offset + 8 * i, scalar[s + i]);
        }
    }

    /** Whether 32 little-endian bytes are below L. */
    public static boolean isCanonical(byte[] bytes, int offset) {
        int order = Long.compareUnsigned(word(bytes, offset + 24), L3);
        if (order != 0) {
            return order < 0;
        }
        if (word(bytes, offset + 16) != 0) {
            return false;
        }
        order = Long.compareUnsigned(word(bytes, offset + 8), L1);
        return order != 0 ? order < 0 : Long.compareUnsigned(word(bytes, offset), L0) < 0;
    }

    /**
     * a·b/2^256 mod L, for any a of 256 bits and b below L; the constant 1 as b takes a value out
     * of Montgomery form.
     */
    public static void montgomery(
            long[] target,
            int t,
            long a0,
            long a1,
            long a2,
            long a3,
            long b0,
            long b1,
            long b2,
            long b3) {
        long t0 = 0, t1 = 0, t2 = 0, t3 = 0;
        for (int i = 0; i < WORDS; i++) {
            long a = i == 0 ? a0 : i == 1 ? a1 : i == 2 ? a2 : a3;
            // Add a·b ...
            long low = a * b0;
            long sum = t0 + low;
            long up = Math.unsignedMultiplyHigh(a, b0) + carryOf(t0, low, sum);
            t0 = sum;
            low = a * b1;
            sum = low + up;
            up = Math.unsignedMultiplyHigh(a, b1) + carryOf(low, up, sum);
            low = sum;
            sum = t1 + low;
            up += carryOf(t1, low, sum);
            t1 = sum;
            low = a * b2;
            sum = low + up;
            up = Math.unsignedMultiplyHigh(a, b2) + carryOf(low, up, sum);
            low = sum;
            sum = t2 + low;
            up += carryOf(t2, low, sum);
            t2 = sum;
            low = a * b3;
            sum = low + up;
            up = Math.unsignedMultiplyHigh(a, b3) + carryOf(low, up, sum);
            low = sum;
            sum = t3 + low;
            up += carryOf(t3, low, sum);
            t3 = sum;
            long t4 = up;
            // ... then the multiple of L that clears the lowest word, and drop that word.
            long m = t0 * MINUS_INVERSE_OF_L0;
            low = m * L0;
            up = Math.unsignedMultiplyHigh(m, L0) + carryOf(t0, low, t0 + low);
            low = m * L1;
            sum = low + up;
            up = Math.unsignedMultiplyHigh(m, L1) + carryOf(low, up, sum);
            low = sum;
            sum = t1 + low;
            up += carryOf(t1, low, sum);
            t0 = sum;
            sum = t2 + up;
            up = carryOf(t2, up, sum);
            t1 = sum;
            low = m << 60;
            sum = low + up;
            up = (m >>> 4) + carryOf(low, up, sum);
            low = sum;
            sum = t3 + low;
            up += carryOf(t3, low, sum);
            t2 = sum;
            t3 = t4 + up;
        }
        // Below 2L, as (2^256·L + 2^256·L)/2^256 bounds it.
        subtractOnce(target, t, t0, t1, t2, t3);
    }

    /** a·b/2^256 mod L for a scalar in its encoding, 32 little-endian bytes at {@code s}. */
    public static void montgomery(
            long[] target, int t, byte[] encoded, int s, long b0, long b1, long b2, long b3) {
        montgomery(
                target,
                t,
                word(encoded, s),
                word(encoded, s + 8),
                word(encoded, s + 16),
                word(encoded, s + 24),
                b0,
                b1,
                b2,
                b3);
    }

    /** a + b mod L, both below L. */
    public static void add(long[] target, int t, long[] a, int i, long[] b, int j) {
        long s0 = a[i] + b[j];
        long c = carryOf(a[i], b[j], s0);
        long x = a[i + 1] + b[j + 1];
        long s1 = x + c;
        c = carryOf(a[i + 1], b[j + 1], x) + carryOf(x, c, s1);
        x = a[i + 2] + b[j + 2];
        long s2 = x + c;
        c = carryOf(a[i + 2], b[j + 2], x) + carryOf(x, c, s2);
        subtractOnce(target, t, s0, s1, s2, a[i + 3] + b[j + 3] + c);
    }

    /** Takes L off a number below 2L if that leaves it at zero or more. */
    private static void subtractOnce(long[] target, int t, long t0, long t1, long t2, long t3) {
        long r0 = t0 - L0;
        long borrow = borrowOf(t0, L0, r0);
        long x = t1 - L1;
        long r1 = x - borrow;
        borrow = borrowOf(t1, L1, x) + borrowOf(x, borrow, r1);
        long r2 = t2 - borrow;
        borrow = borrowOf(t2, borrow, r2);
        x = t3 - L3;
        long r3 = x - borrow;
        borrow = borrowOf(t3, L3, x) + borrowOf(x, borrow, r3);
        long keep = -borrow; // All ones if the difference is negative.
        target[t] = r0 ^ ((r0 ^ t0) & keep);
        target[t + 1] = r1 ^ ((r1 ^ t1) & keep);
        target[t + 2] = r2 ^ ((r2 ^ t2) & keep);
        target[t + 3] = r3 ^ ((r3 ^ t3) & keep);
    }

    private static long carryOf(long a, long b, long sum) {
        return ((a & b) | ((a | b) & ~sum)) >>> 63;
    }

    private static long borrowOf(long a, long b, long difference) {
        return ((~a & b) | ((~a | b) & difference)) >>> 63;
    }

    /**
     * A number of 512 bits mod L, in Montgomery form: low·2^256 + high·2^512. Four words of {@code
     * scratch} are overwritten.
     */
    public static void reduce(
            long[] target,
            int t,
            long w0,
            long w1,
            long w2,
            long w3,
            long w4,
            long w5,
            long w6,
            long w7,
            long[] scratch,
            int s) {
        montgomery(target, t, w0, w1, w2, w3, R2[0], R2[1], R2[2], R2[3]);
        montgomery(scratch, s, w4, w5, w6, w7, R3[0], R3[1], R3[2], R3[3]);
        add(target, t, target, t, scratch, s);
    }

    /** The same of 64 little-endian bytes, taken out of Montgomery form. */
    static void reduce(long[] target, int t, byte[] bytes, int b, long[] scratch, int s) {
        reduce(
                target,
                t,
                word(bytes, b),
                word(bytes, b + 8),
                word(bytes, b + 16),
                word(bytes, b + 24),
                word(bytes, b + 32),
                word(bytes, b + 40),
                word(bytes, b + 48),
                word(bytes, b + 56),
                scratch,
                s);
        fromMontgomery(target, t);
    }

    /** Takes a value out of Montgomery form, in place. */
    public static void fromMontgomery(long[] scalar, int s) {
        montgomery(scalar, s, scalar[s], scalar[s + 1], scalar[s + 2], scalar[s + 3], 1, 0, 0, 0);
    }

    /** Puts a value below 2^256 into Montgomery form, in place. */
    public static void toMontgomery(long[] scalar, int s) {
        montgomery(
                scalar,
                s,
                scalar[s],
                scalar[s + 1],
                scalar[s + 2],
                scalar[s + 3],
                R2[0],
                R2[1],
                R2[2],
                R2[3]);
    }

    /** −a mod L, in place. */
    public static void negate(long[] scalar, int s) {
        if ((scalar[s] | scalar[s + 1] | scalar[s + 2] | scalar[s + 3]) == 0) {
            return;
        }
        long r0 = L0 - scalar[s];
        long borrow = borrowOf(L0, scalar[s], r0);
        long x = L1 - scalar[s + 1];
        long r1 = x - borrow;
        borrow = borrowOf(L1, scalar[s + 1], x) + borrowOf(x, borrow, r1);
        x = -scalar[s + 2];
        long r2 = x - borrow;
        borrow = borrowOf(0, scalar[s + 2], x) + borrowOf(x, borrow, r2);
        scalar[s + 3] = L3 - scalar[s + 3] - borrow;
        scalar[s] = r0;
        scalar[s + 1] = r1;
        scalar[s + 2] = r2;
    }

    /**
     * Writes s + 0x88…8 for s below 2^253, its words {@code stride} apart: at every place, nibble −
     * 8 is then a signed digit of s, from −8 to 7, without any recoding. Branches on no value.
     */
    public static void signedNibbles(
            long[] target, int t, int stride, long w0, long w1, long w2, long w3) {
        long s0 = w0 + EIGHTS;
        long carry = carryOf(w0, EIGHTS, s0);
        long x = w1 + EIGHTS;
        long s1 = x + carry;
        carry = carryOf(w1, EIGHTS, x) + carryOf(x, carry, s1);
        x = w2 + EIGHTS;
        long s2 = x + carry;
        carry = carryOf(w2, EIGHTS, x) + carryOf(x, carry, s2);
        target[t] = s0;
        target[t + stride] = s1;
        target[t + 2 * stride] = s2;
        target[t + 3 * stride] = w3 + EIGHTS + carry;
    }

    /**
     * The scalar modulo L whose digits are nibble − 8 at every place of four words, given that it
     * is within ±L. Branches on no value.
     */
    public static void ofSignedNibbles(long[] target, int t, long n0, long n1, long n2, long n3) {
        long r0 = n0 - EIGHTS;
        long borrow = borrowOf(n0, EIGHTS, r0);
        long x = n1 - EIGHTS;
        long r1 = x - borrow;
        borrow = borrowOf(n1, EIGHTS, x) + borrowOf(x, borrow, r1);
        x = n2 - EIGHTS;
        long r2 = x - borrow;
        borrow = borrowOf(n2, EIGHTS, x) + borrowOf(x, borrow, r2);
        x = n3 - EIGHTS;
        long r3 = x - borrow;
        borrow = borrowOf(n3, EIGHTS, x) + borrowOf(x, borrow, r3);
        long l0 = L0 & -borrow; // L if the difference is negative.
        long l1 = L1 & -borrow;
        target[t] = r0 + l0;
        long carry = carryOf(r0, l0, target[t]);
        x = r1 + l1;
        target[t + 1] = x + carry;
        carry = carryOf(r1, l1, x) + carryOf(x, carry, target[t + 1]);
        target[t + 2] = r2 + carry;
        carry = carryOf(r2, carry, target[t + 2]);
        target[t + 3] = r3 + (L3 & -borrow) + carry;
    }

    /**
     * Writes the non-adjacent form of a scalar below 2^253: 256 digits, {@code stride} apart, each
     * zero or odd and within ±(2^(width−1) − 1), at most one of {@code width} neighbours not zero.
     */
    static void nonAdjacentForm(
            byte[] digits, int d, int stride, int width, long w0, long w1, long w2, long w3) {
        int carry = 0;
        int mask = (1 << width) - 1;
        int half = 1 << (width - 1);
        int position = 0;
        while (position < 256) {
            int window = carry + (bits(position, width, w0, w1, w2, w3) & mask);
            if ((window & 1) == 0) {
                digits[d + position++ * stride] = 0;
                continue;
            }
            carry = window < half ? 0 : 1;
            digits[d + position++ * stride] = (byte) (window - (carry << width));
            for (int end = Math.min(256, position + width - 1); position < end; position++) {
                digits[d + position * stride] = 0;
            }
        }
    }

    /** Bits from a position on, zero past the top; more than {@code width} of them. */
    private static int bits(int position, int width, long w0, long w1, long w2, long w3) {
        int word = position >>> 6;
        int shift = position & 63;
        long low = word == 0 ? w0 : word == 1 ? w1 : word == 2 ? w2 : w3;
        long value = low >>> shift;
        if (shift + width > 64 && word < 3) {
            value |= (word == 0 ? w1 : word == 1 ? w2 : w3) << (64 - shift);
        }
        return (int) value;
    }
}
