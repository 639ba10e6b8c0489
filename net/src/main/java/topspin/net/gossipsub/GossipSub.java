package topspin.net.gossipsub;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import topspin.net.Verdict;
import topspin.net.rpc.RpcBatch;
import topspin.net.rpc.RpcReader;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The router. Events come in by its methods; what is to be done goes out by each peer's {@link
 * GossipLink}, and frames only by {@link #flush}, so that all that a burst of events says to a peer
 * shares an RPC. Its owner calls on one thread, or under one lock; a call takes microseconds.
 *
 * <p>Policy of the topic (gossip.md A.7): a message's id is BLAKE2b-256 of its data. A signature is
 * refused; {@code from} and {@code seqno} are taken or left and passed on as they came, and nothing
 * is sent to the peer that {@code from} names. Our own messages carry neither.
 */
public final class GossipSub {
    /** The topic of transactions. */
    public static final String TOPIC = "algotx01";

    /** How often {@link #heartbeat} is to be called. */
    public static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final byte[] TOPIC_BYTES = TOPIC.getBytes(US_ASCII);

    private static final long SEEN_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long FANOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long PRUNE_SECONDS = 60;
    private static final long UNSUBSCRIBE_SECONDS = 10;

    /** Longest backoff that a peer's word is taken for. */
    private static final long PRUNE_SECONDS_MAX = 3_600;

    /** After a backoff we wait a little longer than the peer, whose clock is not ours. */
    private static final long BACKOFF_SLACK_NANOS = 2 * HEARTBEAT_NANOS;

    /** A GRAFT so soon after the PRUNE counts twice. */
    private static final long GRAFT_FLOOD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int REQUESTS_MAX = 3;
    private static final int IHAVES_MAX = 10;
    private static final int IHAVE_IDS_MAX = 5_000;
    private static final int IWANT_IDS_MAX = 5_000;

    /** A share of all peers is told of new messages, if that is more than the lazy degree. */
    private static final double GOSSIP_FACTOR = 0.1;

    /** Data from this size on is announced by IDONTWANT as soon as it arrives. */
    private static final int IDONTWANT_BYTES_MIN = 1_024;

    private static final int IDONTWANTS_MAX = 1_000;
    private static final int UNWANTED_MAX = 1_024;
    private static final long UNWANTED_NANOS = 3 * HEARTBEAT_NANOS;

    private static final int SUBSCRIPTION_CHANGES_MAX = 10;

    /** GRAFT, PRUNE and what says nothing: a peer needs a few in a heartbeat. */
    private static final int CONTROLS_MAX = 1_000;

    /**
     * Messages of one peer in a heartbeat that need bring nothing new, besides twice as many as all
     * peers brought new ones in this and the last: an honest peer sends each once.
     */
    private static final int STALE_MAX = 5_000;

    private static final int STALE_PER_POINT = 100;

    private static final int OPPORTUNISTIC_TICKS = 60;
    private static final int OPPORTUNISTIC_PEERS = 2;
    private static final double OPPORTUNISTIC_THRESHOLD = 3.5;

    /** Points that cost a peer its connection; one a second is forgiven. */
    private static final int MISBEHAVIOUR_MAX = 200;

    private static final int MISBEHAVIOUR_TICKS = 60;

    /** Ids beyond what a heartbeat allows that make one point. */
    private static final int FLOODED_IDS_PER_POINT = 100;

    /** Longest from, seqno and key that are passed on; a peer id has 38 bytes. */
    private static final int EXTRA_BYTES_MAX = 128;

    private static final int OWN_WAITING_MAX = 4_096;

    /** One peer may have this part of all messages whose verdict is awaited. */
    private static final int PENDING_SHARE = 4;

    private final GossipSubConfig config;
    private final Degrees degrees;
    private final int pendingPerPeer;
    private final byte[] ownId;
    private final RandomGenerator random;
    private final LongSupplier nanoTime;
    private final GossipCounters counters;

    private final List<GossipPeer> peers = new ArrayList<>();
    private final PeerMemory memory = new PeerMemory();
    private final Mesh mesh;
    private final IdCache seen;
    private final MessageCache cache;

    /** Whom our messages go to while we do not listen. */
    private final List<GossipPeer> fanout = new ArrayList<>();

    private long fanoutUntilNanos;

    private boolean subscribed;
    private int pending;
    private long ticks;

    /** New messages since the last heartbeat, and in the one before. */
    private long freshNow;

    private long freshBefore;

    private final Promises promises;
    private final Outgoing outgoing;

    /** Messages of ours that no peer was sent yet. */
    private final Deque<Message> waiting = new ArrayDeque<>();

    // Used again and again.
    private final Blake2b256 hash = new Blake2b256();
    private final MessageId id = new MessageId();
    private final MessageId promised = new MessageId();
    private final byte[] idBytes = new byte[MessageId.BYTES];
    private final List<GossipPeer> chosen = new ArrayList<>();
    private final List<Message> told = new ArrayList<>();

    /**
     * @param ownId our peer id, raw
     * @param random draws neighbours, and salts tables
     * @param nanoTime a clock that only moves forward
     * @param allocator makes the frames
     */
    public GossipSub(
            GossipSubConfig config,
            byte[] ownId,
            RandomGenerator random,
            LongSupplier nanoTime,
            ByteBufAllocator allocator,
            GossipCounters counters) {
        this.config = config;
        this.degrees = config.degrees();
        this.pendingPerPeer = Math.max(1, config.pendingMax() / PENDING_SHARE);
        this.ownId = ownId.clone();
        this.random = random;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.mesh = new Mesh(degrees, random);
        this.seen = new IdCache(config.seenMax(), random);
        this.cache = new MessageCache(seen, config.cacheBytesMax());
        this.promises = new Promises(seen);
        this.outgoing = new Outgoing(config.rpcBytesMax(), allocator, counters);
    }

    // Events: peers.

    /**
     * A peer can be written to: our meshsub stream to it is open.
     *
     * @param peerId its id, raw
     * @param outbound whether we dialled it
     * @return what stands for it in all other calls
     */
    public GossipPeer connected(
            byte[] peerId, boolean outbound, GossipVersion version, GossipLink link) {
        GossipPeer peer = new GossipPeer(peerId, outbound, version, link);
        peer.index = peers.size();
        peers.add(peer);
        memory.recall(peer, nanoTime.getAsLong());
        if (subscribed) {
            outgoing.to(peer).subscription(true, TOPIC_BYTES);
        }
        return peer;
    }

    /** The peer has gone, or our stream to it has. More calls than one do nothing. */
    public void disconnected(GossipPeer peer) {
        if (peer.index < 0) {
            return;
        }
        memory.keep(peer, nanoTime.getAsLong());
        leaveMesh(peer);
        fanout.remove(peer);
        outgoing.forget(peer);
        GossipPeer last = peers.removeLast();
        if (last != peer) {
            peers.set(peer.index, last);
            last.index = peer.index;
        }
        peer.index = -1;
        peer.subscribed = false;
    }

    // Events: what we do ourselves.

    /** We listen to the topic from now on, and pass on what we hear. */
    public void subscribe() {
        if (subscribed) {
            return;
        }
        subscribed = true;
        for (GossipPeer peer : peers) {
            announceSubscription(peer);
        }
        for (GossipPeer peer : fanout) {
            if (mesh.size() < degrees.goal() && isGraftable(peer)) {
                graft(peer);
            }
        }
        fanout.clear();
        graftSome(degrees.goal() - mesh.size(), false, 0);
    }

    /** We listen no longer; what we publish goes out all the same. */
    public void unsubscribe() {
        if (!subscribed) {
            return;
        }
        subscribed = false;
        while (mesh.size() > 0) {
            prune(mesh.get(mesh.size() - 1), UNSUBSCRIBE_SECONDS);
        }
        for (GossipPeer peer : peers) {
            announceSubscription(peer);
        }
    }

    private void announceSubscription(GossipPeer peer) {
        if (!peer.condemned) {
            outgoing.to(peer).subscription(subscribed, TOPIC_BYTES);
        }
    }

    /** A message of our own, judged already. Its bytes are copied. */
    public Published publish(byte[] data, int offset, int length) {
        byte[] entry = RpcBatch.messageEntry(data, offset, length, TOPIC_BYTES);
        if (entry.length > config.rpcBytesMax()) {
            counters.count(GossipDrop.TOO_LARGE);
            return Published.TOO_LARGE;
        }
        hash.hash(data, offset, length, id);
        int slot = seen.find(id);
        if (slot != IdCache.NONE) {
            byte state = seen.state(slot);
            Message known = seen.message(slot);
            if (state == IdCache.UNDECIDED && known != null) {
                // A peer brought it first and its verdict is awaited. Here it is.
                pending--;
                known.noLongerPending();
                pass(slot, known);
                return Published.KNOWN;
            }
            if (state == IdCache.PASSED) {
                return Published.KNOWN;
            }
        }
        Message message = new Message(entry, id, null, null);
        boolean reached = offerOwn(message);
        if (!reached && waiting.size() >= OWN_WAITING_MAX) {
            counters.count(GossipDrop.OWN_WAITING_FULL);
            return Published.FULL;
        }
        waiting.add(message);
        if (slot == IdCache.NONE) {
            slot = remember();
        }
        seen.state(slot, IdCache.PASSED);
        seen.message(slot, message);
        cache.put(message);
        counters.published.increment();
        return reached ? Published.SENT : Published.WAITING;
    }

    /** Puts a message of ours into the batches of those it is to go to; false if there are none. */
    private boolean offerOwn(Message message) {
        chosen.clear();
        if (subscribed) {
            for (int index = 0; index < mesh.size(); index++) {
                chosen.add(mesh.get(index));
            }
        } else {
            refreshFanout();
            chosen.addAll(fanout);
        }
        // A mesh that is not full yet would be a poor way to be heard, and one of peers that
        // dialled
        // us may be a crowd that keeps silent.
        addListeners(degrees.goal() - chosen.size(), false);
        int outbound = 0;
        for (int index = 0; index < chosen.size(); index++) {
            outbound += chosen.get(index).outbound ? 1 : 0;
        }
        addListeners(degrees.outbound() - outbound, true);
        boolean reached = false;
        for (int index = 0; index < chosen.size(); index++) {
            GossipPeer peer = chosen.get(index);
            if (peer.wants(message.id)) {
                outgoing.message(peer, message);
            } else {
                message.sent = true; // By somebody else: the peer says that it has it.
            }
            reached = true;
        }
        return reached;
    }

    /** Adds so many that listen, are worth it and are not among the chosen, drawn by lot. */
    private void addListeners(int count, boolean outboundOnly) {
        if (count <= 0) {
            return;
        }
        int first = chosen.size();
        for (int index = 0; index < peers.size(); index++) {
            GossipPeer peer = peers.get(index);
            if (peer.subscribed
                    && (peer.outbound || !outboundOnly)
                    && peer.score() >= PeerScore.PUBLISH_THRESHOLD
                    && !contains(chosen, first, peer)) {
                chosen.add(peer);
            }
        }
        Mesh.shuffle(chosen, first, random);
        while (chosen.size() > first + count) {
            chosen.removeLast();
        }
    }

    private static boolean contains(List<GossipPeer> list, int end, GossipPeer peer) {
        for (int index = 0; index < end; index++) {
            if (list.get(index) == peer) {
                return true;
            }
        }
        return false;
    }

    private void refreshFanout() {
        fanoutUntilNanos = nanoTime.getAsLong() + FANOUT_NANOS;
        fanout.removeIf(peer -> !peer.subscribed || peer.score() < PeerScore.PUBLISH_THRESHOLD);
        int missing = degrees.goal() - fanout.size();
        if (missing > 0) {
            chosen.clear();
            chosen.addAll(fanout);
            addListeners(missing, false);
            fanout.clear();
            fanout.addAll(chosen);
            chosen.clear();
        }
    }

    // Events: what peers say.

    /** An RPC of a peer. What it refers to is not needed when this returns. */
    public void receive(GossipPeer peer, RpcReader rpc) {
        if (isDeaf(peer)) {
            return;
        }
        if (peer.score() < PeerScore.GRAYLIST_THRESHOLD) {
            condemn(peer, GossipDrop.GRAYLISTED); // It has come back too soon.
            return;
        }
        receiveSubscriptions(peer, rpc);
        countControls(peer, rpc);
        for (int message = 0; message < rpc.messages() && !isDeaf(peer); message++) {
            receiveMessage(peer, rpc, message);
        }
        if (peer.score() < PeerScore.GOSSIP_THRESHOLD) {
            if (rpc.ihaves() + rpc.iwantIds() > 0) {
                counters.count(GossipDrop.LOW_SCORE);
            }
        } else if (!isDeaf(peer)) {
            receiveIhaves(peer, rpc);
            receiveIwants(peer, rpc);
        }
        receiveMeshChanges(peer, rpc);
        receiveIdontwants(peer, rpc);
    }

    /** Nothing of it is listened to. */
    private static boolean isDeaf(GossipPeer peer) {
        return peer.condemned || peer.index < 0;
    }

    private void receiveSubscriptions(GossipPeer peer, RpcReader rpc) {
        for (int index = 0; index < rpc.subscriptions() && !isDeaf(peer); index++) {
            if (++peer.subscriptionChanges > SUBSCRIPTION_CHANGES_MAX) {
                penalise(peer, GossipDrop.SUBSCRIPTION_FLOOD, 1);
            } else if (!rpc.subscriptionIsTo(index, TOPIC_BYTES)) {
                counters.count(GossipDrop.OTHER_TOPIC);
            } else if (rpc.subscribes(index)) {
                peer.subscribed = true;
            } else {
                peer.subscribed = false;
                leaveMesh(peer);
                fanout.remove(peer);
            }
        }
    }

    /** What costs its sender two bytes and brings nothing is bounded as all else is. */
    private void countControls(GossipPeer peer, RpcReader rpc) {
        int count = rpc.grafts() + rpc.prunes() + rpc.unknownFields();
        boolean empty =
                count == 0
                        && rpc.messages() == 0
                        && rpc.subscriptions() == 0
                        && rpc.ihaves() == 0
                        && rpc.iwantIds() == 0
                        && rpc.idontwants() == 0;
        int counted = empty ? 1 : count;
        peer.controls += counted;
        int excess = Math.min(counted, peer.controls - CONTROLS_MAX);
        if (excess > 0) {
            penalise(peer, GossipDrop.CONTROL_FLOOD, points(excess));
        }
    }

    private void receiveMessage(GossipPeer peer, RpcReader rpc, int message) {
        if (!rpc.messageIsOn(message, TOPIC_BYTES)) {
            stale(peer, GossipDrop.OTHER_TOPIC);
            return;
        }
        if (!subscribed) {
            stale(peer, GossipDrop.NOT_SUBSCRIBED);
            return;
        }
        if (rpc.messageIsSigned(message)) {
            holdAgainst(peer, GossipDrop.SIGNED);
            return;
        }
        if (rpc.equal(rpc.fromOffset(message), rpc.fromLength(message), ownId)) {
            holdAgainst(peer, GossipDrop.SELF_ORIGIN);
            return;
        }
        if (rpc.dataLength(message) == 0) {
            holdAgainst(peer, GossipDrop.EMPTY);
            return;
        }
        hash.hash(rpc.bytes(), rpc.dataOffset(message), rpc.dataLength(message), id);
        int slot = seen.find(id);
        if (slot != IdCache.NONE) {
            receiveAgain(peer, slot);
        } else if (pending >= config.pendingMax() || peer.pending >= pendingPerPeer) {
            counters.count(GossipDrop.PENDING_FULL);
        } else {
            receiveFresh(peer, rpc, message);
        }
    }

    /** A message that brings nothing new: nobody's fault, but not for ever. */
    private void stale(GossipPeer peer, GossipDrop reason) {
        counters.count(reason);
        long excess = ++peer.stale - STALE_MAX - 2 * (freshNow + freshBefore);
        if (excess > 0 && excess % STALE_PER_POINT == 0) {
            penalise(peer, GossipDrop.STALE_FLOOD, 1);
        }
    }

    private void receiveAgain(GossipPeer peer, int slot) {
        stale(peer, GossipDrop.DUPLICATE);
        if (seen.state(slot) == IdCache.INVALID) {
            holdAgainst(peer, GossipDrop.REJECTED);
            return;
        }
        Message message = seen.message(slot);
        if (message != null && seen.state(slot) == IdCache.UNDECIDED) {
            message.alsoBroughtBy(peer);
        }
    }

    private void receiveFresh(GossipPeer peer, RpcReader rpc, int index) {
        counters.fresh.increment();
        counters.freshBytes.add(rpc.dataLength(index));
        freshNow++;
        int slot = remember();
        switch (deliver(peer, rpc, index)) {
            case ACCEPT -> {
                announceIdontwant(peer, rpc.dataLength(index));
                peer.score.deliveredFirst();
                pass(slot, message(peer, rpc, index));
            }
            case PENDING -> {
                announceIdontwant(peer, rpc.dataLength(index));
                pending++;
                peer.pending++;
                seen.message(slot, message(peer, rpc, index));
            }
            case IGNORE -> {
                counters.count(GossipDrop.IGNORED);
                seen.forgetNewest(); // Not taken in: another copy may have better luck.
            }
            case REJECT -> {
                seen.state(slot, IdCache.INVALID);
                holdAgainst(peer, GossipDrop.REJECTED);
            }
        }
    }

    /** Lends out the buffer, narrowed to the data: no slice, no garbage. */
    private static Verdict deliver(GossipPeer peer, RpcReader rpc, int message) {
        ByteBuf bytes = rpc.bytes();
        int reader = bytes.readerIndex();
        int writer = bytes.writerIndex();
        int start = rpc.dataOffset(message);
        bytes.setIndex(start, start + rpc.dataLength(message));
        try {
            return peer.link.deliver(bytes);
        } finally {
            bytes.setIndex(reader, writer);
        }
    }

    private Message message(GossipPeer peer, RpcReader rpc, int index) {
        byte[] origin = null;
        int length = rpc.fromLength(index);
        if (length > 0 && length <= EXTRA_BYTES_MAX) {
            origin = new byte[length];
            rpc.bytes().getBytes(rpc.fromOffset(index), origin);
        }
        byte[] entry = RpcBatch.messageEntry(rpc, index, TOPIC_BYTES, EXTRA_BYTES_MAX);
        return new Message(entry, id, peer, origin);
    }

    /** No second copy of a large message is needed from anybody. */
    private void announceIdontwant(GossipPeer source, int dataLength) {
        if (dataLength < IDONTWANT_BYTES_MIN) {
            return;
        }
        id.writeTo(idBytes, 0);
        for (int index = 0; index < mesh.size(); index++) {
            GossipPeer peer = mesh.get(index);
            if (peer != source && peer.version.hasIdontwant()) {
                outgoing.to(peer).idontwant(idBytes, 0, idBytes.length);
            }
        }
    }

    private int remember() {
        int slot = seen.add(id, nanoTime.getAsLong() + SEEN_NANOS);
        counters.count(GossipDrop.SEEN_EVICTED, seen.takeEvicted());
        countPendingLost();
        return slot;
    }

    private void countPendingLost() {
        int lost = seen.takePendingLost();
        pending -= lost;
        counters.count(GossipDrop.PENDING_EXPIRED, lost);
    }

    /**
     * Settles a message that {@link GossipLink#deliver} left {@link Verdict#PENDING}.
     *
     * @param data the message as it was delivered
     * @param verdict any but PENDING
     */
    public void settle(byte[] data, int offset, int length, Verdict verdict) {
        hash.hash(data, offset, length, id);
        int slot = seen.find(id);
        Message message = slot == IdCache.NONE ? null : seen.message(slot);
        if (message == null || seen.state(slot) != IdCache.UNDECIDED) {
            counters.count(GossipDrop.SETTLED_LATE);
            return;
        }
        GossipPeer source = message.source;
        if (source == null) {
            throw new AssertionError("our own messages are decided from the start");
        }
        pending--;
        source.pending--;
        switch (verdict) {
            case ACCEPT -> {
                source.score.deliveredFirst();
                pass(slot, message);
            }
            case IGNORE -> {
                counters.count(GossipDrop.IGNORED);
                seen.state(slot, IdCache.IGNORED);
                seen.message(slot, null);
            }
            case REJECT -> {
                seen.state(slot, IdCache.INVALID);
                seen.message(slot, null);
                holdAgainst(source, GossipDrop.REJECTED);
                for (GossipPeer other : message.others()) {
                    holdAgainst(other, GossipDrop.REJECTED);
                }
            }
            case PENDING -> throw new IllegalArgumentException("a message is settled once");
        }
    }

    /** An accepted message goes to the mesh and into the cache. */
    private void pass(int slot, Message message) {
        seen.state(slot, IdCache.PASSED);
        seen.message(slot, message);
        cache.put(message);
        for (int index = 0; index < mesh.size(); index++) {
            GossipPeer peer = mesh.get(index);
            if (!message.isKnownTo(peer) && peer.wants(message.id)) {
                outgoing.message(peer, message);
            }
        }
    }

    private void receiveIhaves(GossipPeer peer, RpcReader rpc) {
        if (!subscribed) {
            return;
        }
        int asked = 0;
        for (int ihave = 0; ihave < rpc.ihaves() && !isDeaf(peer); ihave++) {
            if (++peer.ihaves > IHAVES_MAX) {
                penalise(peer, GossipDrop.IHAVE_FLOOD, 1);
                continue;
            }
            if (!rpc.ihaveIsOn(ihave, TOPIC_BYTES)) {
                counters.count(GossipDrop.OTHER_TOPIC);
                continue;
            }
            int first = rpc.ihaveFirst(ihave);
            int end = Math.min(rpc.ihaveEnd(ihave), first + IHAVE_IDS_MAX - peer.ihaveIds);
            int excess = rpc.ihaveEnd(ihave) - end;
            peer.ihaveIds += end - first;
            for (int index = first; index < end; index++) {
                if (rpc.ihaveIdLength(index) != MessageId.BYTES) {
                    continue; // No message here has such an id.
                }
                id.read(rpc.bytes(), rpc.ihaveIdOffset(index));
                if (seen.find(id) == IdCache.NONE) {
                    id.writeTo(idBytes, 0);
                    outgoing.to(peer).iwant(idBytes, 0, idBytes.length);
                    // One id of those asked for, drawn by lot, is to be there in time.
                    if (random.nextInt(++asked) == 0) {
                        promised.set(id.a, id.b, id.c, id.d);
                    }
                }
            }
            if (excess > 0) {
                penalise(peer, GossipDrop.IHAVE_FLOOD, points(excess));
            }
        }
        if (asked > 0) {
            promises.add(promised, peer, nanoTime.getAsLong());
        }
    }

    private static int points(int ids) {
        return (ids + FLOODED_IDS_PER_POINT - 1) / FLOODED_IDS_PER_POINT;
    }

    private void receiveIwants(GossipPeer peer, RpcReader rpc) {
        int excess = 0;
        for (int index = 0; index < rpc.iwantIds() && !isDeaf(peer); index++) {
            if (++peer.iwantIds > IWANT_IDS_MAX) {
                excess = rpc.iwantIds() - index;
                break;
            }
            if (rpc.iwantIdLength(index) != MessageId.BYTES) {
                continue;
            }
            id.read(rpc.bytes(), rpc.iwantIdOffset(index));
            int slot = seen.find(id);
            if (slot == IdCache.NONE || seen.state(slot) != IdCache.PASSED) {
                continue;
            }
            Message message = seen.message(slot);
            if (message != null && message.takeRequest(peer, REQUESTS_MAX)) {
                counters.answered.increment();
                outgoing.message(peer, message);
            }
        }
        if (excess > 0) {
            penalise(peer, GossipDrop.IWANT_FLOOD, points(excess));
        }
    }

    private void receiveMeshChanges(GossipPeer peer, RpcReader rpc) {
        for (int index = 0; index < rpc.grafts() && !isDeaf(peer); index++) {
            if (rpc.graftIsFor(index, TOPIC_BYTES)) {
                receiveGraft(peer);
            } else {
                counters.count(GossipDrop.OTHER_TOPIC);
            }
        }
        for (int index = 0; index < rpc.prunes() && !isDeaf(peer); index++) {
            if (rpc.pruneIsFor(index, TOPIC_BYTES)) {
                receivePrune(peer, rpc.pruneBackoffSeconds(index));
            } else {
                counters.count(GossipDrop.OTHER_TOPIC);
            }
        }
    }

    private void receiveGraft(GossipPeer peer) {
        if (!subscribed || peer.inMesh) {
            return;
        }
        long now = nanoTime.getAsLong();
        boolean refused = peer.score() < 0 || mesh.size() >= degrees.high() && !peer.outbound;
        if (peer.isBackedOff(now)) {
            long since = now - (peer.backoffUntilNanos - seconds(PRUNE_SECONDS));
            penalise(peer, GossipDrop.GRAFT_IN_BACKOFF, since < GRAFT_FLOOD_NANOS ? 2 : 1);
            refused = true;
        }
        if (isDeaf(peer)) {
            return;
        }
        if (refused) {
            tellPrune(peer, PRUNE_SECONDS);
        } else {
            counters.grafts.increment();
            mesh.add(peer, now);
        }
    }

    private void receivePrune(GossipPeer peer, int backoffSeconds) {
        leaveMesh(peer);
        long seconds = backoffSeconds == 0 ? PRUNE_SECONDS : backoffSeconds;
        peer.backOff(nanoTime.getAsLong() + seconds(Math.min(seconds, PRUNE_SECONDS_MAX)));
    }

    private static long seconds(long count) {
        return TimeUnit.SECONDS.toNanos(count);
    }

    private void receiveIdontwants(GossipPeer peer, RpcReader rpc) {
        if (rpc.idontwants() == 0 || isDeaf(peer)) {
            return;
        }
        peer.idontwants += rpc.idontwants();
        if (peer.idontwants > IDONTWANTS_MAX) {
            penalise(peer, GossipDrop.IDONTWANT_FLOOD, 1);
            return;
        }
        IdCache unwanted = peer.unwanted;
        if (unwanted == null) {
            unwanted = new IdCache(UNWANTED_MAX, random);
            peer.unwanted = unwanted;
        }
        long expiry = nanoTime.getAsLong() + UNWANTED_NANOS;
        for (int index = 0; index < rpc.idontwantIds(); index++) {
            if (rpc.idontwantIdLength(index) == MessageId.BYTES) {
                id.read(rpc.bytes(), rpc.idontwantIdOffset(index));
                if (unwanted.find(id) == IdCache.NONE) {
                    unwanted.add(id, expiry);
                }
            }
        }
    }

    // Judging peers.

    /** An invalid message, which no honest peer passes on. */
    private void holdAgainst(GossipPeer peer, GossipDrop reason) {
        counters.count(reason);
        peer.score.deliveredInvalid();
        if (peer.score() < PeerScore.GRAYLIST_THRESHOLD) {
            condemn(peer, GossipDrop.GRAYLISTED);
        }
    }

    /** What an honest peer may do now and then, but not all the time. */
    private void penalise(GossipPeer peer, GossipDrop reason, int points) {
        counters.count(reason);
        peer.misbehaviour += points;
        if (peer.misbehaviour > MISBEHAVIOUR_MAX) {
            condemn(peer, reason);
        }
    }

    private void condemn(GossipPeer peer, GossipDrop reason) {
        if (isDeaf(peer)) {
            return;
        }
        peer.condemned = true;
        peer.subscribed = false;
        leaveMesh(peer);
        fanout.remove(peer);
        outgoing.forget(peer);
        counters.disconnects.increment();
        peer.link.disconnect(reason);
    }

    // The mesh.

    private void leaveMesh(GossipPeer peer) {
        if (peer.inMesh) {
            counters.prunes.increment();
            mesh.remove(peer);
        }
    }

    private void graft(GossipPeer peer) {
        counters.grafts.increment();
        mesh.add(peer, nanoTime.getAsLong());
        outgoing.to(peer).graft(TOPIC_BYTES);
    }

    private void prune(GossipPeer peer, long backoffSeconds) {
        leaveMesh(peer);
        tellPrune(peer, backoffSeconds);
    }

    private void tellPrune(GossipPeer peer, long backoffSeconds) {
        peer.backOff(nanoTime.getAsLong() + seconds(backoffSeconds));
        outgoing.to(peer).prune(TOPIC_BYTES, peer.version.hasBackoff() ? backoffSeconds : 0);
    }

    private boolean isGraftable(GossipPeer peer) {
        return peer.subscribed
                && !peer.inMesh
                && peer.score() >= 0
                && !peer.isBackedOff(nanoTime.getAsLong() - BACKOFF_SLACK_NANOS);
    }

    /** Takes so many into the mesh, drawn by lot among those with a score of at least the least. */
    private void graftSome(int count, boolean outboundOnly, double leastScore) {
        if (count <= 0) {
            return;
        }
        chosen.clear();
        for (GossipPeer peer : peers) {
            if (isGraftable(peer)
                    && (peer.outbound || !outboundOnly)
                    && peer.score() >= leastScore) {
                chosen.add(peer);
            }
        }
        Mesh.shuffle(chosen, 0, random);
        for (GossipPeer peer : chosen.subList(0, Math.min(count, chosen.size()))) {
            graft(peer);
        }
    }

    // Time.

    /** A second has passed. Flushes. */
    public void heartbeat() {
        long now = nanoTime.getAsLong();
        ticks++;
        seen.expire(now);
        countPendingLost();
        breakPromises(now);
        freshBefore = freshNow;
        freshNow = 0;
        for (GossipPeer peer : peers) {
            refresh(peer, now);
        }
        if (subscribed) {
            maintainMesh();
        } else if (fanoutUntilNanos - now <= 0) {
            fanout.clear();
        }
        told.clear();
        cache.collectTold(told);
        if (!told.isEmpty()) {
            tellOfMessages();
            told.clear();
        }
        offerWaiting();
        flush();
        cache.shift();
        counters.count(GossipDrop.CACHE_EVICTED, cache.takeEvicted());
    }

    private void breakPromises(long now) {
        for (GossipPeer peer = promises.takeBroken(now);
                peer != null;
                peer = promises.takeBroken(now)) {
            if (!isDeaf(peer)) {
                penalise(peer, GossipDrop.BROKEN_PROMISE, 1);
            }
        }
    }

    private void refresh(GossipPeer peer, long now) {
        peer.score.refresh(now);
        peer.ihaves = 0;
        peer.ihaveIds = 0;
        peer.iwantIds = 0;
        peer.idontwants = 0;
        peer.controls = 0;
        peer.subscriptionChanges = 0;
        peer.stale = 0;
        if (ticks % MISBEHAVIOUR_TICKS == 0) {
            peer.misbehaviour /= 2;
        }
        if (peer.unwanted != null) {
            peer.unwanted.expire(now);
        }
        if (peer.condemned) {
            return;
        }
        if (peer.subscriptionLost) {
            peer.subscriptionLost = false;
            announceSubscription(peer);
        }
        if (peer.meshChangeLost) {
            // Not what was lost is said again, but what holds now.
            peer.meshChangeLost = false;
            if (peer.inMesh) {
                outgoing.to(peer).graft(TOPIC_BYTES);
            } else {
                tellPrune(peer, PRUNE_SECONDS);
            }
        }
    }

    private void maintainMesh() {
        for (GossipPeer peer : mesh.unworthy()) {
            prune(peer, PRUNE_SECONDS);
        }
        if (mesh.size() < degrees.low()) {
            graftSome(degrees.goal() - mesh.size(), false, 0);
        }
        for (GossipPeer peer : mesh.surplus()) {
            prune(peer, PRUNE_SECONDS);
        }
        if (mesh.size() >= degrees.low()) {
            graftSome(degrees.outbound() - mesh.outbound(), true, 0);
        }
        if (ticks % OPPORTUNISTIC_TICKS == 0 && mesh.size() > 1) {
            double median = mesh.medianScore();
            if (median < OPPORTUNISTIC_THRESHOLD) {
                graftSome(OPPORTUNISTIC_PEERS, false, Math.nextUp(median));
            }
        }
    }

    /** IHAVE to some of those outside the mesh. */
    private void tellOfMessages() {
        chosen.clear();
        for (GossipPeer peer : peers) {
            if (peer.subscribed
                    && !peer.inMesh
                    && peer.score() >= PeerScore.GOSSIP_THRESHOLD
                    && !fanout.contains(peer)) {
                chosen.add(peer);
            }
        }
        int goal = Math.max(degrees.lazy(), (int) (GOSSIP_FACTOR * chosen.size()));
        Mesh.shuffle(chosen, 0, random);
        for (GossipPeer peer : chosen.subList(0, Math.min(goal, chosen.size()))) {
            if (told.size() > IHAVE_IDS_MAX) {
                // Not the same ones to everybody.
                Mesh.shuffle(told, 0, random);
            }
            RpcBatch batch = outgoing.to(peer);
            for (int index = 0; index < Math.min(told.size(), IHAVE_IDS_MAX); index++) {
                told.get(index).id.writeTo(idBytes, 0);
                batch.ihave(TOPIC_BYTES, idBytes, 0, idBytes.length);
            }
        }
    }

    /** Messages of ours that nobody was sent are offered again, until they leave the cache. */
    private void offerWaiting() {
        waiting.removeIf(message -> message.sent);
        for (Message message : waiting) {
            if (++message.beats <= MessageCache.WINDOWS) {
                var unused = offerOwn(message);
            }
        }
    }

    // What goes out.

    /** Sends what all events since the last flush have to say. To be called after each burst. */
    public void flush() {
        outgoing.flush();
        for (Message first = waiting.peek(); first != null; first = waiting.peek()) {
            if (!first.sent && first.beats <= MessageCache.WINDOWS) {
                return;
            }
            waiting.remove();
            if (!first.sent) {
                counters.count(GossipDrop.OWN_EXPIRED);
            }
        }
    }

    // For whoever watches.

    /** Neighbours in the mesh. */
    public int meshSize() {
        return mesh.size();
    }

    /** Peers, in the mesh or not. */
    public int peerCount() {
        return peers.size();
    }

    /** Peers that listen to the topic. */
    public int listeners() {
        int count = 0;
        for (GossipPeer peer : peers) {
            count += peer.subscribed ? 1 : 0;
        }
        return count;
    }

    /** Messages that wait for their verdict. */
    public int pending() {
        return pending;
    }

    /** Bytes of messages kept for those who ask. */
    public long cachedBytes() {
        return cache.bytes();
    }

    /** Ids remembered. */
    public int seenCount() {
        return seen.size();
    }
}
