package topspin.net.gossipsub;

import io.netty.buffer.ByteBuf;

import topspin.net.Verdict;
import topspin.net.rpc.RpcBatch;
import topspin.net.rpc.RpcReader;

import java.util.SplittableRandom;

/**
 * A router between four neighbours, all of whom have each message: RPCs of one message of 300 bytes
 * with from and seqno, as a node of the reference sends them.
 */
final class RouterLoad implements GossipLink {
    private static final int PEERS = 4;
    private static final int DATA_AT = 3 + 40 + 3;

    /** One buffer for every frame that leaves: what is measured is the router, not an allocator. */
    private final ByteBuf out = FakePeer.UNTRACKED.buffer(1 << 21);

    private final RpcReader reader = new RpcReader();
    private final GossipPeer[] peers = new GossipPeer[PEERS];
    private final ByteBuf rpc;
    private final int rpcLength;
    private final GossipSub router;
    private long nowNanos;
    private long number;
    private final Verdict verdict;
    long deliveries;
    long framesOut;

    RouterLoad(Verdict verdict) {
        this.verdict = verdict;
        var config =
                new GossipSubConfig(
                        Degrees.of(4), GossipSubConfig.RPC_BYTES_MAX, 1 << 14, 1 << 15, 1 << 20);
        router =
                new GossipSub(
                        config,
                        FakePeer.id(99),
                        new SplittableRandom(1),
                        () -> nowNanos,
                        new OneBuffer(),
                        new GossipCounters());
        router.subscribe();
        var batch = new RpcBatch(1 << 20);
        batch.subscription(true, FakePeer.TOPIC);
        batch.graft(FakePeer.TOPIC);
        batch.split();
        ByteBuf words = batch.frame(0, FakePeer.UNTRACKED);
        int skip = words.readableBytes() - batch.rpcBytes(0);
        for (int index = 0; index < PEERS; index++) {
            peers[index] = router.connected(FakePeer.id(index), true, GossipVersion.V1_2, this);
            reader.read(words, skip, batch.rpcBytes(0));
            router.receive(peers[index], reader);
        }
        router.flush();
        words.release();
        ByteBuf message = FakePeer.UNTRACKED.buffer();
        message.writeByte(0x0a).writeByte(38).writeBytes(FakePeer.id(7));
        message.writeByte(0x12).writeByte(0xac).writeByte(2).writeZero(300);
        message.writeByte(0x1a).writeByte(8).writeLong(1);
        message.writeByte(0x22).writeByte(8).writeBytes(FakePeer.TOPIC);
        rpc = FakePeer.UNTRACKED.buffer();
        rpc.writeByte(0x12).writeByte(message.readableBytes() & 0x7f | 0x80);
        rpc.writeByte(message.readableBytes() >> 7).writeBytes(message);
        rpcLength = rpc.readableBytes();
    }

    /** The next message, from all neighbours one after the other; each is a burst. */
    void message() {
        rpc.setLong(DATA_AT + 8, ++number);
        for (GossipPeer peer : peers) {
            reader.read(rpc, 0, rpcLength);
            router.receive(peer, reader);
            router.flush();
        }
        // Five thousand a second.
        nowNanos += 200_000;
        if (number % 5_000 == 0) {
            router.heartbeat();
        }
    }

    /** The latest message once more, from all. */
    void duplicate() {
        for (GossipPeer peer : peers) {
            reader.read(rpc, 0, rpcLength);
            router.receive(peer, reader);
        }
        router.flush();
    }

    @Override
    public boolean send(ByteBuf frame) {
        framesOut++;
        return true;
    }

    @Override
    public Verdict deliver(ByteBuf data) {
        deliveries++;
        return verdict;
    }

    @Override
    public void disconnect(GossipDrop reason) {
        throw new AssertionError(reason);
    }

    /** Hands out the one buffer. */
    private final class OneBuffer extends io.netty.buffer.AbstractByteBufAllocator {
        @Override
        public ByteBuf buffer(int initialCapacity, int maxCapacity) {
            return out.clear();
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new AssertionError("a frame is made in one way");
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            throw new AssertionError("a frame is made in one way");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}
