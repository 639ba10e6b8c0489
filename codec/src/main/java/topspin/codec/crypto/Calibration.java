package topspin.codec.crypto;

import java.util.Locale;

/**
 * What {@link SignatureEngine#calibrate} came to; {@link #toString} is one line for the log.
 *
 * @param lanes lanes of a vector; 0 where there are no vectors to try
 * @param signatures the outcome for signatures
 * @param scalarNanos time per signature without vectors; 0 if not measured
 * @param laneNanos time per signature with them; 0 if not measured
 * @param digests the outcome for digests
 * @param scalarDigestNanos time per digest without vectors; 0 if not measured
 * @param laneDigestNanos time per digest with them; 0 if not measured
 */
public record Calibration(
        int lanes,
        Outcome signatures,
        long scalarNanos,
        long laneNanos,
        Outcome digests,
        long scalarDigestNanos,
        long laneDigestNanos) {

    /** Why one engine is used and not the other. */
    public enum Outcome {
        /** The vectors gave the same results in less time and are used from now on. */
        FASTER("vector lanes"),
        /**
         * They gave the same results, but took longer: they are emulated, or the compiler cannot
         * use them.
         */
        SLOWER("scalar, as vectors are slower here"),
        /** They gave another result. This is a defect, of theirs or the compiler's. */
        DIFFERENT("scalar, as vectors gave WRONG RESULTS here; please report this"),
        /** The JVM was started without the vector module. */
        NO_MODULE("scalar, for want of --add-modules jdk.incubator.vector"),
        /** The machine has no vectors of 256 or 512 bits. */
        NO_WIDE_VECTORS("scalar, as this machine has no vectors of 256 or 512 bits");

        private final String text;

        Outcome(String text) {
            this.text = text;
        }
    }

    /**
     * Whether another try may come to something else: what was slower may not have been compiled
     * yet, as on a machine that starts under load.
     */
    public boolean isWorthRepeating() {
        return signatures == Outcome.SLOWER;
    }

    static Calibration without(Outcome reason) {
        return new Calibration(0, reason, 0, 0, reason, 0, 0);
    }

    @Override
    public String toString() {
        if (lanes == 0) {
            return "signatures and digests: " + signatures.text;
        }
        return "signatures: "
                + describe(signatures, scalarNanos, laneNanos)
                + "; digests: "
                + describe(digests, scalarDigestNanos, laneDigestNanos);
    }

    private String describe(Outcome outcome, long scalar, long lane) {
        if (scalar == 0) {
            return outcome.text + (lane == 0 ? "" : ", by orders of magnitude");
        }
        return String.format(
                Locale.ROOT,
                "%s (%.2f µs each in %d lanes, %.2f µs without)",
                outcome.text,
                lane / 1e3,
                lanes,
                scalar / 1e3);
    }
}
