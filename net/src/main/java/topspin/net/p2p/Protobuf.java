package topspin.net.p2p;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.net.Uvarint;

/**
 * As much of protocol buffers as peers speak: varints, and fields with a length. A reader is a loop
 * over {@link #tag}, then {@link #length} or {@link #skip}; what cannot be read is -1.
 */
public final class Protobuf {
    public static final int VARINT = 0;
    public static final int FIXED64 = 1;
    public static final int BYTES = 2;
    public static final int FIXED32 = 5;

    /** What a reading method returns when the message is malformed. */
    public static final int MALFORMED = -1;

    private static final long VALUE_MALFORMED = Long.MIN_VALUE;

    private Protobuf() {}

    /** The tag of a field: its number, and the form of its value. */
    public static int tag(int number, int form) {
        return (number << 3) | form;
    }

    /** Reads the tag of the next field; numbers are 1 to 2^28 - 1. */
    public static int tag(ByteBuf message) {
        long tag = varint(message);
        return tag < 1 << 3 || tag > Integer.MAX_VALUE ? MALFORMED : (int) tag;
    }

    /** Reads the length of a value, no more than what is left. */
    public static int length(ByteBuf message) {
        long length = varint(message);
        return length < 0 || length > message.readableBytes() ? MALFORMED : (int) length;
    }

    /** Reads a value of bytes; null if it is cut short. */
    public static byte @Nullable [] bytes(ByteBuf message) {
        int length = length(message);
        if (length < 0) {
            return null;
        }
        byte[] value = new byte[length];
        message.readBytes(value);
        return value;
    }

    /**
     * Reads a number below 2^63.
     *
     * @return a negative one if there is none
     */
    public static long varint(ByteBuf message) {
        long value = 0;
        int end = message.writerIndex();
        int at = message.readerIndex();
        for (int shift = 0; shift < Long.SIZE - 1 && at < end; shift += 7) {
            byte next = message.getByte(at++);
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                message.readerIndex(at);
                return value;
            }
        }
        return VALUE_MALFORMED;
    }

    /** Moves behind the value of a field that is of no use; false if it is malformed. */
    public static boolean skip(int tag, ByteBuf message) {
        int bytes =
                switch (tag & 7) {
                    case VARINT -> skipVarint(message) ? 0 : MALFORMED;
                    case FIXED64 -> Long.BYTES;
                    case BYTES -> length(message);
                    case FIXED32 -> Integer.BYTES;
                    default -> MALFORMED;
                };
        if (bytes < 0 || bytes > message.readableBytes()) {
            return false;
        }
        message.skipBytes(bytes);
        return true;
    }

    private static boolean skipVarint(ByteBuf message) {
        for (int count = 0; count < Uvarint.BYTES_MAX && message.isReadable(); count++) {
            if (message.readByte() >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Appends a field with a value of bytes. */
    public static void write(int number, byte[] value, ByteBuf message) {
        Uvarint.write(tag(number, BYTES), message);
        Uvarint.write(value.length, message);
        message.writeBytes(value);
    }

    /** Bytes that {@link #write} appends for a value of this length, for numbers up to 15. */
    public static int size(int length) {
        return 1 + Uvarint.size(length) + length;
    }
}
