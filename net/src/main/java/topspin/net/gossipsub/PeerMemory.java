package topspin.net.gossipsub;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What is held against peers that have gone, for when they come back: a reconnect wipes out neither
 * a backoff nor invalid messages. Bounded; a tree, so that nobody can aim at a slot.
 */
final class PeerMemory {
    private static final int PEERS_MAX = 4_096;

    /** After this, invalid messages have decayed to a hundredth. */
    private static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

    private final SortedMap<byte[], Past> pasts = new TreeMap<>(Arrays::compareUnsigned);

    private record Past(
            boolean backedOff,
            long backoffUntilNanos,
            double invalid,
            int misbehaviour,
            long atNanos) {}

    /** A peer goes. */
    void keep(GossipPeer peer, long nowNanos) {
        boolean backedOff = peer.isBackedOff(nowNanos);
        double invalid = peer.score.invalid();
        if (!backedOff && invalid == 0 && peer.misbehaviour == 0) {
            return;
        }
        if (pasts.size() >= PEERS_MAX) {
            pasts.values().removeIf(past -> nowNanos - past.atNanos > KEPT_NANOS);
        }
        if (pasts.size() < PEERS_MAX) {
            pasts.put(
                    peer.id,
                    new Past(
                            backedOff,
                            peer.backoffUntilNanos,
                            invalid,
                            peer.misbehaviour,
                            nowNanos));
        }
    }

    /** A peer has come: what is held against it is again. */
    void recall(GossipPeer peer, long nowNanos) {
        Past past = pasts.remove(peer.id);
        if (past != null) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(nowNanos - past.atNanos);
            peer.score.resume(past.invalid, seconds);
            // Halved each minute, as it would have been.
            peer.misbehaviour = past.misbehaviour >> Math.min(seconds / 60, Integer.SIZE - 1);
            if (past.backedOff) {
                peer.backOff(past.backoffUntilNanos);
            }
        }
    }
}
