package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

/**
 * Where the state is kept from which our votes would be made again (agreement.md 8.4). Losing it
 * while keeping the keys can make the node vote twice.
 */
public interface Journal {
    /** Told how a write ended; on any thread. */
    interface Listener {
        /**
         * @param fault what stood in the way, or null
         */
        void onWritten(long number, @Nullable String fault);
    }

    /** The bytes of the latest state that is durable, or null. */
    byte @Nullable [] load();

    /**
     * Replaces the state, once the ledger holds the round before durably; writes happen in order.
     * {@link AgreementLoop#onWritten} tells when it is durable, or will not be.
     *
     * @param round of the state
     * @param number of the write, one more than the last
     */
    void write(long round, SavedState state, long number);
}
