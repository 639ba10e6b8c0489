package topspin.loadgen.client;

/**
 * Told what became of each submitted slot: exactly one call for each, on the event loop. A slot is
 * one request: a transaction, or a group.
 */
public interface SubmitListener {
    /** Answered 200 at {@code atNanos}. */
    void accepted(long slot, long atNanos);

    /** Answered otherwise; {@code message} is what the node says. */
    void refused(long slot, int status, String message);

    /** Never answered: the connection was lost, so that the node may have it or not. */
    void unanswered(long slot, String reason);
}
