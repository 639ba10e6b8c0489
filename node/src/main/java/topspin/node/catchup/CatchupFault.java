package topspin.node.catchup;

/**
 * Why a node cannot follow its producer, or its peers, any further: a block that breaks the rules,
 * a second one for a round, or rounds that are kept no longer. Going on would show users a state
 * that is not the network's. The message names the round, the transaction where it is one's fault,
 * and the reason.
 */
public final class CatchupFault extends Exception {
    private static final long serialVersionUID = 1L;

    CatchupFault(long round, String source, String reason) {
        super(
                "cannot follow "
                        + source
                        + ": round "
                        + Long.toUnsignedString(round)
                        + ": "
                        + reason);
    }
}
