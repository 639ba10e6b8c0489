package topspin.net.gossipsub;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A message that waits for its verdict, or that is kept for those who ask. */
final class Message {
    /** As a field of an RPC; never changes. */
    final byte[] entry;

    final MessageId id = new MessageId();

    /** Who brought it first; null if it is ours. */
    final @Nullable GossipPeer source;

    /** The peer it names as its maker, whom it is not sent to; null if it names none. */
    final byte @Nullable [] origin;

    /** Who else brought it before its verdict. */
    private final List<GossipPeer> others = new ArrayList<>(0);

    /** Who asked for it, and how often. */
    private GossipPeer @Nullable [] askers;

    private byte @Nullable [] asked;

    /** Heartbeats at which it was offered again, of a message of ours. */
    int beats;

    /** Whether a peer was sent it. */
    boolean sent;

    Message(byte[] entry, MessageId id, @Nullable GossipPeer source, byte @Nullable [] origin) {
        this.entry = entry;
        this.id.set(id.a, id.b, id.c, id.d);
        this.source = source;
        this.origin = origin;
    }

    /** Its verdict is not awaited any more. */
    void noLongerPending() {
        if (source != null) {
            source.pending--;
        }
    }

    void alsoBroughtBy(GossipPeer peer) {
        if (peer != source && !others.contains(peer)) {
            others.add(peer);
        }
    }

    List<GossipPeer> others() {
        return others;
    }

    /** Whether it would be no news to the peer. */
    boolean isKnownTo(GossipPeer peer) {
        return peer == source || peer.isCalled(origin) || others.contains(peer);
    }

    /** Counts one more request of a peer; false if it has had its number. */
    boolean takeRequest(GossipPeer peer, int most) {
        GossipPeer[] known = askers;
        byte[] counts = asked;
        if (known == null || counts == null) {
            askers = new GossipPeer[] {peer};
            asked = new byte[] {1};
            return true;
        }
        for (int index = 0; index < known.length; index++) {
            if (known[index] == peer) {
                return counts[index] < most && ++counts[index] > 0;
            }
        }
        GossipPeer[] more = Arrays.copyOf(known, known.length + 1);
        more[known.length] = peer;
        byte[] moreCounts = Arrays.copyOf(counts, counts.length + 1);
        moreCounts[counts.length] = 1;
        askers = more;
        asked = moreCounts;
        return true;
    }
}
