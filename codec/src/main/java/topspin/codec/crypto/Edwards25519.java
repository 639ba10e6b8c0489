package topspin.codec.crypto;

import java.math.BigInteger;
import java.util.Arrays;

/**
 * Points of edwards25519, for public data unless a method says otherwise. A point is four field
 * elements X, Y, Z, T with x = X/Z, y = Y/Z, T = XY/Z; a cached point is Y+X, Y−X, 2Z, 2dT, ready
 * to be added. Both take 20 elements of a caller's array at an offset; targets may be operands.
 * {@code work} is {@link #WORK} elements of scratch, apart from the operands.
 */
public final class Edwards25519 {
    /** Array elements of a point or cached point. */
    public static final int POINT = 4 * Field25519.LIMBS;

    /** Array elements of the scratch that operations ask for. */
    public static final int WORK = 16 * Field25519.LIMBS;

    /** The base point. */
    static final long[] BASE = new long[POINT];

    // Coordinates' offsets in a point ...
    private static final int X = 0;
    private static final int Y = 5;
    private static final int Z = 10;
    private static final int T = 15;
    // ... and in a cached one.
    private static final int SUM = 0;
    private static final int DIFFERENCE = 5;
    private static final int TWO_Z = 10;
    private static final int TWO_D_T = 15;

    /** The y of all points whose order divides 8, as words; the sign of x does not matter. */
    private static final long[][] SMALL_ORDER = new long[5][];

    static {
        var y8 =
                new BigInteger(
                        "7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16);
        BigInteger[] values = {
            BigInteger.ZERO,
            BigInteger.ONE,
            Field25519.P.subtract(BigInteger.ONE),
            y8,
            Field25519.P.subtract(y8)
        };
        Arrays.setAll(SMALL_ORDER, i -> Scalar25519.of(values[i]));
        long[] y =
                Scalar25519.of(
                        BigInteger.valueOf(4)
                                .multiply(BigInteger.valueOf(5).modInverse(Field25519.P))
                                .mod(Field25519.P));
        if (!decompress(BASE, 0, y[0], y[1], y[2], y[3], new long[WORK])) {
            throw new AssertionError("the base point is on the curve");
        }
    }

    private Edwards25519() {}

    /**
     * Whether four words are the one encoding of a point, should there be a point: y below p, and
     * no −0 for x.
     */
    public static boolean isCanonical(long w0, long w1, long w2, long w3) {
        long top = w3 & Long.MAX_VALUE;
        boolean yIsOne = w0 == 1 && (w1 | w2 | top) == 0;
        boolean yIsMinusOne = w0 == -20 && (w1 & w2) == -1 && top == Long.MAX_VALUE;
        boolean xIsZero = yIsOne || yIsMinusOne;
        return isReduced(w0, w1, w2, w3) && !(xIsZero && w3 < 0);
    }

    /** Whether the y of an encoding is below p. */
    static boolean isReduced(long w0, long w1, long w2, long w3) {
        return (w3 & Long.MAX_VALUE) != Long.MAX_VALUE
                || (w2 & w1) != -1
                || Long.compareUnsigned(w0, -19) < 0;
    }

    /** Whether a canonical encoding's point has an order that divides 8. */
    public static boolean isSmallOrder(long w0, long w1, long w2, long w3) {
        long top = w3 & Long.MAX_VALUE;
        for (long[] y : SMALL_ORDER) {
            if (y[0] == w0 && y[1] == w1 && y[2] == w2 && y[3] == top) {
                return true;
            }
        }
        return false;
    }

    /** Writes the identity. */
    public static void identity(long[] point, int p) {
        Arrays.fill(point, p, p + POINT, 0);
        point[p + Y] = 1;
        point[p + Z] = 1;
    }

    /** The base point, in an array of its own. */
    public static long[] base() {
        return BASE.clone();
    }

    static void copy(long[] target, int t, long[] source, int s) {
        System.arraycopy(source, s, target, t, POINT);
    }

    /**
     * The point whose y the low 255 bits give and whose x has the top bit as its parity; y is taken
     * modulo p.
     *
     * @return whether there is such a point; if not, the target's contents mean nothing
     */
    static boolean decompress(
            long[] target, int t, long w0, long w1, long w2, long w3, long[] work) {
        // x^2 = u/v with u = y^2 − 1, v = d·y^2 + 1; x = u·v^3·(u·v^7)^((p−5)/8), times √−1 if
        // v·x^2 = −u.
        int u = 0, v = 5, v3 = 10, power = 15, scratch = 20;
        Field25519.fromWords(target, t + Y, w0, w1, w2, w3);
        Field25519.square(work, power, target, t + Y);
        Field25519.subtract(work, u, work, power, Field25519.ONE, 0);
        Field25519.multiply(work, v, work, power, Field25519.D, 0);
        Field25519.add(work, v, work, v, Field25519.ONE, 0);
        Field25519.square(work, v3, work, v);
        Field25519.multiply(work, v3, work, v3, work, v);
        Field25519.square(work, power, work, v3);
        Field25519.multiply(work, power, work, power, work, v);
        Field25519.multiply(work, power, work, power, work, u);
        Field25519.powerForRoot(work, power, work, power, work, scratch);
        Field25519.multiply(work, v3, work, v3, work, u);
        Field25519.multiply(target, t + X, work, v3, work, power);
        // Check what came out: v·x^2 against u and −u.
        Field25519.square(work, power, target, t + X);
        Field25519.multiply(work, power, work, power, work, v);
        Field25519.subtract(work, v, work, power, work, u);
        if (!Field25519.isZero(work, v, work, scratch)) {
            Field25519.add(work, v, work, power, work, u);
            if (!Field25519.isZero(work, v, work, scratch)) {
                return false;
            }
            Field25519.multiply(target, t + X, target, t + X, Field25519.ROOT_OF_MINUS_ONE, 0);
        }
        Field25519.toWords(work, scratch, target, t + X);
        if ((work[scratch] & 1) != w3 >>> 63) {
            Field25519.negate(target, t + X, target, t + X);
        }
        Field25519.copy(target, t + Z, Field25519.ONE, 0);
        Field25519.multiply(target, t + T, target, t + X, target, t + Y);
        return true;
    }

    /** The same from 32 bytes. */
    static boolean decompress(long[] target, int t, byte[] encoding, int offset, long[] work) {
        return decompress(
                target,
                t,
                Scalar25519.word(encoding, offset),
                Scalar25519.word(encoding, offset + 8),
                Scalar25519.word(encoding, offset + 16),
                Scalar25519.word(encoding, offset + 24),
                work);
    }

    /** Writes the 32-byte encoding; takes no branch on the point. */
    static void compress(long[] point, int p, byte[] target, int offset, long[] work) {
        int inverse = 0, coordinate = 5, words = 10;
        Field25519.invert(work, inverse, point, p + Z, work, 15);
        Field25519.multiply(work, coordinate, point, p + X, work, inverse);
        Field25519.toWords(work, words, work, coordinate);
        long sign = work[words] << 63;
        Field25519.multiply(work, coordinate, point, p + Y, work, inverse);
        Field25519.toWords(work, words, work, coordinate);
        work[words + 3] |= sign;
        Scalar25519.toBytes(work, words, target, offset);
    }

    /** Makes a point ready to be added. */
    public static void cache(long[] target, int t, long[] point, int p) {
        for (int i = 0; i < Field25519.LIMBS; i++) {
            long x = point[p + X + i];
            long y = point[p + Y + i];
            target[t + SUM + i] = y + x;
            target[t + DIFFERENCE + i] = y - x;
            target[t + TWO_Z + i] = point[p + Z + i] << 1;
        }
        Field25519.multiply(target, t + TWO_D_T, point, p + T, Field25519.TWO_D, 0);
    }

    /**
     * Adds a cached point; complete, so equal and opposite points and the identity need no care.
     */
    public static void add(
            long[] target, int t, long[] point, int p, long[] cached, int c, long[] work) {
        products(point, p, cached, c + SUM, c + DIFFERENCE, c, work);
        for (int i = 0; i < Field25519.LIMBS; i++) {
            long a = work[i], b = work[5 + i], k = work[10 + i], d = work[15 + i];
            work[20 + i] = b - a;
            work[25 + i] = d - k;
            work[30 + i] = d + k;
            work[35 + i] = b + a;
        }
        finish(target, t, work, true);
    }

    /** Subtracts a cached point: the two sums change places, and T changes its sign. */
    static void subtract(
            long[] target, int t, long[] point, int p, long[] cached, int c, long[] work) {
        products(point, p, cached, c + DIFFERENCE, c + SUM, c, work);
        for (int i = 0; i < Field25519.LIMBS; i++) {
            long a = work[i], b = work[5 + i], k = work[10 + i], d = work[15 + i];
            work[20 + i] = b - a;
            work[25 + i] = d + k;
            work[30 + i] = d - k;
            work[35 + i] = b + a;
        }
        finish(target, t, work, true);
    }

    private static void products(
            long[] point, int p, long[] cached, int sum, int difference, int c, long[] work) {
        for (int i = 0; i < Field25519.LIMBS; i++) {
            long x = point[p + X + i];
            long y = point[p + Y + i];
            work[i] = y - x;
            work[5 + i] = y + x;
        }
        Field25519.multiply(work, 0, work, 0, cached, difference);
        Field25519.multiply(work, 5, work, 5, cached, sum);
        Field25519.multiply(work, 10, point, p + T, cached, c + TWO_D_T);
        Field25519.multiply(work, 15, point, p + Z, cached, c + TWO_Z);
    }

    /** From E, F, G, H at 20, 25, 30, 35: X = EF, Y = GH, Z = FG, T = EH. */
    private static void finish(long[] target, int t, long[] work, boolean withT) {
        Field25519.multiply(target, t + X, work, 20, work, 25);
        Field25519.multiply(target, t + Y, work, 30, work, 35);
        Field25519.multiply(target, t + Z, work, 25, work, 30);
        if (withT) {
            Field25519.multiply(target, t + T, work, 20, work, 35);
        }
    }

    /**
     * Doubles. Without T the result may be doubled, negated or encoded, but not added to or cached.
     */
    public static void twice(
            long[] target, int t, long[] point, int p, boolean withT, long[] work) {
        Field25519.square(work, 0, point, p + X);
        Field25519.square(work, 5, point, p + Y);
        Field25519.square(work, 10, point, p + Z);
        Field25519.add(work, 15, point, p + X, point, p + Y);
        Field25519.square(work, 15, work, 15);
        for (int i = 0; i < Field25519.LIMBS; i++) {
            long a = work[i], b = work[5 + i];
            long h = a + b, g = a - b;
            work[20 + i] = h - work[15 + i];
            work[25 + i] = 2 * work[10 + i] + g;
            work[30 + i] = g;
            work[35 + i] = h;
        }
        finish(target, t, work, withT);
    }

    /** Doubles three times in place, without T, and tells whether the identity came out. */
    public static boolean isIdentityTimesEight(long[] point, int p, long[] work) {
        twice(point, p, point, p, false, work);
        twice(point, p, point, p, false, work);
        twice(point, p, point, p, false, work);
        Field25519.subtract(work, 0, point, p + Y, point, p + Z);
        return Field25519.isZero(point, p + X, work, 5) && Field25519.isZero(work, 0, work, 5);
    }

    /**
     * Fills a table with the cached odd multiples 1, 3, 5, … of a point; the point is left as it
     * was.
     */
    static void oddMultiples(long[] table, int t, int count, long[] point, int p, long[] work) {
        // Behind what the operations themselves use: the running multiple, and twice the point.
        int multiple = WORK / 2;
        int step = multiple + POINT;
        copy(work, multiple, point, p);
        twice(work, step, work, multiple, true, work);
        cache(table, t, work, step);
        copy(work, step, table, t);
        for (int i = 0; i < count; i++) {
            cache(table, t + POINT * i, work, multiple);
            add(work, multiple, work, multiple, work, step, work);
        }
    }
}
