package topspin.node.agreement;

/**
 * Where a message came from: a peer by its number, this node itself, or nobody in particular.
 *
 * @param peer number of a connection, positive
 */
public record Source(long peer) {
    /** This node made it, or it came back from the journal: relaying it is sending it to all. */
    public static final Source OWN = new Source(0);

    /** Kept from before: neither relayed as our own nor anybody's fault. */
    public static final Source NEUTRAL = new Source(-1);

    /** Whether there is a connection to hold to account. */
    public boolean isPeer() {
        return peer > 0;
    }
}
