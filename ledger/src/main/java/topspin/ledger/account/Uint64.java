package topspin.ledger.account;

/** Unsigned 64-bit arithmetic on {@code long}: what may overflow says so, or saturates. */
public final class Uint64 {
    /** 2^64 − 1. */
    public static final long MAX = -1L;

    private Uint64() {}

    public static boolean less(long a, long b) {
        return Long.compareUnsigned(a, b) < 0;
    }

    public static long min(long a, long b) {
        return less(a, b) ? a : b;
    }

    public static long max(long a, long b) {
        return less(a, b) ? b : a;
    }

    /** Whether {@code a + b} exceeds 64 bits. */
    public static boolean addOverflows(long a, long b) {
        return less(a + b, a);
    }

    public static long saturatingAdd(long a, long b) {
        long sum = a + b;
        return less(sum, a) ? MAX : sum;
    }

    /** {@code a − b}, or 0 when b is greater. */
    public static long saturatingSubtract(long a, long b) {
        return less(a, b) ? 0 : a - b;
    }

    public static long saturatingMultiply(long a, long b) {
        return Math.unsignedMultiplyHigh(a, b) != 0 ? MAX : a * b;
    }

    /**
     * floor(a × b / divisor) over a 128-bit product, saturating at 2^64 − 1.
     *
     * @throws ArithmeticException when the divisor is zero
     */
    public static long multiplyDivide(long a, long b, long divisor) {
        long high = Math.unsignedMultiplyHigh(a, b);
        long low = a * b;
        if (high == 0) {
            return Long.divideUnsigned(low, divisor);
        }
        if (!less(high, divisor)) {
            if (divisor == 0) {
                throw new ArithmeticException("division by zero");
            }
            return MAX;
        }
        // Shift and subtract: rare, and its 64 steps are plainly right.
        long remainder = high;
        long quotient = 0;
        for (int bit = 63; bit >= 0; bit--) {
            boolean carry = remainder < 0;
            remainder = (remainder << 1) | ((low >>> bit) & 1);
            if (carry || !less(remainder, divisor)) {
                remainder -= divisor;
                quotient |= 1L << bit;
            }
        }
        return quotient;
    }
}
