package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import static topspin.codec.crypto.Scalar25519.L;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.util.Random;

/** The factors against their definition, for random scalars and those with extreme quotients. */
class ShortFactorsTest {
    private static final int TRIES = 20_000;

    /** What 32 signed nibbles hold. */
    private static final BigInteger MOST = new BigInteger("7".repeat(32), 16);

    private final ShortFactors factors = new ShortFactors();
    private final long[] found = new long[4];

    private void check(BigInteger k) {
        boolean negative = factors.find(found, 0, Scalar25519.of(k), 0);
        BigInteger u = unsigned(0);
        BigInteger v = unsigned(2);
        assertThat(u).as("u of %x", k).isLessThanOrEqualTo(MOST);
        assertThat(v).as("v of %x", k).isBetween(BigInteger.ONE, MOST);
        BigInteger product = (negative ? v.negate() : v).multiply(k).mod(L);
        assertThat(product).as("v·k of %x", k).isEqualTo(u);
    }

    private BigInteger unsigned(int word) {
        BigInteger mask = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);
        return BigInteger.valueOf(found[word + 1])
                .and(mask)
                .shiftLeft(64)
                .or(BigInteger.valueOf(found[word]).and(mask));
    }

    @Test
    void randomScalarsHaveShortFactors() {
        var random = new Random(25519);
        for (int i = 0; i < TRIES; i++) {
            check(new BigInteger(1 + random.nextInt(253), random).mod(L));
        }
    }

    @Test
    void soHaveScalarsWithExtremeQuotients() {
        for (int bit = 0; bit < 253; bit++) {
            for (int less = -2; less <= 2; less++) {
                BigInteger near = BigInteger.ONE.shiftLeft(bit).add(BigInteger.valueOf(less));
                check(near.mod(L));
                check(L.subtract(near).mod(L));
                check(near.signum() > 0 ? L.divide(near).mod(L) : BigInteger.ZERO);
            }
        }
    }
}
