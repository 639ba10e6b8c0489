package topspin.node.pool;

import org.jspecify.annotations.Nullable;

import topspin.codec.params.ConsensusVersions;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.BlockMaker;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.RoundState;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.VerifiedGroup;

/**
 * The state that groups leave behind one after the other, on top of a round: one block's worth, of
 * which a block can be made, and as many more as there are. For one thread.
 */
final class Backlog {
    private final RoundState base;
    private final BlockEvaluator evaluator;
    private @Nullable EvaluatedBlock fullBlock;
    private long fullBlockPayoutMax;
    private int wholeBlocks;
    private boolean makesBlocks = true;

    /** Nothing evaluated yet on {@code base}. */
    Backlog(RoundState base, ConsensusVersions versions) {
        this.base = base;
        // What time it is matters to no rule: whoever completes the block says.
        this.evaluator = new BlockEvaluator(base, versions, base.header().timestamp());
    }

    /** Applies a group after all before it, opening another block's worth when one is full. */
    @Nullable Refusal add(VerifiedGroup group) {
        Refusal refusal = evaluator.add(group);
        if (refusal != null && refusal.reason() == Reason.NO_SPACE && evaluator.size() > 0) {
            if (fullBlock == null && makesBlocks) {
                fullBlock = evaluator.finish(BlockMaker.devMode(base));
                fullBlockPayoutMax = evaluator.payoutMax();
            }
            wholeBlocks++;
            evaluator.startNextBlock();
            refusal = evaluator.add(group);
        }
        return refusal;
    }

    /** Blocks that are full; another one may have begun. */
    int wholeBlocks() {
        return wholeBlocks;
    }

    /** Whether a block is full. */
    boolean hasFullBlock() {
        return fullBlock != null;
    }

    /** The first block's worth as it is now, whatever is added later. */
    Assembly assembly(Runnable release) {
        return fullBlock == null
                ? new Assembly.OfGroups(base, evaluator.copy(), release)
                : new Assembly.OfFullBlock(base, fullBlock, fullBlockPayoutMax, release);
    }

    /** From here on nobody asks for a block; only what may follow all of it. */
    void leaveBlocks() {
        makesBlocks = false;
        fullBlock = null;
    }

    boolean hasRulesOf(Backlog other) {
        return evaluator.rules().protocol().equals(other.evaluator.rules().protocol());
    }
}
