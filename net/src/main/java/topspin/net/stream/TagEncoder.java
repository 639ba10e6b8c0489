package topspin.net.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import topspin.net.Tag;

/** Makes frames: length, tag, body. */
public final class TagEncoder {
    /** Bytes in front of a body: the length, which does not count itself, and the tag. */
    static final int HEADER_BYTES = Integer.BYTES + Tag.BYTES;

    /** Where frames are packed; each grows to the largest proposal, some megabytes. */
    private static final ThreadLocal<byte[]> BUFFERS = ThreadLocal.withInitial(() -> new byte[0]);

    private TagEncoder() {}

    /**
     * One frame, the caller's to release. A proposal is packed, see {@link Zstd}.
     *
     * @throws IllegalArgumentException if the body is longer than its tag allows: no peer would
     *     take it
     */
    public static ByteBuf frame(
            ByteBufAllocator allocator, Tag tag, byte[] body, int offset, int length) {
        if (length > tag.bytesMax() || Tag.BYTES + length > Tag.FRAME_BYTES_MAX) {
            throw new IllegalArgumentException(tag + " of " + length + " bytes");
        }
        if (tag == Tag.PROPOSAL && !Zstd.isFrame(body, offset, length)) {
            byte[] packed = buffer(Zstd.packedBytesMax(length));
            int packedLength = Zstd.pack(body, offset, length, packed);
            if (packedLength <= tag.bytesMax()) { // Bytes of chance can grow a little.
                return plain(allocator, tag, packed, 0, packedLength);
            }
        }
        return plain(allocator, tag, body, offset, length);
    }

    private static byte[] buffer(int length) {
        byte[] buffer = BUFFERS.get();
        if (buffer.length < length) {
            buffer = new byte[length];
            BUFFERS.set(buffer);
        }
        return buffer;
    }

    private static ByteBuf plain(
            ByteBufAllocator allocator, Tag tag, byte[] body, int offset, int length) {
        ByteBuf frame = allocator.directBuffer(HEADER_BYTES + length, HEADER_BYTES + length);
        frame.writeInt(Tag.BYTES + length);
        frame.writeShort(tag.code());
        frame.writeBytes(body, offset, length);
        return frame;
    }
}
