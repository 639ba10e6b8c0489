package topspin.node.agreement;

/**
 * More of the stake votes twice than agreement can stand, so that no vote means anything any more:
 * the node stops.
 */
public final class SafetyLost extends IllegalStateException {
    private static final long serialVersionUID = 1;

    SafetyLost(String message) {
        super(message);
    }
}
