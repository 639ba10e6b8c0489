package topspin.net.gossipsub;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Messages that peers offered and were asked for: of each IWANT one, drawn by lot, is to be there
 * in time. Bounded; beyond it nobody is held to his word.
 */
final class Promises {
    private static final long NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int MAX = 8_192;

    private final IdCache seen;
    private final Deque<Promise> promises = new ArrayDeque<>(); // The earliest deadline first.

    private record Promise(MessageId id, GossipPeer peer, long deadlineNanos) {}

    Promises(IdCache seen) {
        this.seen = seen;
    }

    /** A peer was asked for a message. */
    void add(MessageId id, GossipPeer peer, long nowNanos) {
        if (promises.size() < MAX) {
            var kept = new MessageId();
            kept.set(id.a, id.b, id.c, id.d);
            promises.add(new Promise(kept, peer, nowNanos + NANOS));
        }
    }

    /** The next peer that has not kept its word by now; null if there is none. */
    @Nullable GossipPeer takeBroken(long nowNanos) {
        while (!promises.isEmpty() && promises.getFirst().deadlineNanos - nowNanos <= 0) {
            Promise due = promises.removeFirst();
            if (seen.find(due.id) == IdCache.NONE) {
                return due.peer;
            }
        }
        return null;
    }
}
