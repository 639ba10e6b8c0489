package topspin.ledger.account;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;

/** Against numbers of any size. */
class Uint64Properties {
    private static final BigInteger MAX = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);

    @Property
    void sumsAndDifferences(@ForAll long a, @ForAll long b) {
        BigInteger sum = big(a).add(big(b));
        assertEquals(sum.compareTo(MAX) > 0, Uint64.addOverflows(a, b));
        assertEquals(sum.min(MAX), big(Uint64.saturatingAdd(a, b)));
        assertEquals(
                big(a).subtract(big(b)).max(BigInteger.ZERO), big(Uint64.saturatingSubtract(a, b)));
        assertEquals(big(a).compareTo(big(b)) < 0, Uint64.less(a, b));
        assertEquals(big(a).min(big(b)), big(Uint64.min(a, b)));
        assertEquals(big(a).max(big(b)), big(Uint64.max(a, b)));
    }

    @Property
    void products(@ForAll long a, @ForAll long b) {
        assertEquals(big(a).multiply(big(b)).min(MAX), big(Uint64.saturatingMultiply(a, b)));
    }

    @Property
    void quotientsOfLongProducts(@ForAll long a, @ForAll long b, @ForAll long divisor) {
        if (divisor == 0) {
            assertThrows(ArithmeticException.class, () -> Uint64.multiplyDivide(a, b, 0));
            return;
        }
        assertEquals(
                big(a).multiply(big(b)).divide(big(divisor)).min(MAX),
                big(Uint64.multiplyDivide(a, b, divisor)));
    }

    @Test
    void edges() {
        assertEquals(-1, Uint64.multiplyDivide(-1, -1, -1));
        assertEquals(-2, Uint64.multiplyDivide(-1, -2, -1));
        assertEquals(-1, Uint64.multiplyDivide(-1, -1, 1));
        assertEquals(0, Uint64.multiplyDivide(0, -1, 1));
        assertThrows(ArithmeticException.class, () -> Uint64.multiplyDivide(1, 1, 0));
        assertThrows(ArithmeticException.class, () -> Uint64.multiplyDivide(-1, -1, 0));
    }

    private static BigInteger big(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }
}
