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

/**
 * Peers that come and go, that do not read, that say a byte at a time, that say what is invalid:
 * what they cost is given back, and an honest peer does not notice.
 */
final class SoakTest {
    private static final byte[] TOPIC = "\"\balgotx01".getBytes(US_ASCII);

    private final RecordingInbox honestInbox = new RecordingInbox();
    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    private Gossip node;
    private Gossip honest;
    private int port;
    private int votes;

    @BeforeEach
    void start() throws Exception {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        node = gossip(1, new RecordingInbox().answering(Verdict.REJECT));
        Multiaddr address = node.listenAddresses().getFirst();
        port = Objects.requireNonNull(address.socketAddress()).getPort();
        honest = gossip(2, honestInbox, address);
        Await.until("an honest peer", () -> node.peers().size() == 1 && node.meshSize() == 1);
    }

    @AfterEach
    void stop() {
        honest.close();
        node.close();
        ResourceLeakDetector.setLevel(level);
    }

    private static Gossip gossip(int seed, Inbox inbox, Multiaddr... dial) throws IOException {
        var gossip =
                new Gossip(
                        GossipConfig.of(
                                "soak-v1",
                                RawPeer.key(seed),
                                List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/0")),
                                List.of(dial)),
                        inbox,
                        (asker, round, answer) -> answer.accept(new BlockAnswer.Missing(0)),
                        new Random(seed),
                        System::nanoTime,
                        InstantSource.system());
        gossip.start();
        return gossip;
    }

    private void awaitHonestVote() throws InterruptedException {
        byte[] vote = {(byte) ++votes};
        node.broadcast(Tag.VOTE, vote, 0, 1);
        assertThat(honestInbox.next().body()).isEqualTo(vote);
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
        for (int number = 0; number < 200; number++) {
            comeAndGo(number);
        }
        settle();
        long before = liveBytes();
        for (int number = 0; number < connections; number++) {
            comeAndGo(200 + number);
            if (number % 50 == 0) {
                awaitHonestVote();
            }
        }
        settle();
        long after = liveBytes();
        assertThat(after).isLessThan(before + before / 20);
        assertThat(honest.peers()).hasSize(1);
        awaitHonestVote();
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
