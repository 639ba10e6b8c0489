package topspin.ledger.account;

/** Whether an account takes part in agreement. The code is what genesis files and views carry. */
public enum Status {
    OFFLINE(0, "Offline"),
    ONLINE(1, "Online"),
    /** Earns no rewards and can never be anything else: the fee sink, the rewards pool. */
    NOT_PARTICIPATING(2, "Not Participating");

    private static final Status[] BY_CODE = values();

    private final int code;
    private final String text;

    Status(int code, String text) {
        this.code = code;
        this.text = text;
    }

    public int code() {
        return code;
    }

    /**
     * @param code 0, 1 or 2
     * @throws IllegalArgumentException for any other number
     */
    public static Status ofCode(long code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("no such account status: " + code);
        }
        return BY_CODE[(int) code];
    }

    /** As account views and refusals print it. */
    @Override
    public String toString() {
        return text;
    }
}
