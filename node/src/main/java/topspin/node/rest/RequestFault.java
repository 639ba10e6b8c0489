package topspin.node.rest;

/**
 * A request that cannot be served as it is: the client's fault or the state's, told in algod's
 * words. Has no stack; {@link Exchange} catches it in one place.
 */
public final class RequestFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final boolean early;

    public RequestFault(int status, String message) {
        this(status, message, false);
    }

    private RequestFault(int status, String message, boolean early) {
        super(message, null, false, false);
        this.status = status;
        this.early = early;
    }

    /** A path or query parameter that cannot be read. */
    static RequestFault parameter(String name, String detail) {
        return new RequestFault(400, "Invalid format for parameter " + name + ": " + detail, true);
    }

    /** Whether it stands before any handler, as far as the reference goes: then no compression. */
    boolean isEarly() {
        return early;
    }

    public int status() {
        return status;
    }

    /** What the client reads. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
