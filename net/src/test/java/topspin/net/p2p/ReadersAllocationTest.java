package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.FastThreadLocalThread;

import org.junit.jupiter.api.Test;

import topspin.codec.Allocation;
import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;
import topspin.net.Inbox;
import topspin.net.NetCounters;
import topspin.net.Traffic;
import topspin.net.Verdict;
import topspin.net.stream.HalfFrames;
import topspin.net.stream.PeerStream;
import topspin.net.stream.QueueBudget;
import topspin.net.stream.TagDecoder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The way in of a tagged message: Noise, yamux, tag. In steady state it makes no garbage. */
final class ReadersAllocationTest {
    private static final int STREAM = 1;

    private final List<Drop> ends = new ArrayList<>();
    private final ChaChaPoly sealing = new ChaChaPoly(new byte[32]);
    private final byte[] wire = new byte[1 << 17];
    private final int[] read = new int[1];
    private final EmbeddedChannel channel;

    ReadersAllocationTest() {
        var counters = new NetCounters();
        Inbox inbox =
                (peer, tag, body) -> {
                    read[0]++;
                    return Verdict.IGNORE;
                };
        var yamux =
                new Yamux(
                        false,
                        stream ->
                                stream.pipeline()
                                        .addLast(
                                                new TagDecoder(
                                                        new PeerStream(
                                                                stream,
                                                                "id",
                                                                "address",
                                                                false,
                                                                new Traffic(),
                                                                Limits.DEFAULT,
                                                                new QueueBudget(1 << 20),
                                                                new HalfFrames(
                                                                        8 << 20,
                                                                        Duration.ofSeconds(1),
                                                                        () -> 0),
                                                                counters,
                                                                () -> 0,
                                                                (tag,
                                                                        bytes,
                                                                        offset,
                                                                        length,
                                                                        not) -> {},
                                                                ends::add),
                                                        inbox,
                                                        counters)),
                        ends::add);
        channel = new EmbeddedChannel(new NoiseDecoder(new ChaChaPoly(new byte[32])), yamux);
        channel.config().setAllocator(PooledByteBufAllocator.DEFAULT);
        channel.freezeTime(); // Nobody answers its pings.
    }

    /** So many messages in one frame of yamux, and that in one of Noise. */
    private void send(int flags, int messages, int bodyLength) {
        int frame = 6 + bodyLength;
        int plain = Yamux.HEADER_BYTES + messages * frame;
        int at = 2;
        wire[at] = 0;
        wire[at + 1] = Yamux.DATA;
        wire[at + 2] = 0;
        wire[at + 3] = (byte) flags;
        putInt(at + 4, STREAM);
        putInt(at + 8, messages * frame);
        at += Yamux.HEADER_BYTES;
        for (int message = 0; message < messages; message++, at += frame) {
            putInt(at, frame - 4);
            wire[at + 4] = 'A';
            wire[at + 5] = 'V';
        }
        sealing.seal(wire, 2, plain);
        int sealed = plain + ChaChaPoly.TAG_BYTES;
        wire[0] = (byte) (sealed >> Byte.SIZE);
        wire[1] = (byte) sealed;
        ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer(sealed + 2);
        bytes.writeBytes(wire, 0, sealed + 2);
        channel.pipeline().fireChannelRead(bytes).fireChannelReadComplete();
        for (Object out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            ReferenceCountUtil.release(out); // Windows given back.
        }
    }

    private void putInt(int at, int value) {
        for (int index = 0; index < Integer.BYTES; index++) {
            wire[at + index] = (byte) (value >> (24 - 8 * index));
        }
    }

    /** On a thread like those of event loops: others have no caches of buffers. */
    @Test
    void aHundredThousandMessagesAreReadWithoutGarbage() throws Exception {
        var done = new CompletableFuture<Void>();
        new FastThreadLocalThread(
                        () -> {
                            try {
                                readMany();
                                done.complete(null);
                            } catch (RuntimeException | Error failure) {
                                done.completeExceptionally(failure);
                            }
                        })
                .start();
        done.get(60, TimeUnit.SECONDS);
    }

    private void readMany() {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try {
            send(Yamux.SYN, 1, 300);
            channel.runPendingTasks();
            assertThat(Allocation.smallestWindow(10, 5_000, () -> send(0, 1, 300))).isZero();
            assertThat(Allocation.smallestWindow(10, 500, () -> send(0, 10, 1_000))).isZero();
            assertThat(ends).isEmpty();
            assertThat(read[0]).isEqualTo(1 + 50_000 + 50_000);
            assertThat(channel.isOpen()).isTrue();
        } finally {
            ResourceLeakDetector.setLevel(level);
            channel.finishAndReleaseAll();
        }
    }
}
