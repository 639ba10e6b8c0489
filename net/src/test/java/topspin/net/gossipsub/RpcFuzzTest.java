package topspin.net.gossipsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import topspin.net.Mutator;
import topspin.net.Verdict;
import topspin.net.rpc.RpcFault;
import topspin.net.rpc.RpcReader;
import topspin.net.rpc.RpcsByProtobuf;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * RPCs of a corpus, changed by lot, read, and if they can be, taken in by a router: there is no
 * exception, no offset outside, and of some protobuf-java says the same. What once failed is to be
 * added to the corpus.
 */
final class RpcFuzzTest {
    private static final String CORPUS = "rpc-corpus.txt";
    private static final int BYTES_MAX = 2_048;

    private static List<byte[]> corpus() throws IOException {
        return Mutator.corpus(RpcFuzzTest.class, CORPUS);
    }

    @Test
    void theCorpusItselfIsReadAsProtobufReadsIt() throws IOException {
        var fuzz = new Fuzz(1);
        List<byte[]> corpus = corpus();
        assertThat(corpus).hasSizeGreaterThan(20);
        for (byte[] rpc : corpus) {
            fuzz.take(rpc, rpc.length, true);
        }
    }

    @Test
    void aMillionChangedRpcsAreReadOrRefused() throws IOException {
        new Fuzz(2).run(1_000_000);
    }

    @Test
    @Tag("long")
    void aHundredMillionChangedRpcsAreReadOrRefused() throws IOException {
        new Fuzz(3).run(100_000_000);
    }

    /** A router with one peer, which comes back when it is thrown out. */
    private static final class Fuzz implements GossipLink {
        private final Mutator mutator;
        private final SplittableRandom random;
        private final RpcReader reader = new RpcReader();
        private final ByteBuf lent;
        private final GossipCounters counters = new GossipCounters();
        private final GossipSub router;
        private GossipPeer peer;
        private boolean gone;
        private long nowNanos;
        private long read;
        private long inputs;
        private int peers;

        Fuzz(long seed) throws IOException {
            random = new SplittableRandom(seed);
            mutator = new Mutator(corpus(), seed, BYTES_MAX);
            lent = Unpooled.wrappedBuffer(mutator.bytes());
            router =
                    new GossipSub(
                            new GossipSubConfig(Degrees.of(4), 1 << 20, 1_000, 100, 100_000),
                            FakePeer.id(99),
                            new SplittableRandom(seed),
                            () -> nowNanos,
                            UnpooledByteBufAllocator.DEFAULT,
                            counters);
            router.subscribe();
            peer = router.connected(FakePeer.id(0), true, GossipVersion.V1_2, this);
        }

        void run(long count) {
            mutator.run(count, (rpc, length) -> take(rpc, length, ++inputs % 1_000 == 0));
            // Neither all nor none: else the changes would be too small or too large.
            assertThat((double) read / count).isBetween(0.05, 0.9);
            assertThat(counters.fresh.sum()).isGreaterThan(count / 2_000);
        }

        void take(byte[] rpc, int length, boolean compare) {
            ByteBuf buffer =
                    rpc == mutator.bytes()
                            ? lent.setIndex(0, BYTES_MAX)
                            : Unpooled.wrappedBuffer(rpc);
            RpcFault fault = reader.read(buffer, 0, length);
            if (compare) {
                RpcsByProtobuf.assertSame(Arrays.copyOf(rpc, length), fault, reader);
            }
            if (fault != null) {
                return;
            }
            read++;
            for (int index = 0; index < reader.messages(); index++) {
                assertWithin(reader.dataOffset(index), reader.dataLength(index), length);
                assertWithin(reader.fromOffset(index), reader.fromLength(index), length);
                assertWithin(reader.seqnoOffset(index), reader.seqnoLength(index), length);
                assertWithin(reader.keyOffset(index), reader.keyLength(index), length);
            }
            for (int index = 0; index < reader.iwantIds(); index++) {
                assertWithin(reader.iwantIdOffset(index), reader.iwantIdLength(index), length);
            }
            nowNanos += 1_000_000;
            router.receive(peer, reader);
            router.flush();
            if (read % 1_000 == 0) {
                router.heartbeat();
            }
            if (gone) {
                gone = false;
                router.disconnected(peer);
                peers = (peers + 1) % 10_000;
                peer = router.connected(FakePeer.id(peers), true, GossipVersion.V1_2, this);
            }
        }

        private static void assertWithin(int offset, int bytes, int length) {
            boolean absent = offset == -1 && bytes == 0;
            if (!absent && (offset < 0 || bytes < 0 || offset + bytes > length)) {
                throw new AssertionError(offset + " + " + bytes + " of " + length);
            }
        }

        @Override
        public boolean send(ByteBuf frame) {
            frame.release();
            return random.nextInt(10) > 0;
        }

        @Override
        public Verdict deliver(ByteBuf data) {
            return switch (data.readByte() & 7) {
                case 0 -> Verdict.REJECT;
                case 1 -> Verdict.IGNORE;
                case 2, 3 -> Verdict.PENDING;
                default -> Verdict.ACCEPT;
            };
        }

        @Override
        public void disconnect(@Nullable GossipDrop reason) {
            gone = true;
        }
    }
}
