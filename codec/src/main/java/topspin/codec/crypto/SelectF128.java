package topspin.codec.crypto;

import java.math.BigInteger;
import java.util.Arrays;

/**
 * Cryptographic sortition since protocol v42: how many of an account's units of stake a VRF output
 * selects into a committee, by inverting the binomial distribution in numbers of 128 bits
 * (agreement.md 2.4). Pure; any thread may call.
 */
public final class SelectF128 {
    /** Bytes of the digest that decides. */
    public static final int DIGEST_BYTES = 32;

    /** Stake is below this; a credential that claims more is refused. */
    public static final long STAKE_MAX = 1L << 56;

    private static final BigInteger DIGEST_MAX =
            BigInteger.ONE.shiftLeft(8 * DIGEST_BYTES).subtract(BigInteger.ONE);

    private SelectF128() {}

    /**
     * The weight of a selection; 0 if not selected.
     *
     * @param stake of the account in microalgos, below {@link #STAKE_MAX}
     * @param total online stake in microalgos, unsigned and positive; callers refuse an account
     *     that has more
     * @param committeeSize the expected weight of all selected, unsigned and positive
     * @param digest holds 32 bytes, taken as a big-endian fraction of the largest such number
     * @throws IllegalArgumentException if an argument is out of bounds
     */
    public static long weight(
            long stake, long total, long committeeSize, byte[] digest, int digestOffset) {
        if (stake < 0 || stake >= STAKE_MAX) {
            throw new IllegalArgumentException("stake is out of bounds: " + stake);
        }
        if (total == 0 || committeeSize == 0) {
            throw new IllegalArgumentException("total stake and committee size are positive");
        }
        byte[] bytes = Arrays.copyOfRange(digest, digestOffset, digestOffset + DIGEST_BYTES);
        Float128 ratio = new Float128().setQuotient(new BigInteger(1, bytes), DIGEST_MAX);
        if (Long.compareUnsigned(committeeSize, total) >= 0) {
            return ratio.isZero() ? 0 : stake;
        }
        long others = total - committeeSize;
        Float128 probability = new Float128().setQuotient(others, total);
        power(probability, stake);
        return invert(ratio, stake, probability, new Float128().setQuotient(committeeSize, others));
    }

    /**
     * Raises to a power in place. The order of the products is part of the result, as each is
     * rounded.
     */
    private static void power(Float128 base, long exponent) {
        Float128 result = new Float128().setInteger(1);
        for (long rest = exponent; rest > 0; ) {
            if ((rest & 1) != 0) {
                result.setProduct(result, base);
            }
            rest >>= 1;
            if (rest > 0) {
                base.setProduct(base, base);
            }
        }
        base.set(result);
    }

    /** The least j up to which the probabilities of 0, 1, 2, … successes add up to the ratio. */
    private static long invert(Float128 ratio, long stake, Float128 probability, Float128 odds) {
        var sum = new Float128();
        sum.set(probability);
        var next = new Float128();
        var nextSum = new Float128();
        boolean isFrozen = false;
        for (long j = 0; j < stake; j++) {
            if (j > 0) {
                next.setQuotient(stake - j + 1, j);
                next.setProduct(next, odds);
                next.setProduct(next, probability);
                nextSum.setSum(sum, next);
                // Past the peak, and too small to change the sum: so will all that follow be.
                isFrozen = nextSum.compareTo(sum) == 0 && next.compareTo(probability) < 0;
                probability.set(next);
                sum.set(nextSum);
            }
            if (ratio.compareTo(sum) <= 0 || isFrozen) {
                return j;
            }
        }
        return stake;
    }
}
