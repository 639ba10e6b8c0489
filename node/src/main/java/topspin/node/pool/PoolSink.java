package topspin.node.pool;

import topspin.ledger.rules.Refusal;

/**
 * Who wants to know what became of a group that was offered. First exactly one of {@link #accepted}
 * and {@link #refused}; after acceptance, as long as the pool is open, exactly one of {@link
 * #committed} and {@link #evicted}. Called on the pool thread, so it must not block.
 */
public interface PoolSink {
    /** The group can be applied after all that wait before it, and waits for a block. */
    void accepted();

    /** The group is not in the pool. */
    void refused(PoolRefusal refusal);

    /** A block of that round holds the group, and the ledger holds the block. */
    void committed(long round);

    /** A round became durable without the group, which still waits. Any number of times. */
    void passedOver(long round);

    /** A block made the group inapplicable, and it left the pool. */
    void evicted(Refusal refusal);
}
