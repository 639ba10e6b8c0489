package topspin.net.gossipsub;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.jspecify.annotations.Nullable;

import topspin.net.Verdict;
import topspin.net.rpc.Elements;
import topspin.net.rpc.RpcBatch;
import topspin.net.rpc.RpcReader;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** A peer of a router under test: says what it is told to, and keeps what it hears. */
final class FakePeer implements GossipLink {
    /** The leak detector would note down each access, which takes longer than the tests. */
    static final UnpooledByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(false, true);

    static final byte[] TOPIC = GossipSub.TOPIC.getBytes(US_ASCII);
    static final String TOPIC_HEX = HexFormat.of().formatHex(TOPIC);

    final byte[] id;
    final GossipSub router;
    GossipPeer handle;

    /** What the router has sent since this was last taken. */
    private Elements heard = new Elements();

    int rpcs;

    /** What is made of its messages, and what they were. */
    Verdict verdict = Verdict.ACCEPT;

    final List<byte[]> delivered = new ArrayList<>();

    boolean queueFull;

    /** Whether its connection is gone as soon as it is to go. */
    boolean endsAtOnce;

    @Nullable GossipDrop disconnected;

    private final RpcReader reader = new RpcReader();

    FakePeer(GossipSub router, int number, boolean outbound, GossipVersion version) {
        this.router = router;
        this.id = id(number);
        this.handle = router.connected(id, outbound, version, this);
    }

    static byte[] id(int number) {
        byte[] id = new byte[38];
        id[1] = 0x24;
        id[36] = (byte) (number >> 8);
        id[37] = (byte) number;
        return id;
    }

    void reconnect(boolean outbound) {
        disconnected = null;
        handle = router.connected(id, outbound, GossipVersion.V1_2, this);
    }

    @Override
    public boolean send(ByteBuf frame) {
        try {
            if (queueFull) {
                return false;
            }
            int length = 0;
            for (int shift = 0; ; shift += 7) {
                int next = frame.readByte();
                length |= (next & 0x7f) << shift;
                if (next >= 0) {
                    break;
                }
            }
            assertRead(frame, length);
            heard.addAll(Elements.of(reader, List.of(TOPIC_HEX)));
            rpcs++;
            return true;
        } finally {
            frame.release();
        }
    }

    private void assertRead(ByteBuf frame, int length) {
        if (length == 0 || length != frame.readableBytes()) {
            throw new AssertionError("a frame of " + length + ", " + frame.readableBytes());
        }
        if (reader.read(frame, frame.readerIndex(), length) != null) {
            throw new AssertionError(ByteBufUtil.hexDump(frame));
        }
    }

    @Override
    public Verdict deliver(ByteBuf data) {
        byte[] copy = new byte[data.readableBytes()];
        data.readBytes(copy);
        delivered.add(copy);
        return verdict;
    }

    @Override
    public void disconnect(GossipDrop reason) {
        if (disconnected != null) {
            throw new AssertionError("disconnected twice: " + disconnected + ", " + reason);
        }
        disconnected = reason;
        if (endsAtOnce) {
            router.disconnected(handle);
        }
    }

    /** What it heard since the last time. */
    Elements take() {
        Elements taken = heard;
        heard = new Elements();
        return taken;
    }

    /** Says what goes into one RPC, or several if it is long. */
    void say(Consumer<RpcBatch> words) {
        say(words, GossipSubConfig.RPC_BYTES_MAX);
    }

    void say(Consumer<RpcBatch> words, int rpcBytesMax) {
        var batch = new RpcBatch(rpcBytesMax);
        words.accept(batch);
        int count = batch.split();
        for (int rpc = 0; rpc < count; rpc++) {
            int length = batch.rpcBytes(rpc);
            ByteBuf frame = batch.frame(rpc, UNTRACKED);
            say(frame, frame.readableBytes() - length, length);
            frame.release();
        }
        router.flush();
    }

    void sayRaw(String hex) {
        byte[] rpc = HexFormat.of().parseHex(hex);
        ByteBuf bytes = io.netty.buffer.Unpooled.wrappedBuffer(rpc);
        say(bytes, 0, rpc.length);
        router.flush();
    }

    private void say(ByteBuf bytes, int offset, int length) {
        if (reader.read(bytes, offset, length) != null) {
            throw new AssertionError("not an RPC");
        }
        router.receive(handle, reader);
    }

    FakePeer subscribe() {
        say(batch -> batch.subscription(true, TOPIC));
        return this;
    }

    FakePeer graft() {
        say(batch -> batch.graft(TOPIC));
        return this;
    }

    void publish(byte[] data) {
        say(batch -> batch.message(RpcBatch.messageEntry(data, 0, data.length, TOPIC)));
    }

    void ihave(byte[]... ids) {
        say(
                batch -> {
                    for (byte[] each : ids) {
                        batch.ihave(TOPIC, each, 0, each.length);
                    }
                });
    }

    void iwant(byte[]... ids) {
        say(
                batch -> {
                    for (byte[] each : ids) {
                        batch.iwant(each, 0, each.length);
                    }
                });
    }
}
