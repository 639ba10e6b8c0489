package topspin.codec.crypto;

import java.math.BigInteger;

/**
 * A number m·2^e that is not negative, with m = 0 or 2^127 ≤ m < 2^128. Every operation leaves the
 * exact result rounded to the nearest such number, and to the one with an even m where two are
 * equally near, so that all implementations agree to the last bit (agreement.md 2.4). Mutable,
 * because sortition works out thousands of them in a row; operands may be the target.
 */
final class Float128 {
    private long high;
    private long low;
    private long exponent;

    void set(Float128 other) {
        high = other.high;
        low = other.low;
        exponent = other.exponent;
    }

    /** An unsigned number, exactly. */
    Float128 setInteger(long value) {
        int shift = Long.numberOfLeadingZeros(value);
        high = value == 0 ? 0 : value << shift;
        low = 0;
        exponent = value == 0 ? 0 : -shift - 64;
        return this;
    }

    /**
     * A quotient of two numbers; meant for few, as it takes its time. The denominator is not zero.
     */
    Float128 setQuotient(BigInteger numerator, BigInteger denominator) {
        if (numerator.signum() == 0) {
            return setInteger(0);
        }
        // Scaled so that the quotient has 130 bits or 131; below these everything is one sticky
        // bit.
        int scale = 130 - numerator.bitLength() + denominator.bitLength();
        BigInteger[] parts =
                numerator
                        .shiftLeft(Math.max(scale, 0))
                        .divideAndRemainder(denominator.shiftLeft(Math.max(-scale, 0)));
        BigInteger quotient = parts[0];
        int extra = quotient.bitLength() - 128;
        BigInteger m = quotient.shiftRight(extra);
        boolean half = quotient.testBit(extra - 1);
        boolean more = parts[1].signum() != 0 || quotient.getLowestSetBit() < extra - 1;
        high = m.shiftRight(64).longValue();
        low = m.longValue();
        exponent = (long) extra - scale;
        round(half, more);
        return this;
    }

    /** A quotient of two unsigned numbers, the denominator not zero. */
    Float128 setQuotient(long numerator, long denominator) {
        if (numerator == 0) {
            return setInteger(0);
        }
        int numeratorShift = Long.numberOfLeadingZeros(numerator);
        int denominatorShift = Long.numberOfLeadingZeros(denominator);
        long n = numerator << numeratorShift;
        long d = denominator << denominatorShift;
        // n/d lies between 1/2 and 2: a digit of 0 or 1, then two of 64 bits.
        boolean startsWithOne = Long.compareUnsigned(n, d) >= 0;
        long remainder = startsWithOne ? n - d : n;
        long first = divide(remainder, d);
        remainder = -first * d; // Modulo 2^64, as remainder·2^64 is zero.
        long second = divide(remainder, d);
        remainder = -second * d;
        exponent = (long) denominatorShift - numeratorShift - 128;
        if (startsWithOne) {
            exponent++;
            high = (1L << 63) | first >>> 1;
            low = first << 63 | second >>> 1;
            round((second & 1) != 0, remainder != 0);
        } else {
            high = first;
            low = second;
            int order = Long.compareUnsigned(remainder, d - remainder);
            round(order >= 0, order != 0 && remainder != 0);
        }
        return this;
    }

    /**
     * ⌊n·2^64/d⌋ for n below d, whose top bit is set: two digits of 32 bits, each guessed and put
     * right.
     */
    private static long divide(long n, long d) {
        long dHigh = d >>> 32;
        long dLow = d & 0xffffffffL;
        long first = digit(n, dHigh, dLow);
        long rest = (n << 32) - first * d;
        return first << 32 | digit(rest, dHigh, dLow);
    }

    /** ⌊n·2^32/d⌋ for n below d. */
    private static long digit(long n, long dHigh, long dLow) {
        long guess = Long.divideUnsigned(n, dHigh);
        long rest = n - guess * dHigh;
        // At most two too large; the test is exact as long as the rest fits 32 bits.
        while (guess >>> 32 != 0 || Long.compareUnsigned(guess * dLow, rest << 32) > 0) {
            guess--;
            rest += dHigh;
            if (rest >>> 32 != 0) {
                break;
            }
        }
        return guess;
    }

    void setProduct(Float128 a, Float128 b) {
        if (a.isZero() || b.isZero()) {
            setInteger(0);
            return;
        }
        // Four words of the 256-bit product, w3 the highest.
        long w0 = a.low * b.low;
        long w1 = Math.unsignedMultiplyHigh(a.low, b.low);
        long cross = a.low * b.high;
        w1 += cross;
        long carry = Long.compareUnsigned(w1, cross) < 0 ? 1 : 0;
        long w2 = Math.unsignedMultiplyHigh(a.low, b.high) + carry; // Cannot overflow.
        cross = a.high * b.low;
        w1 += cross;
        carry = Long.compareUnsigned(w1, cross) < 0 ? 1 : 0;
        long upper = Math.unsignedMultiplyHigh(a.high, b.low) + carry;
        w2 += upper;
        long w3 = Long.compareUnsigned(w2, upper) < 0 ? 1 : 0;
        long product = a.high * b.high;
        w2 += product;
        w3 += Math.unsignedMultiplyHigh(a.high, b.high);
        w3 += Long.compareUnsigned(w2, product) < 0 ? 1 : 0;
        exponent = a.exponent + b.exponent + 128;
        if (w3 < 0) {
            high = w3;
            low = w2;
            round(w1 < 0, (w1 << 1 | w0) != 0);
        } else { // The product of two numbers of 128 bits may have 255.
            exponent--;
            high = w3 << 1 | w2 >>> 63;
            low = w2 << 1 | w1 >>> 63;
            round(w1 << 1 < 0, (w1 << 2 | w0) != 0);
        }
    }

    void setSum(Float128 a, Float128 b) {
        if (a.isZero() || b.isZero()) {
            set(a.isZero() ? b : a);
            return;
        }
        Float128 large = a.exponent >= b.exponent ? a : b;
        Float128 small = large == a ? b : a;
        long distance = large.exponent - small.exponent;
        if (distance > 128) { // Less than half of the last place.
            set(large);
            return;
        }
        // The smaller, shifted right by the distance: two words, and what falls off as half and
        // more.
        int shift = (int) distance;
        long addHigh = shift >= 64 ? 0 : small.high >>> shift;
        long addLow;
        boolean half;
        boolean more;
        if (shift == 0) {
            addLow = small.low;
            half = false;
            more = false;
        } else if (shift < 64) {
            addLow = small.low >>> shift | small.high << (64 - shift);
            long lost = small.low << (64 - shift);
            half = lost < 0;
            more = lost << 1 != 0;
        } else if (shift == 64) {
            addLow = small.high;
            half = small.low < 0;
            more = small.low << 1 != 0;
        } else if (shift < 128) {
            addLow = small.high >>> (shift - 64);
            long lost = small.high << (128 - shift);
            half = lost < 0;
            more = (lost << 1 | small.low) != 0;
        } else {
            addLow = 0;
            half = true; // The top bit of the smaller.
            more = (small.high << 1 | small.low) != 0;
        }
        long largeHigh = large.high;
        long sumLow = large.low + addLow;
        long carry = Long.compareUnsigned(sumLow, addLow) < 0 ? 1 : 0;
        long sumHigh = largeHigh + addHigh + carry;
        boolean overflows =
                Long.compareUnsigned(sumHigh, largeHigh) < 0
                        || (sumHigh == largeHigh && (addHigh | carry) != 0);
        exponent = large.exponent;
        if (overflows) {
            more |= half;
            half = (sumLow & 1) != 0;
            sumLow = sumLow >>> 1 | sumHigh << 63;
            sumHigh = sumHigh >>> 1 | 1L << 63;
            exponent++;
        }
        high = sumHigh;
        low = sumLow;
        round(half, more);
    }

    /**
     * Rounds by what lies behind the last bit: whether half of it or more, and whether anything
     * else.
     */
    private void round(boolean half, boolean more) {
        if (half && (more || (low & 1) != 0)) {
            low++;
            if (low == 0) {
                high++;
                if (high == 0) { // All ones: the next number is a power of two.
                    high = 1L << 63;
                    exponent++;
                }
            }
        }
    }

    boolean isZero() {
        return high == 0;
    }

    /** Less than zero, zero or more as this number is below, equal to or above the other. */
    int compareTo(Float128 other) {
        if (isZero() || other.isZero()) {
            return Boolean.compare(other.isZero(), isZero());
        }
        if (exponent != other.exponent) {
            return Long.compare(exponent, other.exponent);
        }
        int order = Long.compareUnsigned(high, other.high);
        return order != 0 ? order : Long.compareUnsigned(low, other.low);
    }

    /** The significand, for tests. */
    BigInteger significand() {
        return new BigInteger(Long.toUnsignedString(high))
                .shiftLeft(64)
                .or(new BigInteger(Long.toUnsignedString(low)));
    }

    long exponent() {
        return exponent;
    }
}
