package topspin.codec.msgpack;

/**
 * Bytes that are not what they claim to be: the one exception that decoding raises. It has no stack
 * trace, because peers cause it; it says what is wrong and where.
 */
public final class MalformedMessage extends Exception {
    private static final long serialVersionUID = 1L;

    private final int offset;

    /**
     * @param offset of the first byte of the offending item, counted from the start of the message
     */
    public MalformedMessage(String reason, int offset) {
        super(reason, null, false, false);
        this.offset = offset;
    }

    public int offset() {
        return offset;
    }

    /** What is wrong, without the place. */
    public String reason() {
        return String.valueOf(super.getMessage());
    }

    @Override
    public String getMessage() {
        return reason() + " at byte " + offset;
    }
}
