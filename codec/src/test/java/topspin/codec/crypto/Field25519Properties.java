package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import static topspin.codec.crypto.Field25519.LIMBS;
import static topspin.codec.crypto.Field25519.P;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import java.math.BigInteger;
import java.util.Arrays;

/** The field against BigInteger, at the very bounds of its limbs. */
class Field25519Properties {
    private static final long REDUCED = (1L << 51) + (1L << 16);

    @Provide
    Arbitrary<long[]> reduced() {
        return limbs(REDUCED);
    }

    @Provide
    Arbitrary<long[]> sumsOfTwo() {
        return limbs(2 * REDUCED);
    }

    @Provide
    Arbitrary<long[]> sumsOfFour() {
        return limbs(4 * REDUCED);
    }

    private static Arbitrary<long[]> limbs(long bound) {
        return Arbitraries.frequencyOf(
                        Tuple.of(2, Arbitraries.of(bound, -bound, 0L, bound - 1)),
                        Tuple.of(3, Arbitraries.longs().between(-bound, bound)))
                .array(long[].class)
                .ofSize(LIMBS);
    }

    private static BigInteger value(long[] element, int e) {
        BigInteger value = BigInteger.ZERO;
        for (int i = LIMBS - 1; i >= 0; i--) {
            value = value.shiftLeft(51).add(BigInteger.valueOf(element[e + i]));
        }
        return value.mod(P);
    }

    private static void assertReduced(long[] element) {
        for (long limb : element) {
            assertThat(Math.abs(limb)).isLessThanOrEqualTo(REDUCED);
        }
    }

    @Property(tries = 2000)
    void productsAreExactAndReduced(
            @ForAll("sumsOfFour") long[] a, @ForAll("sumsOfFour") long[] b) {
        var product = new long[LIMBS];
        Field25519.multiply(product, 0, a, 0, b, 0);
        assertThat(value(product, 0)).isEqualTo(value(a, 0).multiply(value(b, 0)).mod(P));
        assertReduced(product);
    }

    @Property(tries = 2000)
    void squaresAreExactAndReduced(@ForAll("sumsOfTwo") long[] a) {
        var square = new long[LIMBS];
        Field25519.square(square, 0, a, 0);
        assertThat(value(square, 0)).isEqualTo(value(a, 0).pow(2).mod(P));
        assertReduced(square);
        Field25519.square(square, 0, a, 0, 5);
        assertThat(value(square, 0)).isEqualTo(value(a, 0).modPow(BigInteger.ONE.shiftLeft(5), P));
        assertReduced(square);
    }

    @Property(tries = 1000)
    void sumsDifferencesAndCarriesKeepTheValue(
            @ForAll("sumsOfTwo") long[] a, @ForAll("sumsOfTwo") long[] b) {
        var result = new long[LIMBS];
        Field25519.add(result, 0, a, 0, b, 0);
        assertThat(value(result, 0)).isEqualTo(value(a, 0).add(value(b, 0)).mod(P));
        Field25519.subtract(result, 0, a, 0, b, 0);
        assertThat(value(result, 0)).isEqualTo(value(a, 0).subtract(value(b, 0)).mod(P));
        Field25519.negate(result, 0, result, 0);
        assertThat(value(result, 0)).isEqualTo(value(b, 0).subtract(value(a, 0)).mod(P));
    }

    @Property(tries = 1000)
    void wordsAreTheOneRepresentativeBelowP(@ForAll("sumsOfFour") long[] a) {
        var words = new long[4];
        Field25519.toWords(words, 0, a, 0);
        BigInteger canonical = Scalar25519Properties.value(words, 0);
        assertThat(canonical).isEqualTo(value(a, 0));
        var back = new long[LIMBS];
        Field25519.fromWords(back, 0, words[0], words[1], words[2], words[3]);
        assertThat(back).isEqualTo(Field25519.of(canonical));
        assertThat(Field25519.isZero(a, 0, words, 0)).isEqualTo(canonical.signum() == 0);
    }

    @Property
    void multiplesOfPAreZero(@ForAll("smallMultiples") int n) {
        var element = new long[LIMBS];
        Arrays.setAll(element, i -> n * ((1L << 51) - (i == 0 ? 19 : 1)));
        assertThat(Field25519.isZero(element, 0, new long[4], 0)).isTrue();
    }

    @Provide
    Arbitrary<Integer> smallMultiples() {
        return Arbitraries.integers().between(-7, 7);
    }

    @Property(tries = 200)
    void powersAreExact(@ForAll("reduced") long[] a) {
        var result = new long[LIMBS];
        var scratch = new long[3 * LIMBS];
        Field25519.invert(result, 0, a, 0, scratch, 0);
        assertThat(value(result, 0)).isEqualTo(value(a, 0).modPow(P.subtract(BigInteger.TWO), P));
        Field25519.powerForRoot(result, 0, a, 0, scratch, 0);
        BigInteger exponent = P.subtract(BigInteger.valueOf(5)).shiftRight(3);
        assertThat(value(result, 0)).isEqualTo(value(a, 0).modPow(exponent, P));
    }
}
