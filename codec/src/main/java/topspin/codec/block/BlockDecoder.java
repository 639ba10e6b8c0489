package topspin.codec.block;

import topspin.codec.msgpack.MalformedMessage;

/** Strict decoder of canonical blocks. One per thread. */
public final class BlockDecoder {
    /** Decodes a block; its transactions are restored with the header's genesis id and hash. */
    public Block decodeBlock(byte[] bytes, int offset, int length) throws MalformedMessage {
        if (length == 0) {
            throw new MalformedMessage("no block", offset);
        }
        throw new UnsupportedOperationException("to come");
    }

    /** Decodes a header. */
    public BlockHeader decodeHeader(byte[] bytes, int offset, int length) throws MalformedMessage {
        if (length == 0) {
            throw new MalformedMessage("no header", offset);
        }
        throw new UnsupportedOperationException("to come");
    }

    /** Decodes a header. */
    public BlockHeader decodeHeader(byte[] bytes) throws MalformedMessage {
        return decodeHeader(bytes, 0, bytes.length);
    }
}
