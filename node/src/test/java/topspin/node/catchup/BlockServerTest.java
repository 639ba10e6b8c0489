package topspin.node.catchup;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import topspin.ledger.LedgerConfig;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Traffic;
import topspin.net.Verdict;
import topspin.net.stream.BlockAnswer;
import topspin.net.stream.BlockRequest;
import topspin.net.stream.Topics;
import topspin.node.Funds;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

final class BlockServerTest {
    private final Chain chain = new Chain(new Funds(2));
    private final BlockingQueue<Throwable> faults = new LinkedBlockingQueue<>();
    private final BlockServer server =
            new BlockServer(chain.ledger, Duration.ofMinutes(1), System::nanoTime, faults::add);
    private final AskingPeer peer = new AskingPeer();
    private long nonce;

    BlockServerTest() {
        server.start();
    }

    @AfterEach
    void close() {
        server.close();
        chain.close();
    }

    /** Keeps what it is sent. */
    private static final class AskingPeer implements Peer {
        private final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
        private volatile long queuedBytes;

        @Override
        public String id() {
            return "asking";
        }

        @Override
        public String address() {
            return "/ip4/127.0.0.1/tcp/1";
        }

        @Override
        public boolean outbound() {
            return false;
        }

        @Override
        public boolean send(Tag tag, byte[] bytes, int offset, int length) {
            assertThat(tag).isEqualTo(Tag.BLOCK_RESPONSE);
            return answers.add(Arrays.copyOfRange(bytes, offset, offset + length));
        }

        @Override
        public Traffic traffic() {
            return new Traffic();
        }

        @Override
        public long queuedBytes() {
            return queuedBytes;
        }

        @Override
        public void settle(Tag tag, byte[] bytes, int offset, int length, Verdict verdict) {
            throw new AssertionError("a request is not settled");
        }

        BlockAnswer next() throws InterruptedException {
            byte[] body = Objects.requireNonNull(answers.poll(10, TimeUnit.SECONDS), "no answer");
            Topics topics = Objects.requireNonNull(Topics.decode(Unpooled.wrappedBuffer(body)));
            return Objects.requireNonNull(BlockAnswer.of(topics));
        }
    }

    private void ask(BlockServer server, long round) {
        byte[] request = BlockRequest.encode(round, nonce++);
        Verdict verdict = server.offer(peer, Tag.BLOCK_REQUEST, Unpooled.wrappedBuffer(request));
        assertThat(verdict).isEqualTo(Verdict.IGNORE);
    }

    private void assertFound(long round) throws InterruptedException {
        assertThat(peer.next())
                .usingRecursiveComparison()
                .isEqualTo(
                        new BlockAnswer.Found(
                                Objects.requireNonNull(chain.ledger.blockBytes(round)),
                                Objects.requireNonNull(chain.ledger.certificateBytes(round))));
    }

    @Test
    void blocksAreServedAsTheyAreStored() throws InterruptedException {
        chain.produce(chain.funds.payment(0, 1, 5));
        ask(server, 0);
        assertFound(0);
        ask(server, 1);
        assertFound(1);
        assertThat(server.served.sum()).isEqualTo(2);
    }

    @Test
    void theNextRoundIsAnsweredWhenItIsThere() throws InterruptedException {
        ask(server, 1);
        ask(server, 0);
        assertFound(0); // Served after the other came in, and does not overtake for nothing.
        assertThat(peer.answers).isEmpty();
        chain.produce();
        assertFound(1);
    }

    @Test
    void aRoundFurtherAheadIsMissingAtOnce() throws InterruptedException {
        chain.produce();
        ask(server, 3);
        assertThat(peer.next()).isEqualTo(new BlockAnswer.Missing(1));
        ask(server, -1);
        assertThat(peer.next()).isEqualTo(new BlockAnswer.Missing(1));
    }

    @Test
    void aPrunedRoundIsMissingAndTheAnswerTellsTheLatest() throws InterruptedException {
        long kept = LedgerConfig.KEEP_ROUNDS_MIN;
        try (var few = new Chain(chain.funds, LedgerConfig.DEFAULT.withKeepRounds(kept));
                var serving =
                        new BlockServer(
                                few.ledger, Duration.ofMinutes(1), System::nanoTime, faults::add)) {
            serving.start();
            for (long round = 1; round < kept; round++) {
                few.produce();
            }
            ask(serving, 0);
            assertThat(peer.next()).isInstanceOf(BlockAnswer.Found.class);
            few.produce();
            ask(serving, 0);
            assertThat(peer.next()).isEqualTo(new BlockAnswer.Missing(kept));
            ask(serving, 1);
            assertThat(peer.next()).isInstanceOf(BlockAnswer.Found.class);
        }
    }

    @Test
    void whoCannotReadTheLedgerSaysSo() throws InterruptedException {
        chain.close();
        ask(server, 0);
        assertThat(faults.poll(10, TimeUnit.SECONDS)).isNotNull();
        assertThat(peer.answers).isEmpty();
    }

    @Test
    void theNextRoundIsMissingWhenItDoesNotComeInTime() throws InterruptedException {
        try (var hasty =
                new BlockServer(
                        chain.ledger, Duration.ofMillis(20), System::nanoTime, faults::add)) {
            hasty.start();
            ask(hasty, 1);
            assertThat(peer.next()).isEqualTo(new BlockAnswer.Missing(0));
        }
    }

    @Test
    void whoAsksTooMuchOrDoesNotReadIsTurnedAway() throws InterruptedException {
        for (int count = 0; count < BlockServer.PER_PEER_MAX; count++) {
            ask(server, 1);
        }
        ask(server, 1);
        assertThat(peer.next()).isInstanceOf(BlockAnswer.Refused.class);
        chain.produce();
        for (int count = 0; count < BlockServer.PER_PEER_MAX; count++) {
            assertFound(1);
        }
        peer.queuedBytes = BlockServer.UNREAD_BYTES_MAX + 1;
        ask(server, 1);
        assertThat(peer.next()).isInstanceOf(BlockAnswer.Refused.class);
        assertThat(server.turnedAway.sum()).isEqualTo(2);
        peer.queuedBytes = 0;
        ask(server, 1);
        assertFound(1);
    }

    @Test
    void whatIsNoRequestIsRefused() throws InterruptedException {
        server.offer(peer, Tag.BLOCK_REQUEST, Unpooled.wrappedBuffer(new byte[] {1, 2}));
        assertThat(peer.next()).isInstanceOf(BlockAnswer.Refused.class);
    }
}
