package topspin.ledger;

import topspin.codec.block.Block;

/**
 * Told of every round, in order, once it is durable and {@link Ledger#view} shows it. Runs on the
 * thread that added the block, which goes on when all listeners have returned: hand over, do not
 * work.
 */
@FunctionalInterface
public interface RoundListener {
    void roundAdded(LedgerView view, Block block, StateDelta delta);
}
