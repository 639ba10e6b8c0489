package topspin.node.sim;

/** A run that broke a rule. */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }
}
