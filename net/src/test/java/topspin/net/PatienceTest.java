package topspin.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.RawMuxer;
import topspin.net.stream.BlockAnswer;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How long a peer that does nothing is borne; in the seconds of the machine. */
@Tag("long")
@ExtendWith(LeakFreedom.class)
final class PatienceTest {
    private Gossip node;
    private int port;

    @BeforeEach
    void start() throws IOException {
        node =
                new Gossip(
                        GossipConfig.of(
                                "private-v1",
                                RawPeer.key(1),
                                List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/0")),
                                List.of()),
                        new RecordingInbox(),
                        (asker, round, answer) -> answer.accept(new BlockAnswer.Missing(0)),
                        (asker, known, answer) -> answer.accept(null),
                        new Random(1),
                        System::nanoTime,
                        InstantSource.system());
        node.start();
        Multiaddr address = node.listenAddresses().getFirst();
        port = Objects.requireNonNull(address.socketAddress()).getPort();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private static long seconds(long sinceNanos) {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNanos);
    }

    @Test
    void aStreamOnWhichNothingIsSaidIsResetAfterTenSeconds() throws IOException {
        try (RawMuxer muxer = RawMuxer.connect(port, RawPeer.key(2))) {
            long begin = System.nanoTime();
            int id = muxer.newId();
            muxer.frame(RawMuxer.WINDOW, RawMuxer.SYN, id, 0);
            muxer.awaitReset(id);
            assertThat(seconds(begin)).isBetween(9L, 13L);
            muxer.awaitPong();
        }
    }

    @Test
    void anIdentifyThatIsNotAnsweredIsGivenUpAndTheConnectionStays() throws IOException {
        try (RawMuxer muxer = RawMuxer.connect(port, RawPeer.key(2), "/ipfs/id/1.0.0")) {
            long begin = System.nanoTime();
            int id = muxer.accepted("/ipfs/id/1.0.0");
            muxer.awaitReset(id);
            assertThat(seconds(begin)).isBetween(4L, 8L);
            muxer.awaitPong();
            assertThat(node.meshSize()).isZero();
        }
    }

    @Test
    void aPingThatIsNotAnsweredEndsTheConnection() throws IOException {
        try (RawMuxer muxer = RawMuxer.connect(port, RawPeer.key(2))) {
            muxer.ignorePings();
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (node.counters().dropped(Drop.PING_TIMEOUT) == 0 && System.nanoTime() < end) {
                muxer.awaitPong(); // It answers ours all the while.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
            muxer.awaitClosed();
        }
    }
}
