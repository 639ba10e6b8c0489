package topspin.node.pool;

import topspin.ledger.rules.Refusal;

/**
 * Why the pool did not take a group: validation.md, sections 3 and 8, with the reference's words.
 */
public sealed interface PoolRefusal {
    /** What a client is told. */
    String text();

    /** Whether it may be right at another time or elsewhere. */
    Refusal.Kind kind();

    /** As many transactions wait as may. */
    record Full() implements PoolRefusal {
        @Override
        public String text() {
            return "TransactionPool.checkPendingQueueSize: transaction pool has reached capacity";
        }

        @Override
        public Refusal.Kind kind() {
            return Refusal.Kind.FOR_NOW;
        }
    }

    /**
     * Blocks' worth of transactions wait, and this one pays less for its bytes than asked then.
     *
     * @param fee what it pays
     * @param feePerByte what is asked for each of its {@code bytes}
     */
    record FeeBelowThreshold(long fee, long feePerByte, int bytes) implements PoolRefusal {
        @Override
        public String text() {
            return "TransactionPool.Remember: fee {"
                    + Long.toUnsignedString(fee)
                    + "} below threshold "
                    + Long.toUnsignedString(threshold(feePerByte, bytes))
                    + " ("
                    + feePerByte
                    + " per byte * "
                    + bytes
                    + " bytes)";
        }

        @Override
        public Refusal.Kind kind() {
            return Refusal.Kind.FOR_NOW;
        }

        boolean isBelow() {
            return Long.compareUnsigned(fee, threshold(feePerByte, bytes)) < 0;
        }

        static long threshold(long feePerByte, int bytes) {
            return Math.multiplyHigh(feePerByte, bytes) == 0 ? feePerByte * bytes : -1;
        }
    }

    /** It cannot be applied after all that wait. */
    record Inapplicable(Refusal refusal) implements PoolRefusal {
        @Override
        public String text() {
            return "TransactionPool.Remember: " + refusal.text();
        }

        @Override
        public Refusal.Kind kind() {
            return refusal.kind();
        }
    }
}
