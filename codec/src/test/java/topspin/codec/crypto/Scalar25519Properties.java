package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import static topspin.codec.crypto.Scalar25519.L;
import static topspin.codec.crypto.Scalar25519.WORDS;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.math.BigInteger;

/** Scalars against BigInteger. */
class Scalar25519Properties {
    private static final BigInteger R = BigInteger.ONE.shiftLeft(256);
    private static final BigInteger R_INVERSE = R.modInverse(L);

    @Provide
    Arbitrary<BigInteger> belowL() {
        return Arbitraries.oneOf(
                Arbitraries.bigIntegers().between(BigInteger.ZERO, L.subtract(BigInteger.ONE)),
                Arbitraries.integers().between(0, 3).map(BigInteger::valueOf),
                Arbitraries.integers().between(1, 3).map(n -> L.subtract(BigInteger.valueOf(n))),
                Arbitraries.integers().between(0, 251).map(BigInteger.ONE::shiftLeft));
    }

    @Provide
    Arbitrary<BigInteger> any256() {
        return Arbitraries.oneOf(
                Arbitraries.bigIntegers().between(BigInteger.ZERO, R.subtract(BigInteger.ONE)),
                Arbitraries.integers().between(1, 3).map(n -> R.subtract(BigInteger.valueOf(n))));
    }

    @Provide
    Arbitrary<byte[]> any512() {
        return Arbitraries.bytes().array(byte[].class).ofSize(64);
    }

    static BigInteger value(long[] words, int w) {
        BigInteger value = BigInteger.ZERO;
        for (int i = WORDS - 1; i >= 0; i--) {
            value = value.shiftLeft(64).or(new BigInteger(Long.toUnsignedString(words[w + i])));
        }
        return value;
    }

    @Property(tries = 2000)
    void montgomeryProductsAreExact(
            @ForAll("any256") BigInteger a, @ForAll("belowL") BigInteger b) {
        long[] x = Scalar25519.of(a);
        long[] y = Scalar25519.of(b);
        var product = new long[WORDS];
        Scalar25519.montgomery(product, 0, x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]);
        assertThat(value(product, 0)).isEqualTo(a.multiply(b).multiply(R_INVERSE).mod(L));
        Scalar25519.toMontgomery(x, 0);
        assertThat(value(x, 0)).isEqualTo(a.multiply(R).mod(L));
        Scalar25519.fromMontgomery(x, 0);
        assertThat(value(x, 0)).isEqualTo(a.mod(L));
    }

    @Property(tries = 2000)
    void sumsAndNegativesAreExact(@ForAll("belowL") BigInteger a, @ForAll("belowL") BigInteger b) {
        long[] x = Scalar25519.of(a);
        Scalar25519.add(x, 0, x, 0, Scalar25519.of(b), 0);
        assertThat(value(x, 0)).isEqualTo(a.add(b).mod(L));
        Scalar25519.negate(x, 0);
        assertThat(value(x, 0)).isEqualTo(a.add(b).negate().mod(L));
    }

    @Property(tries = 500)
    void digestsAreReduced(@ForAll("any512") byte[] digest) {
        var reversed = new byte[64];
        for (int i = 0; i < 64; i++) {
            reversed[i] = digest[63 - i];
        }
        var scalar = new long[WORDS];
        Scalar25519.reduce(scalar, 0, digest, 0, new long[WORDS], 0);
        assertThat(value(scalar, 0)).isEqualTo(new BigInteger(1, reversed).mod(L));
    }

    @Property(tries = 500)
    void digitsAddUpToTheScalar(@ForAll("belowL") BigInteger a) {
        long[] words = Scalar25519.of(a);
        for (int width : new int[] {5, 8}) {
            var digits = new byte[256 * 2];
            Scalar25519.nonAdjacentForm(
                    digits, 1, 2, width, words[0], words[1], words[2], words[3]);
            BigInteger sum = BigInteger.ZERO;
            int sinceLast = width;
            for (int i = 255; i >= 0; i--) {
                int digit = digits[1 + 2 * i];
                sum = sum.shiftLeft(1).add(BigInteger.valueOf(digit));
                assertThat(digit == 0 || ((digit & 1) == 1 && sinceLast >= width)).isTrue();
                assertThat(Math.abs(digit)).isLessThan(1 << (width - 1));
                sinceLast = digit == 0 ? sinceLast + 1 : 1;
            }
            assertThat(sum).isEqualTo(a);
        }
        var nibbles = new long[3 * WORDS];
        Scalar25519.signedNibbles(nibbles, 1, 3, words[0], words[1], words[2], words[3]);
        BigInteger sum = BigInteger.ZERO;
        for (int i = 63; i >= 0; i--) {
            long digit = ((nibbles[1 + 3 * (i >> 4)] >>> (4 * (i & 15))) & 15) - 8;
            sum = sum.shiftLeft(4).add(BigInteger.valueOf(digit));
        }
        assertThat(sum).isEqualTo(a);
    }

    @Property(tries = 2000)
    void scalarsComeOutOfTheirSignedNibbles(@ForAll("belowL") BigInteger a) {
        BigInteger eights = R.subtract(BigInteger.ONE).divide(BigInteger.valueOf(15)).shiftLeft(3);
        for (BigInteger signed : new BigInteger[] {a, a.negate()}) {
            long[] nibbles = Scalar25519.of(eights.add(signed));
            var scalar = new long[1 + WORDS];
            Scalar25519.ofSignedNibbles(scalar, 1, nibbles[0], nibbles[1], nibbles[2], nibbles[3]);
            assertThat(value(scalar, 1)).isEqualTo(signed.mod(L));
        }
    }

    @Property(tries = 500)
    void canonicalMeansBelowL(@ForAll("any256") BigInteger any, @ForAll("belowL") BigInteger a) {
        for (BigInteger value : new BigInteger[] {any, a, L, L.add(a).min(R.subtract(a))}) {
            var bytes = new byte[33];
            Scalar25519.toBytes(Scalar25519.of(value), 0, bytes, 1);
            assertThat(Scalar25519.isCanonical(bytes, 1)).isEqualTo(value.compareTo(L) < 0);
        }
    }
}
