package topspin.node.keys;

/** Participation keys that cannot be taken, in the reference's words. */
public final class KeyFault extends Exception {
    private static final long serialVersionUID = 1;

    KeyFault(String reason) {
        super(reason);
    }

    /** What is wrong. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
