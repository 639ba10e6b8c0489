package topspin.net.stream;

import com.github.luben.zstd.ZstdException;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.net.Tag;

/**
 * The form in which proposals travel between all nodes (gossip.md A.8): one zstd frame with its
 * size in the header. A plain body is a proposal too.
 */
final class Zstd {
    /** What a proposal may grow to, and so what a frame may say of itself. */
    static final int PLAIN_BYTES_MAX = Tag.PROPOSAL.bytesMax();

    /** As the reference packs, for speed. */
    private static final int LEVEL = 1;

    private static final int MAGIC = 0x28b52ffd;

    private Zstd() {}

    /** Whether a body begins as a frame does. */
    static boolean isFrame(ByteBuf body) {
        return body.readableBytes() >= Integer.BYTES && body.getInt(body.readerIndex()) == MAGIC;
    }

    /** Whether these bytes begin as a frame does. */
    static boolean isFrame(byte[] bytes, int offset, int length) {
        return length >= Integer.BYTES
                && bytes[offset] == MAGIC >> 24
                && bytes[offset + 1] == (byte) (MAGIC >> 16)
                && bytes[offset + 2] == (byte) (MAGIC >> 8)
                && bytes[offset + 3] == (byte) MAGIC;
    }

    /**
     * Bytes that are taken up to unpack a frame: what its header says, or the most there may be if
     * it does not say.
     *
     * @return -1 if the header is broken, or says more than {@link #PLAIN_BYTES_MAX}
     */
    static int plainBytes(byte[] frame) {
        long size = com.github.luben.zstd.Zstd.getFrameContentSize(frame);
        if (size < 0 || size > PLAIN_BYTES_MAX) {
            return -1;
        }
        return size == 0 ? PLAIN_BYTES_MAX : (int) size;
    }

    /**
     * The bytes in a frame.
     *
     * @param plainBytes as {@link #plainBytes} says
     * @return null if it is broken, or would grow beyond that
     */
    static byte @Nullable [] unpack(byte[] frame, int plainBytes) {
        try {
            return com.github.luben.zstd.Zstd.decompress(frame, plainBytes);
        } catch (ZstdException broken) {
            return null;
        }
    }

    /** How many bytes a frame with so many in it may take. */
    static int packedBytesMax(int length) {
        return Math.toIntExact(com.github.luben.zstd.Zstd.compressBound(length));
    }

    /**
     * Writes one frame with these bytes to the start of {@code frame}.
     *
     * @param frame of {@link #packedBytesMax} bytes or more
     * @return its length
     */
    static int pack(byte[] bytes, int offset, int length, byte[] frame) {
        long packed =
                com.github.luben.zstd.Zstd.compressByteArray(
                        frame, 0, frame.length, bytes, offset, length, LEVEL);
        if (com.github.luben.zstd.Zstd.isError(packed)) {
            throw new AssertionError(com.github.luben.zstd.Zstd.getErrorName(packed));
        }
        return (int) packed;
    }
}
