package topspin.codec.block;

import topspin.codec.txn.BlockTransaction;

import java.util.List;

/** A header and the transactions it commits to, in order. */
public record Block(BlockHeader header, List<BlockTransaction> transactions) {
    /** Most transactions that a block may hold, as far as decoding goes. */
    public static final int TRANSACTIONS_MAX = 100_000;

    /** Most bytes that the transactions of a block may take together (block.md section 1). */
    public static final int TRANSACTIONS_BYTES_MAX = 5_242_880;

    public Block {
        transactions = List.copyOf(transactions);
    }

    public long round() {
        return header.round();
    }
}
