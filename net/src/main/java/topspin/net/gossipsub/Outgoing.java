package topspin.net.gossipsub;

import io.netty.buffer.ByteBufAllocator;

import topspin.net.rpc.RpcBatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What peers are to be told: gathered event by event, sent together. A peer has a batch only while
 * there is something for it; batches are used again.
 */
final class Outgoing {
    private final int rpcBytesMax;
    private final ByteBufAllocator allocator;
    private final GossipCounters counters;
    private final List<GossipPeer> told = new ArrayList<>();
    private final Deque<RpcBatch> spare = new ArrayDeque<>();

    Outgoing(int rpcBytesMax, ByteBufAllocator allocator, GossipCounters counters) {
        this.rpcBytesMax = rpcBytesMax;
        this.allocator = allocator;
        this.counters = counters;
    }

    /** Where to put what the peer is to be told. */
    RpcBatch to(GossipPeer peer) {
        RpcBatch batch = peer.batch;
        if (batch == null) {
            batch = spare.poll();
            if (batch == null) {
                batch = new RpcBatch(rpcBytesMax);
            }
            peer.batch = batch;
            told.add(peer);
        }
        return batch;
    }

    /** The peer is to be sent a message; one of ours is marked when that has been done. */
    void message(GossipPeer peer, Message message) {
        if (!to(peer).message(message.entry)) {
            counters.count(GossipDrop.TOO_LARGE);
        } else if (message.source == null) {
            peer.ownInBatch.add(message);
        }
    }

    /** The peer is told nothing after all. */
    void forget(GossipPeer peer) {
        RpcBatch batch = peer.batch;
        if (batch != null) {
            told.remove(peer);
            putBack(peer, batch);
        }
    }

    private void putBack(GossipPeer peer, RpcBatch batch) {
        batch.clear();
        peer.batch = null;
        peer.ownInBatch.clear();
        spare.add(batch);
    }

    /** Sends everything. */
    void flush() {
        for (int index = 0; index < told.size(); index++) {
            GossipPeer peer = told.get(index);
            RpcBatch batch = peer.batch;
            if (batch != null) {
                send(peer, batch);
                putBack(peer, batch);
            }
        }
        told.clear();
    }

    private void send(GossipPeer peer, RpcBatch batch) {
        int rpcs = batch.split();
        boolean whole = true;
        for (int rpc = 0; rpc < rpcs; rpc++) {
            if (peer.link.send(batch.frame(rpc, allocator))) {
                counters.sent.add(batch.messages(rpc));
                counters.bytesOut.add(batch.frameBytes(rpc));
            } else {
                counters.count(GossipDrop.QUEUE_FULL);
                peer.meshChangeLost |= batch.hasMeshChange(rpc);
                peer.subscriptionLost |= batch.hasSubscription(rpc);
                whole &= batch.messages(rpc) == 0;
            }
        }
        if (whole) {
            for (int index = 0; index < peer.ownInBatch.size(); index++) {
                peer.ownInBatch.get(index).sent = true;
            }
        }
    }
}
