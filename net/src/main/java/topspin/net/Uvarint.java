package topspin.net;

import io.netty.buffer.ByteBuf;

/**
 * Unsigned integers, seven bits to a byte, least significant first, as every layer here uses them.
 */
public final class Uvarint {
    /** Bytes of the longest one. */
    public static final int BYTES_MAX = 10;

    private Uvarint() {}

    /** Bytes that {@code value}, taken as unsigned, needs: 1 to 10. */
    public static int size(long value) {
        return (Long.SIZE + 6 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }

    /** Appends the shortest form. */
    public static void write(long value, ByteBuf target) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            target.writeByte((int) (rest | 0x80));
            rest >>>= 7;
        }
        target.writeByte((int) rest);
    }

    /** Writes the shortest form at {@code position}; returns the position after it. */
    public static int write(long value, byte[] target, int position) {
        int at = position;
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            target[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[at++] = (byte) rest;
        return at;
    }
}
