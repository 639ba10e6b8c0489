package topspin.net.p2p;

import io.netty.buffer.ByteBuf;

/** How Noise messages lie in a stream: a 2-byte big-endian length before each. */
final class NoiseFrame {
    private NoiseFrame() {}

    /**
     * Moves behind the length of a message that is all there.
     *
     * @return its bytes; -1, nothing moved, if more must come first
     */
    static int length(ByteBuf bytes) {
        int here = bytes.readableBytes() - Short.BYTES;
        return here < 0 || here < bytes.getUnsignedShort(bytes.readerIndex())
                ? -1
                : bytes.readUnsignedShort();
    }
}
