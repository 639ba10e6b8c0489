package topspin.node.rest;

/**
 * A request that cannot be served as it is: the client's fault or the state's, told in algod's
 * words. Has no stack; {@link Exchange} catches it in one place.
 */
public final class RequestFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    public RequestFault(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    public int status() {
        return status;
    }

    /** What the client reads. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
