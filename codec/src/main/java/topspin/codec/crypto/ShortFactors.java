package topspin.codec.crypto;

/**
 * Turns a challenge k into two factors of half its length: u and v with u = v·k modulo L, so that
 * an equation over points multiplied by v needs half the doublings (Antipa et al., "Accelerated
 * verification of ECDSA signatures", 2005). They are a remainder and a cofactor in the midst of
 * Euclid's algorithm on L and k; Lehmer's way finds some thirty bits of quotients at a time from
 * the leading words. For public scalars: its time depends on them. An instance owns scratch, for
 * one thread.
 */
public final class ShortFactors {
    /** Both factors are below 0x77…7, 32 nibbles: signed nibbles of theirs need no 33rd. */
    static final int BITS = 126;

    private static final int WORDS = Scalar25519.WORDS;

    /** Leading bits that quotients are guessed from; one spare for sums, one for the sign. */
    private static final int LEADING = 62;

    private static final long[] ORDER = Scalar25519.of(Scalar25519.L);

    // Two neighbours in the row of remainders, the larger first, and their cofactors without
    // signs, which alternate.
    private long[] larger = new long[WORDS];
    private long[] smaller = new long[WORDS];
    private long[] largerFactor = new long[WORDS];
    private long[] smallerFactor = new long[WORDS];
    private long[] next = new long[WORDS];
    private long[] nextButOne = new long[WORDS];
    private boolean isNegative;

    /**
     * Finds the factors of a scalar below L; v is not zero.
     *
     * @param target u's two words, then those of v without its sign
     * @return whether v is negative
     */
    public boolean find(long[] target, int t, long[] scalar, int s) {
        System.arraycopy(ORDER, 0, larger, 0, WORDS);
        System.arraycopy(scalar, s, smaller, 0, WORDS);
        clear(largerFactor);
        clear(smallerFactor);
        smallerFactor[0] = 1;
        isNegative = false;
        while (bitLength(smaller) > BITS) {
            if (!severalSteps()) {
                oneStep();
            }
        }
        target[t] = smaller[0];
        target[t + 1] = smaller[1];
        target[t + 2] = smallerFactor[0];
        target[t + 3] = smallerFactor[1];
        return isNegative;
    }

    private static void clear(long[] number) {
        for (int i = 0; i < WORDS; i++) {
            number[i] = 0;
        }
    }

    /**
     * Takes the steps that the leading bits are sure of (Knuth, 4.5.2, algorithm L), none of them
     * past the middle.
     *
     * @return whether there was any
     */
    private boolean severalSteps() {
        int shift = bitLength(larger) - LEADING;
        long x = shifted(larger, shift);
        long y = shifted(smaller, shift);
        long end = shift >= BITS ? 0 : 1L << (BITS - shift);
        long a = 1;
        long b = 0;
        long c = 0;
        long d = 1;
        boolean odd = false;
        while (y + c > 0 && y + d > 0) {
            long quotient = (x + a) / (y + c);
            long rest = x - quotient * y;
            if (quotient != (x + b) / (y + d) || rest < end) {
                break;
            }
            x = y;
            y = rest;
            long swap = a - quotient * c;
            a = c;
            c = swap;
            swap = b - quotient * d;
            b = d;
            d = swap;
            odd = !odd;
        }
        if (b == 0) {
            return false;
        }
        // Of a and b, and of c and d, one is positive and the other not: which, alternates.
        if (odd) {
            difference(next, smaller, b, larger, -a);
            difference(nextButOne, larger, c, smaller, -d);
            sum(largerFactor, smallerFactor, -a, b, c, -d);
        } else {
            difference(next, larger, a, smaller, -b);
            difference(nextButOne, smaller, d, larger, -c);
            sum(largerFactor, smallerFactor, a, -b, -c, d);
        }
        long[] spare = larger;
        larger = next;
        next = spare;
        spare = smaller;
        smaller = nextButOne;
        nextButOne = spare;
        isNegative ^= odd;
        return true;
    }

    /** One division, by shifts and differences. */
    private void oneStep() {
        int bits = bitLength(smaller);
        for (int shift = bitLength(larger) - bits; shift >= 0; shift--) {
            shiftLeft(next, smaller, shift);
            if (compare(larger, next) >= 0) {
                difference(larger, larger, 1, next, 1);
                shiftLeft(next, smallerFactor, shift);
                add(largerFactor, next);
            }
        }
        long[] spare = larger;
        larger = smaller;
        smaller = spare;
        spare = largerFactor;
        largerFactor = smallerFactor;
        smallerFactor = spare;
        isNegative = !isNegative;
    }

    private static int bitLength(long[] number) {
        for (int i = WORDS - 1; i > 0; i--) {
            if (number[i] != 0) {
                return Long.SIZE * (i + 1) - Long.numberOfLeadingZeros(number[i]);
            }
        }
        return Long.SIZE - Long.numberOfLeadingZeros(number[0]);
    }

    /** The low 64 bits of number / 2^shift, of which the result here has 62. */
    private static long shifted(long[] number, int shift) {
        int word = shift >>> 6;
        int bits = shift & 63;
        long low = number[word] >>> bits;
        return bits == 0 || word == WORDS - 1 ? low : low | number[word + 1] << (64 - bits);
    }

    private static void shiftLeft(long[] target, long[] number, int shift) {
        int words = shift >>> 6;
        int bits = shift & 63;
        for (int i = WORDS - 1; i >= 0; i--) {
            long high = i >= words ? number[i - words] << bits : 0;
            long low = bits != 0 && i > words ? number[i - words - 1] >>> (64 - bits) : 0;
            target[i] = high | low;
        }
    }

    private static int compare(long[] left, long[] right) {
        for (int i = WORDS - 1; i >= 0; i--) {
            if (left[i] != right[i]) {
                return Long.compareUnsigned(left[i], right[i]);
            }
        }
        return 0;
    }

    private static void add(long[] target, long[] number) {
        long carry = 0;
        for (int i = 0; i < WORDS; i++) {
            long sum = target[i] + number[i];
            long withCarry = sum + carry;
            carry =
                    (Long.compareUnsigned(sum, number[i]) < 0 ? 1 : 0)
                            + (Long.compareUnsigned(withCarry, sum) < 0 ? 1 : 0);
            target[i] = withCarry;
        }
    }

    /** left·l − right·r, which is not negative, modulo 2^256; the factors are not negative. */
    private static void difference(long[] target, long[] left, long l, long[] right, long r) {
        long leftUp = 0;
        long rightUp = 0;
        long borrow = 0;
        for (int i = 0; i < WORDS; i++) {
            long low = left[i] * l;
            long minuend = low + leftUp;
            leftUp =
                    Math.unsignedMultiplyHigh(left[i], l)
                            + (Long.compareUnsigned(minuend, low) < 0 ? 1 : 0);
            low = right[i] * r;
            long subtrahend = low + rightUp;
            rightUp =
                    Math.unsignedMultiplyHigh(right[i], r)
                            + (Long.compareUnsigned(subtrahend, low) < 0 ? 1 : 0);
            long difference = minuend - subtrahend;
            long result = difference - borrow;
            borrow =
                    (Long.compareUnsigned(minuend, subtrahend) < 0 ? 1 : 0)
                            + (Long.compareUnsigned(difference, borrow) < 0 ? 1 : 0);
            target[i] = result;
        }
    }

    /** Both cofactors, of 128 bits, become sums of products that stay as short. */
    private static void sum(long[] first, long[] second, long a, long b, long c, long d) {
        long x0 = first[0];
        long x1 = first[1];
        long y0 = second[0];
        long y1 = second[1];
        long low = x0 * a;
        long sum = low + y0 * b;
        first[0] = sum;
        first[1] =
                x1 * a
                        + y1 * b
                        + Math.unsignedMultiplyHigh(x0, a)
                        + Math.unsignedMultiplyHigh(y0, b)
                        + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
        low = x0 * c;
        sum = low + y0 * d;
        second[0] = sum;
        second[1] =
                x1 * c
                        + y1 * d
                        + Math.unsignedMultiplyHigh(x0, c)
                        + Math.unsignedMultiplyHigh(y0, d)
                        + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
    }
}
