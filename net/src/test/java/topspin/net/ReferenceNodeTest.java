package topspin.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.vote.VoteDecoder;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.stream.BlockAnswer;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Against a node of the reference that runs already: {@code -Dtopspin.reference=} its multiaddr,
 * and {@code -Dtopspin.reference.genesis=} its genesis id. Skipped without; {@code
 * src/test/reference} starts one.
 */
@org.junit.jupiter.api.Tag("interop")
final class ReferenceNodeTest {
    private final Votes inbox = new Votes();
    private Multiaddr address;
    private Gossip gossip;

    /** Counts what arrives whole. */
    private static final class Votes implements Inbox {
        final AtomicInteger votes = new AtomicInteger();
        final AtomicInteger proposals = new AtomicInteger();
        final AtomicInteger malformed = new AtomicInteger();

        @Override
        public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
            byte[] bytes = new byte[body.readableBytes()];
            body.readBytes(bytes);
            try {
                switch (tag) {
                    case VOTE -> {
                        new VoteDecoder().decodeVote(bytes, 0, bytes.length);
                        votes.incrementAndGet();
                    }
                    case PROPOSAL -> {
                        var reader = new MsgpackReader().reset(bytes, 0, bytes.length);
                        reader.skip();
                        assertThat(reader.atEnd()).isTrue();
                        proposals.incrementAndGet();
                    }
                    default -> {}
                }
            } catch (MalformedMessage wrong) {
                malformed.incrementAndGet();
            }
            return Verdict.IGNORE;
        }
    }

    @BeforeEach
    void connect() throws IOException {
        String reference = System.getProperty("topspin.reference", "");
        Assumptions.assumeFalse(reference.isEmpty(), "no reference node");
        address = Multiaddr.parse(reference);
        gossip =
                new Gossip(
                        GossipConfig.of(
                                System.getProperty("topspin.reference.genesis", "private-v1"),
                                RawPeer.key(77),
                                List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/0")),
                                List.of(address)),
                        inbox,
                        (asker, round, answer) -> answer.accept(new BlockAnswer.Missing(0)),
                        (asker, known, answer) -> answer.accept(null),
                        new SecureRandom(),
                        System::nanoTime,
                        InstantSource.system());
        gossip.start();
    }

    @AfterEach
    void close() {
        if (gossip != null) {
            gossip.close();
        }
    }

    @Test
    void votesAndProposalsArriveWholeAndBlocksByEitherService() throws Exception {
        Peer peer = gossip.dialled(address).get(10, TimeUnit.SECONDS);
        Await.until("a neighbour", () -> gossip.meshSize() == 1);
        Await.until("votes", () -> inbox.votes.get() > 5 && inbox.proposals.get() > 0);
        var stream = (BlockAnswer.Found) gossip.requestBlock(peer, 1).get(10, TimeUnit.SECONDS);
        var http = (BlockAnswer.Found) gossip.fetchBlock(peer, 1).get(10, TimeUnit.SECONDS);
        assertThat(http.block()).isEqualTo(stream.block());
        assertThat(http.certificate()).isEqualTo(stream.certificate());
        assertThat(gossip.fetchBlock(peer, 1L << 40).get(10, TimeUnit.SECONDS))
                .isInstanceOf(BlockAnswer.Missing.class);
        assertThat(inbox.malformed).hasValue(0);
    }

    /** Gossip.md A.6: out of the mesh at the next heartbeat; connection and votes stay. */
    @Test
    void aMalformedTransactionCostsUsTheMeshAndNoMore() throws Exception {
        Peer peer = gossip.dialled(address).get(10, TimeUnit.SECONDS);
        Await.until("a neighbour", () -> gossip.meshSize() == 1);
        byte[] malformed = new byte[40];
        new SecureRandom().nextBytes(malformed);
        malformed[0] = -1;
        gossip.broadcast(Tag.TRANSACTION, malformed, 0, malformed.length);
        Await.until("pruned", () -> gossip.meshSize() == 0);
        int before = inbox.votes.get();
        Await.until("votes go on", () -> inbox.votes.get() > before + 5);
        assertThat(gossip.peers()).containsExactly(peer);
        assertThat(gossip.requestBlock(peer, 1).get(10, TimeUnit.SECONDS))
                .isInstanceOf(BlockAnswer.Found.class);
    }
}
