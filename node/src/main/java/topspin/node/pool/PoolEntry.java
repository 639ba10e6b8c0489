package topspin.node.pool;

import topspin.codec.txn.SignedTransaction;

/** What the pool knows of one transaction. */
public sealed interface PoolEntry {
    SignedTransaction transaction();

    /** It waits for a block. */
    record Waiting(SignedTransaction transaction) implements PoolEntry {}

    /**
     * It waited until a block made it inapplicable.
     *
     * @param error why, in the evaluator's words
     */
    record Evicted(SignedTransaction transaction, String error) implements PoolEntry {}
}
