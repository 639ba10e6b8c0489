package topspin.node.pool;

import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.BlockMaker;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.RoundState;

/**
 * The next block as far as the pool decides it: groups already evaluated on {@link #base}. Whoever
 * asked for it owns it and completes it on a thread of its own, since the commitments take their
 * time.
 */
public sealed interface Assembly {
    /** The state that the block follows. */
    RoundState base();

    /**
     * The block and what it changes. Dev mode: nobody proposes it.
     *
     * @param timestamp of the block, in seconds, as its maker wants it
     */
    EvaluatedBlock complete(long timestamp);

    /** Less than a block's worth waited: all of it. */
    record OfGroups(RoundState base, BlockEvaluator evaluator) implements Assembly {
        @Override
        public EvaluatedBlock complete(long timestamp) {
            return stamp(evaluator.finish(BlockMaker.devMode(base)), timestamp);
        }
    }

    /** More waited than fits; what does was completed when it was full. */
    record OfFullBlock(RoundState base, EvaluatedBlock block) implements Assembly {
        @Override
        public EvaluatedBlock complete(long timestamp) {
            return stamp(block, timestamp);
        }
    }

    private static EvaluatedBlock stamp(EvaluatedBlock evaluated, long timestamp) {
        BlockHeader.Draft header = evaluated.block().header().toDraft();
        header.timestamp = timestamp;
        return new EvaluatedBlock(
                new Block(header.build(), evaluated.block().transactions()), evaluated.delta());
    }
}
