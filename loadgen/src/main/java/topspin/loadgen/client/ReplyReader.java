package topspin.loadgen.client;

import io.netty.buffer.ByteBuf;

import java.util.Locale;

/**
 * Reads HTTP/1.1 replies out of a stream of bytes, one after the other, as a pipelining client
 * needs them. Owned by one connection and its event loop; a reply leaves no garbage.
 */
final class ReplyReader {
    /** Bytes of the longest header line taken. */
    static final int LINE_BYTES_MAX = 16 * 1024;

    /** Header lines of a reply, trailers included. */
    static final int LINES_MAX = 128;

    /** What a reply is told to, in this order, for each reply. */
    interface Sink {
        /** A final status line has been read, 200 to 599. */
        void began(int status);

        /**
         * The next {@code length} bytes of the body; the sink reads them from {@code bytes}, all.
         */
        void body(ByteBuf bytes, int length);

        /** The reply is whole; {@code reusable} says whether the connection outlives it. */
        void ended(boolean reusable);
    }

    /** Bytes that are no HTTP/1.1 reply. The connection they came on is of no further use. */
    static final class MalformedReply extends RuntimeException {
        private static final long serialVersionUID = 1;

        MalformedReply(String reason) {
            super(reason, null, false, false);
        }
    }

    private enum State {
        STATUS,
        HEADER,
        BODY,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILER,
        UNTIL_CLOSE
    }

    private static final byte[] CONTENT_LENGTH = lower("content-length");
    private static final byte[] TRANSFER_ENCODING = lower("transfer-encoding");
    private static final byte[] CONNECTION = lower("connection");
    private static final byte[] CHUNKED = lower("chunked");
    private static final byte[] CLOSE = lower("close");

    private final Sink sink;
    private State state = State.STATUS;
    private int status;
    private int lines;
    private long remaining;
    private boolean chunked;
    private boolean lengthKnown;
    private boolean reusable;

    ReplyReader(Sink sink) {
        this.sink = sink;
    }

    /**
     * Takes all of {@code in} but an unfinished line, which stays for the next call.
     *
     * @throws MalformedReply if the bytes are not a reply; the reader is of no use afterwards
     */
    void read(ByteBuf in) {
        while (in.isReadable() || finishesWithoutBytes()) {
            switch (state) {
                case BODY -> {
                    if (!takeBody(in)) {
                        finish();
                    }
                }
                case CHUNK -> {
                    if (!takeBody(in)) {
                        state = State.CHUNK_END;
                    }
                }
                case UNTIL_CLOSE -> sink.body(in, in.readableBytes());
                case STATUS, HEADER, CHUNK_SIZE, CHUNK_END, TRAILER -> {
                    int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
                    if (end < 0) {
                        check(in.readableBytes() <= LINE_BYTES_MAX, "a header line is too long");
                        return;
                    }
                    int start = in.readerIndex();
                    int length = end - start;
                    if (length > 0 && in.getByte(end - 1) == '\r') {
                        length--;
                    }
                    takeLine(in, start, length);
                    in.readerIndex(end + 1);
                    if (state == State.HEADER && lines < 0) {
                        beginBody();
                    }
                }
            }
        }
    }

    /** The peer closed: ends a reply that lasts until then, and says whether one is cut short. */
    boolean closeCutsAReply() {
        if (state == State.UNTIL_CLOSE) {
            reusable = false;
            finish();
            return false;
        }
        return state != State.STATUS;
    }

    private boolean finishesWithoutBytes() {
        return remaining == 0 && (state == State.BODY || state == State.CHUNK);
    }

    /** Whether more of the body is to come. */
    private boolean takeBody(ByteBuf in) {
        int length = (int) Math.min(remaining, in.readableBytes());
        if (length > 0) {
            sink.body(in, length);
            remaining -= length;
        }
        return remaining > 0;
    }

    private void finish() {
        state = State.STATUS;
        sink.ended(reusable);
    }

    private void takeLine(ByteBuf in, int start, int length) {
        switch (state) {
            case STATUS -> {
                check(length >= 12 && startsWithHttp(in, start), "no HTTP/1.1 status line");
                status = (int) number(in, start + 9, 3, 10);
                check(status >= 100 && status <= 599, "a status that HTTP does not know");
                lines = 0;
                chunked = false;
                lengthKnown = false;
                remaining = 0;
                reusable = in.getByte(start + 7) == '1';
                state = State.HEADER;
            }
            case HEADER -> {
                if (length == 0) {
                    lines = -1; // The head is whole.
                    return;
                }
                check(++lines <= LINES_MAX, "too many header lines");
                takeHeader(in, start, length);
            }
            case CHUNK_SIZE -> {
                int digits = 0;
                while (digits < length && Character.digit(in.getByte(start + digits), 16) >= 0) {
                    digits++;
                }
                check(digits > 0 && digits <= 8, "no chunk size");
                remaining = number(in, start, digits, 16);
                lines = 0;
                state = remaining == 0 ? State.TRAILER : State.CHUNK;
            }
            case CHUNK_END -> {
                check(length == 0, "a chunk is longer than it said");
                state = State.CHUNK_SIZE;
            }
            case TRAILER -> {
                check(++lines <= LINES_MAX, "too many trailer lines");
                if (length == 0) {
                    finish();
                }
            }
            case BODY, CHUNK, UNTIL_CLOSE -> throw new AssertionError(state);
        }
    }

    private void takeHeader(ByteBuf in, int start, int length) {
        int colon = in.indexOf(start, start + length, (byte) ':');
        check(colon > start, "a header line without a name");
        int name = colon - start;
        int value = colon + 1;
        int end = start + length;
        while (value < end && in.getByte(value) == ' ') {
            value++;
        }
        if (equalsIgnoringCase(in, start, name, CONTENT_LENGTH)) {
            int digits = end - value;
            check(digits > 0 && digits <= 12, "no content length");
            remaining = number(in, value, digits, 10);
            lengthKnown = true;
        } else if (equalsIgnoringCase(in, start, name, TRANSFER_ENCODING)) {
            check(equalsIgnoringCase(in, value, end - value, CHUNKED), "an unknown encoding");
            chunked = true;
        } else if (equalsIgnoringCase(in, start, name, CONNECTION)) {
            reusable &= !equalsIgnoringCase(in, value, end - value, CLOSE);
        }
    }

    private void beginBody() {
        if (status < 200) {
            state = State.STATUS; // 100 Continue and its like announce the reply proper.
            return;
        }
        sink.began(status);
        if (status == 204 || status == 304) {
            finish();
        } else if (chunked) {
            state = State.CHUNK_SIZE;
        } else if (lengthKnown) {
            state = State.BODY;
        } else {
            state = State.UNTIL_CLOSE;
        }
    }

    private static boolean startsWithHttp(ByteBuf in, int start) {
        return in.getInt(start) == 0x48545450 // "HTTP"
                && in.getByte(start + 4) == '/'
                && in.getByte(start + 5) == '1'
                && in.getByte(start + 6) == '.'
                && in.getByte(start + 8) == ' ';
    }

    private static long number(ByteBuf in, int start, int digits, int radix) {
        long number = 0;
        for (int i = 0; i < digits; i++) {
            int digit = Character.digit(in.getByte(start + i), radix);
            check(digit >= 0, "no number where one must be");
            number = number * radix + digit;
        }
        return number;
    }

    private static boolean equalsIgnoringCase(ByteBuf in, int start, int length, byte[] lowerCase) {
        if (length != lowerCase.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            byte b = in.getByte(start + i);
            if ((b >= 'A' && b <= 'Z' ? b + 32 : b) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    private static byte[] lower(String text) {
        return text.toLowerCase(Locale.ROOT).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    private static void check(boolean holds, String reason) {
        if (!holds) {
            throw new MalformedReply(reason);
        }
    }
}
