package topspin.net;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.RawMuxer;
import topspin.net.stream.BlockAnswer;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/**
 * Peers that come and go, that do not read, that say a byte at a time, that say what is invalid:
 * what they cost is given back, and an honest peer does not notice.
 */
final class SoakTest {
    private static final String GENESIS = "soak-v1";
    private static final byte[] TOPIC = "\"\balgotx01".getBytes(US_ASCII);

    private final RecordingInbox honestInbox = new RecordingInbox();
    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    private final LongAdder invalid = new LongAdder();
    private Gossip node;
    private Gossip honest;
    private int port;
    private int votes;
    private Socket slow;
    private int slowBytes;

    @BeforeEach
    void start() throws Exception {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        node =
                gossip(
                        1,
                        (peer, tag, body) -> {
                            invalid.increment();
                            return Verdict.REJECT; // Nothing of the peer is kept.
                        });
        Multiaddr address = node.listenAddresses().getFirst();
        port = Objects.requireNonNull(address.socketAddress()).getPort();
        slow = new Socket(InetAddress.getLoopbackAddress(), port);
        honest = gossip(2, honestInbox, address);
        Await.until("an honest peer", () -> node.peers().size() == 1 && node.meshSize() == 1);
    }

    @AfterEach
    void stop() throws IOException {
        slow.close();
        honest.close();
        node.close();
        ResourceLeakDetector.setLevel(level);
    }

    private static Gossip gossip(int seed, Inbox inbox, Multiaddr... dial) throws IOException {
        var gossip =
                new Gossip(
                        GossipConfig.of(
                                GENESIS,
                                RawPeer.key(seed),
                                List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/0")),
                                List.of(dial)),
                        inbox,
                        (asker, round, answer) -> answer.accept(new BlockAnswer.Missing(0)),
                        (asker, known, answer) -> answer.accept(null),
                        new Random(seed),
                        System::nanoTime,
                        InstantSource.system());
        gossip.start();
        return gossip;
    }

    /** A vote comes to the honest peer, and a bundle as large as most peers have room for. */
    private void awaitHonestVote() throws InterruptedException {
        byte[] vote = {(byte) ++votes};
        node.broadcast(Tag.VOTE, vote, 0, 1);
        assertThat(honestInbox.next().body()).isEqualTo(vote);
        byte[] bundle = new byte[64 << 10];
        node.broadcast(Tag.BUNDLE, bundle, 0, bundle.length);
        assertThat(honestInbox.next().body()).isEqualTo(bundle);
    }

    private static KeyPair stranger(int number) {
        byte[] seed = new byte[32];
        seed[1] = (byte) number;
        seed[2] = (byte) (number >> Byte.SIZE);
        seed[3] = 1;
        return KeyPair.fromSeed(seed);
    }

    /** One of each kind, by turns. */
    private void comeAndGo(int number) throws Exception {
        switch (number % 4) {
            case 0 -> {
                try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    socket.getOutputStream().write(number); // And no more.
                }
            }
            case 1 -> {
                try (RawMuxer muxer = RawMuxer.connect(port, stranger(number))) {
                    muxer.open("/ipfs/ping/1.0.0");
                }
            }
            case 2 -> {
                try (RawMuxer muxer = RawMuxer.connect(port, stranger(number))) {
                    int id = muxer.newId();
                    byte[] words = RawMuxer.words("/multistream/1.0.0", "/ipfs/id/1.0.0");
                    for (int at = 0; at < words.length; at++) {
                        muxer.data(id, at == 0 ? RawMuxer.SYN : 0, new byte[] {words[at]});
                    }
                    muxer.awaitFinished(id);
                }
            }
            default -> {
                // Invalid: the connection ends before all is said.
                try (RawMuxer muxer = RawMuxer.connect(port, stranger(number), "/meshsub/1.2.0")) {
                    int stream = muxer.open("/meshsub/1.2.0");
                    byte[] message = new byte[30];
                    new Random(number).nextBytes(message);
                    byte[] rpc = new byte[46];
                    rpc[0] = 45;
                    rpc[1] = 0x12;
                    rpc[2] = 43;
                    rpc[3] = 0x12;
                    rpc[4] = 31;
                    System.arraycopy(message, 0, rpc, 5, 30);
                    System.arraycopy(TOPIC, 0, rpc, 36, 10);
                    muxer.data(stream, 0, rpc);
                    muxer.awaitPong();
                }
            }
        }
    }

    private void soak(int connections) throws Exception {
        comeAndGo(0, 200);
        settle();
        long before = liveBytes();
        // It is sent more than it takes, all the while.
        try (RawPeer deaf = RawPeer.greeted(node.listenAddresses().getFirst(), GENESIS, 3)) {
            deaf.reading(false);
            comeAndGo(200, 200 + connections);
        }
        settle();
        long after = liveBytes();
        assertThat(after).isLessThan(before + before / 20);
        assertThat(invalid.sum()).isGreaterThan(connections / 5);
        assertThat(honest.peers()).hasSize(1);
        awaitHonestVote();
    }

    private void comeAndGo(int first, int end) throws Exception {
        for (int number = first; number < end; number++) {
            comeAndGo(number);
            if (number % 50 == 0) {
                awaitHonestVote();
                sayOneByte();
            }
        }
    }

    /** Of a greeting that takes longer than is waited for it; then it begins again. */
    private void sayOneByte() throws IOException {
        byte[] greeting = RawMuxer.words("/multistream/1.0.0", "/noise");
        try {
            slow.getOutputStream().write(greeting[slowBytes++ % greeting.length]);
        } catch (IOException hungUp) {
            slow.close();
            slow = new Socket(InetAddress.getLoopbackAddress(), port);
            slowBytes = 0;
        }
    }

    private void settle() throws InterruptedException {
        Await.until("all but the honest have gone", () -> node.peers().size() == 1);
        awaitHonestVote();
    }

    /** Heap after collection, and what the pools of buffers hold. */
    private static long liveBytes() {
        for (int count = 0; count < 3; count++) {
            System.gc();
        }
        var pool = PooledByteBufAllocator.DEFAULT.metric();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
                + pool.usedDirectMemory();
    }

    @Test
    void fourHundredConnectionsLeaveNothingBehind() throws Exception {
        soak(400);
    }

    @Test
    @org.junit.jupiter.api.Tag("long")
    void tenThousandConnectionsLeaveNothingBehind() throws Exception {
        soak(10_000);
    }
}
