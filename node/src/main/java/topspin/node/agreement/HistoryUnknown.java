package topspin.node.agreement;

/**
 * This node does not know, or knows no more, what it takes to judge a message. Nobody's fault: the
 * message is dropped.
 */
public final class HistoryUnknown extends Exception {
    private static final long serialVersionUID = 1;

    public HistoryUnknown(String message) {
        super(message, null, false, false);
    }
}
