package topspin.loadgen.client;

import io.netty.buffer.ByteBuf;

import java.util.Arrays;

/**
 * Bytes of a reply, in an array that grows and is used again. One request at a time may fill it.
 */
public final class Body {
    /** Bytes of the largest reply taken: a full block in JSON is below it. */
    public static final int BYTES_MAX = 64 << 20;

    private byte[] bytes;
    private int length;

    public Body(int bytesFirst) {
        bytes = new byte[bytesFirst];
    }

    /** The array, filled up to {@link #length}. */
    public byte[] bytes() {
        return bytes;
    }

    public int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    void append(ByteBuf source, int count) {
        if (count > BYTES_MAX - length) {
            throw new ReplyReader.MalformedReply("a body longer than " + BYTES_MAX + " bytes");
        }
        if (count > bytes.length - length) {
            bytes =
                    Arrays.copyOf(
                            bytes, Math.max(length + count, Math.min(bytes.length * 2, BYTES_MAX)));
        }
        source.readBytes(bytes, length, count);
        length += count;
    }
}
