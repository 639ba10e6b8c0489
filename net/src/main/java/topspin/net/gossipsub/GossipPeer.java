package topspin.net.gossipsub;

import org.jspecify.annotations.Nullable;

import topspin.net.rpc.RpcBatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A peer as the router knows it. Made and used by the router alone; its owner hands it back. */
public final class GossipPeer {
    final byte[] id;
    final boolean outbound;
    final GossipVersion version;
    final GossipLink link;
    final PeerScore score = new PeerScore();

    /** Its place among the router's peers; -1 once it has gone. */
    int index;

    /** It listens to the topic. */
    boolean subscribed;

    boolean inMesh;

    /** Our link has been told to end the connection. */
    boolean condemned;

    /** Neither side may graft the other before. */
    boolean backedOff;

    long backoffUntilNanos;

    /** Messages that it brought first and whose verdict is awaited. */
    int pending;

    // Since the last heartbeat.
    int ihaves;
    int ihaveIds;
    int iwantIds;
    int idontwants;
    int controls;
    int subscriptionChanges;
    long stale;

    /** Points for what no honest peer does often; halved each minute. */
    int misbehaviour;

    /** What did not fit its queue and is to be said again. */
    boolean meshChangeLost;

    boolean subscriptionLost;

    /** What it is to be told at the next flush; null if nothing. */
    @Nullable RpcBatch batch;

    /** Messages of ours in the batch. */
    final List<Message> ownInBatch = new ArrayList<>(0);

    /** Ids it does not want; null as long as it named none. */
    @Nullable IdCache unwanted;

    GossipPeer(byte[] id, boolean outbound, GossipVersion version, GossipLink link) {
        this.id = id.clone();
        this.outbound = outbound;
        this.version = version;
        this.link = link;
    }

    /** Its peer id, a copy. */
    public byte[] id() {
        return id.clone();
    }

    /** Whether it is a neighbour in the mesh. */
    public boolean inMesh() {
        return inMesh;
    }

    /** Whether it listens to the topic. */
    public boolean subscribed() {
        return subscribed;
    }

    /** What it is worth: 0 at first, up to 5, and far below after invalid messages. */
    public double score() {
        return score.value();
    }

    boolean isCalled(byte @Nullable [] name) {
        return name != null && Arrays.equals(id, name);
    }

    boolean wants(MessageId message) {
        return unwanted == null || unwanted.find(message) == IdCache.NONE;
    }

    boolean isBackedOff(long nowNanos) {
        return backedOff && nowNanos - backoffUntilNanos < 0;
    }

    /** Extends the time in which there is no grafting; never shortens it. */
    void backOff(long untilNanos) {
        if (!backedOff || untilNanos - backoffUntilNanos > 0) {
            backedOff = true;
            backoffUntilNanos = untilNanos;
        }
    }
}
