package topspin.ledger.rules;

import java.math.BigDecimal;

/** Money as the reference prints it in its messages (validation.md section 7). */
final class Amounts {
    private static final long MICRO_PER_MILLI = 1_000;
    private static final long MICRO_PER_ALGO = 1_000_000;

    private Amounts() {}

    /** {@code 0.0A}, {@code 999uA}, {@code 1.002mA}, {@code 2.000001A}. */
    static String text(long microAlgos) {
        if (microAlgos == 0) {
            return "0.0A";
        }
        if (Long.compareUnsigned(microAlgos, MICRO_PER_MILLI) < 0) {
            return microAlgos + "uA";
        }
        boolean milli = Long.compareUnsigned(microAlgos, MICRO_PER_ALGO) < 0;
        BigDecimal micros = new BigDecimal(Long.toUnsignedString(microAlgos));
        return micros.movePointLeft(milli ? 3 : 6).stripTrailingZeros().toPlainString()
                + (milli ? "mA" : "A");
    }
}
