package topspin.node.catchup;

import java.util.concurrent.CompletableFuture;

/**
 * The round that somebody who reads this node's changes is at: the node does not go on by more than
 * {@link #AHEAD_MAX} rounds, so that they are still kept when they are asked for (rest.md section
 * 3, ledger/sync). Any thread.
 */
public final class SyncRound {
    /** How many rounds the node may be ahead. */
    public static final int AHEAD_MAX = 3;

    private static final CompletableFuture<Void> OPEN = CompletableFuture.completedFuture(null);

    private long round;
    private CompletableFuture<Void> changed = new CompletableFuture<>();

    /**
     * @param round 0 for none: then nothing holds the node back
     */
    public SyncRound(long round) {
        this.round = round;
    }

    /** The round, or 0. */
    public synchronized long get() {
        return round;
    }

    /** Sets it; 0 unsets it. */
    public void set(long to) {
        CompletableFuture<Void> before;
        synchronized (this) {
            round = to;
            before = changed;
            changed = new CompletableFuture<>();
        }
        before.complete(null);
    }

    /** Completed when a round may be taken, or when it is time to ask again. */
    synchronized CompletableFuture<Void> turn(long taken) {
        return allows(taken) ? OPEN : changed;
    }

    /** Whether a round may be taken now. */
    synchronized boolean allows(long taken) {
        return round == 0 || Long.compareUnsigned(taken, round) <= 0 || taken - round <= AHEAD_MAX;
    }
}
