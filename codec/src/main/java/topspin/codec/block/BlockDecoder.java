package topspin.codec.block;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.txn.BlockTransaction;

import java.util.List;

/**
 * Reads canonical blocks and headers, and refuses all others with a reason and an offset: what it
 * takes, {@link BlockEncoder} turns back into the same bytes. One per thread. What it returns
 * points into the array read, which must not change afterwards.
 */
public final class BlockDecoder {
    private final MsgpackReader in = new MsgpackReader();
    private final BlockFields fields = new BlockFields(in);

    /**
     * Decodes a block, and nothing behind. Its transactions get back the genesis id and hash that
     * the header says.
     */
    public Block decodeBlock(byte[] bytes, int offset, int length) throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            return readBlock();
        } finally {
            in.release();
        }
    }

    /** Decodes a block, and nothing behind. */
    public Block decodeBlock(byte[] bytes) throws MalformedMessage {
        return decodeBlock(bytes, 0, bytes.length);
    }

    /** Decodes a header, and nothing behind. */
    public BlockHeader decodeHeader(byte[] bytes, int offset, int length) throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            int outer = in.openMap();
            var draft = new BlockHeader.Draft();
            readHeader(draft);
            fields.readUpgrade(draft);
            in.closeElement(outer);
            refuseRest();
            return draft.build();
        } finally {
            in.release();
        }
    }

    /** Decodes a header, and nothing behind. */
    public BlockHeader decodeHeader(byte[] bytes) throws MalformedMessage {
        return decodeHeader(bytes, 0, bytes.length);
    }

    private Block readBlock() throws MalformedMessage {
        int outer = in.openMap();
        var draft = new BlockHeader.Draft();
        readHeader(draft);
        List<BlockTransaction> transactions = fields.readTransactions(draft);
        fields.readUpgrade(draft);
        in.closeElement(outer);
        refuseRest();
        return new Block(draft.build(), transactions);
    }

    /** All of a header that stands before the transactions. */
    private void readHeader(BlockHeader.Draft draft) throws MalformedMessage {
        fields.readToNextProtocol(draft);
        fields.readToProposer(draft);
        fields.readToRewards(draft);
        fields.readToRoots(draft);
    }

    private void refuseRest() throws MalformedMessage {
        if (!in.atEnd()) {
            throw in.malformed("bytes behind the end", in.position());
        }
    }
}
