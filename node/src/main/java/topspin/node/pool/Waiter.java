package topspin.node.pool;

import topspin.ledger.rules.VerifiedGroup;

/** A group in the pool and who asks about it. */
record Waiter(VerifiedGroup group, PoolSink sink) {
    int size() {
        return group.group().size();
    }
}
