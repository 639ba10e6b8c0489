package topspin.node.pool;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.BlockMaker;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.RoundState;
import topspin.ledger.StateDelta;
import topspin.ledger.account.Account;

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

    /**
     * The block as one account proposes it; may be asked for several, one after the other.
     *
     * @param timestamp of the block, in seconds, as its maker wants it
     */
    Proposed propose(BlockMaker maker, long timestamp);

    /**
     * Lets the pool take offers before the round is done; they are not for this block. Any thread;
     * at most once.
     */
    void release();

    /**
     * A block that is proposed.
     *
     * @param delta what it changes, or null if only evaluating it will tell
     */
    record Proposed(Block block, @Nullable StateDelta delta) {}

    /** Less than a block's worth waited: all of it. */
    record OfGroups(RoundState base, BlockEvaluator evaluator, Runnable returned)
            implements Assembly {
        @Override
        public EvaluatedBlock complete(long timestamp) {
            EvaluatedBlock made = evaluator.finish(BlockMaker.devMode(base));
            BlockHeader.Draft header = made.block().header().toDraft();
            header.timestamp = timestamp;
            return new EvaluatedBlock(withHeader(made.block(), header), made.delta());
        }

        @Override
        public Proposed propose(BlockMaker maker, long timestamp) {
            EvaluatedBlock made = evaluator.finish(maker);
            BlockHeader.Draft header = made.block().header().toDraft();
            header.timestamp = timestamp;
            return new Proposed(withHeader(made.block(), header), made.delta());
        }

        @Override
        public void release() {
            returned.run();
        }
    }

    /**
     * More waited than fits; what does was completed when it was full.
     *
     * @param payoutMax what its proposer may be paid, in microalgos
     */
    record OfFullBlock(RoundState base, EvaluatedBlock block, long payoutMax, Runnable returned)
            implements Assembly {
        @Override
        public EvaluatedBlock complete(long timestamp) {
            BlockHeader.Draft header = block.block().header().toDraft();
            header.timestamp = timestamp;
            return new EvaluatedBlock(withHeader(block.block(), header), block.delta());
        }

        @Override
        public Proposed propose(BlockMaker maker, long timestamp) {
            BlockHeader.Draft header = block.block().header().toDraft();
            header.timestamp = timestamp;
            header.seed = maker.seed();
            header.proposer = maker.proposer();
            header.payout = maker.payoutEligible() && isOpen(maker.proposer()) ? payoutMax : 0;
            return new Proposed(withHeader(block.block(), header), null);
        }

        /** Whether an account exists at the end of the block. */
        private boolean isOpen(Address address) {
            Account last = base.account(address);
            for (StateDelta.AccountChange change : block.delta().accounts()) {
                last = change.address().equals(address) ? change.after() : last;
            }
            return !last.isEmpty();
        }

        @Override
        public void release() {
            returned.run();
        }
    }

    private static Block withHeader(Block block, BlockHeader.Draft header) {
        return new Block(header.build(), block.transactions());
    }
}
