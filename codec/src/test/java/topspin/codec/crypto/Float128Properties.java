package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.math.BigInteger;

/** Every operation against the exact result, rounded by the definition. */
class Float128Properties {
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

    /** Integers, and what operations make of them: significands of few bits, of many, of ones. */
    @Provide
    Arbitrary<Float128> numbers() {
        Arbitrary<Long> integers =
                Arbitraries.oneOf(
                        Arbitraries.longs(),
                        Arbitraries.longs().between(0, 20),
                        Arbitraries.integers().between(0, 63).map(n -> 1L << n),
                        Arbitraries.integers().between(1, 63).map(n -> (1L << n) - 1));
        return Combinators.combine(integers, integers, integers.filter(n -> n != 0), integers)
                .as(
                        (a, b, c, d) -> {
                            var product = new Float128();
                            product.setProduct(
                                    new Float128().setQuotient(a, c), new Float128().setInteger(b));
                            product.setSum(product, new Float128().setQuotient(d, c));
                            return product;
                        });
    }

    @Provide
    Arbitrary<Long> divisors() {
        return Arbitraries.oneOf(
                Arbitraries.longs().filter(n -> n != 0),
                Arbitraries.longs().between(1, 100),
                Arbitraries.integers().between(0, 63).map(n -> 1L << n),
                Arbitraries.integers().between(33, 63).map(n -> -1L << n),
                Arbitraries.integers().between(33, 63).map(n -> (1L << n) - 1));
    }

    @Property(tries = 5000)
    void quotientsAreRoundedExactly(@ForAll("divisors") long n, @ForAll("divisors") long d) {
        var expected = rounded(unsigned(n), unsigned(d));
        assertThat(describe(new Float128().setQuotient(n, d))).isEqualTo(expected);
        assertThat(describe(new Float128().setQuotient(unsigned(n), unsigned(d))))
                .isEqualTo(expected);
    }

    @Property(tries = 5000)
    void productsAreRoundedExactly(@ForAll("numbers") Float128 a, @ForAll("numbers") Float128 b) {
        BigInteger exact = a.significand().multiply(b.significand());
        var product = new Float128();
        product.setProduct(a, b);
        assertThat(describe(product)).isEqualTo(rounded(exact, a.exponent() + b.exponent()));
        product.set(a);
        product.setProduct(product, product);
        assertThat(describe(product)).isEqualTo(rounded(a.significand().pow(2), 2 * a.exponent()));
    }

    @Property(tries = 5000)
    void sumsAreRoundedExactly(@ForAll("numbers") Float128 a, @ForAll("numbers") Float128 b) {
        long e = Math.min(a.exponent(), b.exponent());
        BigInteger exact =
                a.significand()
                        .shiftLeft((int) (a.exponent() - e))
                        .add(b.significand().shiftLeft((int) (b.exponent() - e)));
        var sum = new Float128();
        sum.setSum(a, b);
        assertThat(describe(sum)).isEqualTo(rounded(exact, e));
        sum.set(b);
        sum.setSum(sum, a);
        assertThat(describe(sum)).isEqualTo(rounded(exact, e));
    }

    @Property
    void orderIsThatOfTheNumbers(@ForAll("numbers") Float128 a, @ForAll("numbers") Float128 b) {
        long e = Math.min(a.exponent(), b.exponent());
        int expected =
                a.significand()
                        .shiftLeft((int) (a.exponent() - e))
                        .compareTo(b.significand().shiftLeft((int) (b.exponent() - e)));
        assertThat(Integer.signum(a.compareTo(b))).isEqualTo(expected);
    }

    private static BigInteger unsigned(long value) {
        return BigInteger.valueOf(value).mod(TWO_64);
    }

    private static String describe(Float128 number) {
        return number.isZero() ? "0" : number.significand() + " * 2^" + number.exponent();
    }

    private static String rounded(BigInteger m, long e) {
        return rounded(m, BigInteger.ONE, e);
    }

    private static String rounded(BigInteger n, BigInteger d) {
        return rounded(n, d, 0);
    }

    /** n/d·2^e by the definition: scale until the quotient has 128 bits, round half to even. */
    private static String rounded(BigInteger n, BigInteger d, long e) {
        if (n.signum() == 0) {
            return "0";
        }
        while (n.divide(d).bitLength() > 128) {
            d = d.shiftLeft(1);
            e++;
        }
        while (n.divide(d).bitLength() < 128) {
            n = n.shiftLeft(1);
            e--;
        }
        BigInteger[] parts = n.divideAndRemainder(d);
        BigInteger m = parts[0];
        int half = parts[1].shiftLeft(1).compareTo(d);
        if (half > 0 || (half == 0 && m.testBit(0))) {
            m = m.add(BigInteger.ONE);
        }
        return m.bitLength() > 128 ? m.shiftRight(1) + " * 2^" + (e + 1) : m + " * 2^" + e;
    }
}
