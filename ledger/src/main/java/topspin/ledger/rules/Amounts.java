package topspin.ledger.rules;

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
        long unit = milli ? MICRO_PER_MILLI : MICRO_PER_ALGO;
        StringBuilder text = new StringBuilder(24);
        text.append(Long.toUnsignedString(Long.divideUnsigned(microAlgos, unit)));
        long fraction = Long.remainderUnsigned(microAlgos, unit);
        if (fraction != 0) {
            // All digits or none: 99.800000A, but 99A.
            text.append('.').append(Long.toString(unit + fraction), 1, milli ? 4 : 7);
        }
        return text.append(milli ? "mA" : "A").toString();
    }
}
