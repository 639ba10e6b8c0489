package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.msgpack.MalformedMessage;
import topspin.ledger.Ledger;

/**
 * Blocks as they are stored, and decoded. Keeps the last one decoded: whoever submitted a group
 * asks for its members one by one. Any thread.
 */
final class Blocks {
    private final Ledger ledger;
    private volatile @Nullable Block last;

    Blocks(Ledger ledger) {
        this.ledger = ledger;
    }

    /** The stored bytes of a block, or null when there is none of that round here. */
    byte @Nullable [] stored(long round) {
        return round < 0 ? null : ledger.blockBytes(round);
    }

    /** The stored bytes of a certificate; every block here has one. */
    byte[] certificate(long round) {
        byte[] bytes = ledger.certificateBytes(round);
        if (bytes == null) {
            throw new RequestFault(404, BlockRoutes.NOT_FOUND); // Pruned a moment ago.
        }
        return bytes;
    }

    /** A block, decoded, or null when there is none of that round here. */
    @Nullable Block decoded(long round) {
        Block known = last;
        if (known != null && known.round() == round) {
            return known;
        }
        byte[] bytes = stored(round);
        if (bytes == null) {
            return null;
        }
        try {
            Block block = new BlockDecoder().decodeBlock(bytes, 0, bytes.length);
            last = block;
            return block;
        } catch (MalformedMessage damaged) {
            throw new IllegalStateException("the stored block " + round + " is damaged", damaged);
        }
    }
}
