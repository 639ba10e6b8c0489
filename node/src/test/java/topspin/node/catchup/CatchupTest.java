package topspin.node.catchup;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;
import topspin.codec.block.Block;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.Certificate;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.SignedTransaction;
import topspin.ledger.Genesis;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.store.MemoryStore;
import topspin.net.BlockSource;
import topspin.net.Gossip;
import topspin.net.GossipConfig;
import topspin.net.Inbox;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Verdict;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.stream.BlockAnswer;
import topspin.net.stream.BlockRequest;
import topspin.node.Funds;
import topspin.node.Judges;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

/** A producer and a follower on real sockets, their ledgers in memory. */
final class CatchupTest {
    private final Funds funds = new Funds(3);
    private final Chain producer = new Chain(funds);
    private final Chain follower = new Chain(funds);
    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();
    private final List<AutoCloseable> opened = new ArrayList<>(List.of(producer, follower));

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private <T extends AutoCloseable> T open(T one) {
        opened.add(one);
        return one;
    }

    /**
     * A loopback address of this process: no other takes a port of ours that is free for a moment.
     */
    private static InetAddress ownAddress() throws IOException {
        long pid = ProcessHandle.current().pid();
        return InetAddress.getByAddress(
                new byte[] {127, (byte) (1 + (pid >> 8) % 254), (byte) pid, 1});
    }

    private Gossip gossip(String genesisId, int account, int port, Inbox inbox, Multiaddr... dial)
            throws IOException {
        Multiaddr listen = Multiaddr.of(new InetSocketAddress(ownAddress(), port));
        var config = GossipConfig.of(genesisId, funds.key(account), List.of(listen), List.of(dial));
        var gossip =
                open(
                        new Gossip(
                                config,
                                inbox,
                                inbox instanceof BlockSource blocks ? blocks : NO_BLOCKS,
                                (asker, known, answer) -> answer.accept(null),
                                new SplittableRandom(1),
                                System::nanoTime,
                                InstantSource.system()));
        gossip.start();
        return gossip;
    }

    private static final BlockSource NO_BLOCKS =
            (asker, round, answer) -> answer.accept(new BlockAnswer.Refused("none"));

    private Gossip serving(Chain chain, int port) throws IOException {
        var server =
                open(
                        new BlockServer(
                                chain.ledger, BlockServer.HOLD, System::nanoTime, fault -> {}));
        server.start();
        return gossip(funds.genesis().id(), 0, port, server);
    }

    private static Multiaddr address(Gossip node) {
        return node.listenAddresses().getFirst();
    }

    private Catchup following(Multiaddr source) throws IOException {
        return following(source, follower.ledger);
    }

    private Catchup following(Multiaddr source, Ledger ledger) throws IOException {
        Inbox inbox = (peer, tag, body) -> Verdict.IGNORE;
        Gossip gossip = gossip(ledger.genesis().id(), 1, 0, inbox, source);
        var catchup =
                open(
                        new Catchup(
                                source,
                                gossip,
                                ledger,
                                Chain.newSignatures(),
                                Judges.of(ledger),
                                new SyncRound(0),
                                System::nanoTime,
                                fault::complete));
        catchup.start();
        return catchup;
    }

    private void awaitRound(long round) throws Exception {
        CompletableFuture.anyOf(follower.ledger.reached(round), fault).get(20, TimeUnit.SECONDS);
        assertThat(fault).isNotDone();
        assertThat(follower.round()).isGreaterThanOrEqualTo(round);
    }

    private void assertSameAsProducer() {
        assertThat(follower.round()).isEqualTo(producer.round());
        for (long round = 0; round <= producer.round(); round++) {
            assertThat(follower.ledger.blockBytes(round))
                    .isEqualTo(producer.ledger.blockBytes(round));
            assertThat(follower.ledger.certificateBytes(round))
                    .isEqualTo(producer.ledger.certificateBytes(round));
        }
        assertThat(follower.ledger.digest()).isEqualTo(producer.ledger.digest());
    }

    private String awaitFault() throws Exception {
        Throwable end = fault.get(20, TimeUnit.SECONDS);
        assertThat(end).isInstanceOf(CatchupFault.class);
        return String.valueOf(end.getMessage());
    }

    /** A producer that answers every request by a function of the round. */
    private Gossip answering(LongFunction<BlockAnswer> answers) throws IOException {
        return answering(funds.genesis().id(), answers);
    }

    private Gossip answering(String genesisId, LongFunction<BlockAnswer> answers)
            throws IOException {
        return gossip(
                genesisId,
                0,
                0,
                new Inbox() {
                    @Override
                    public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
                        byte[] bytes = new byte[body.readableBytes()];
                        body.readBytes(bytes);
                        BlockRequest request = Objects.requireNonNull(BlockRequest.decode(bytes));
                        byte[] answer = answers.apply(request.round()).encode(request.hash());
                        peer.send(Tag.BLOCK_RESPONSE, answer, 0, answer.length);
                        return Verdict.IGNORE;
                    }
                });
    }

    private BlockAnswer stored(long round) {
        byte[] block = producer.ledger.blockBytes(round);
        return block == null ? new BlockAnswer.Missing(producer.round()) : found(block, round);
    }

    private static BlockAnswer found(byte[] block, long round) {
        return new BlockAnswer.Found(block, Certificate.ofRound(round).encoding().toArray());
    }

    @Test
    void aFollowerManyRoundsBehindCatchesUpAndThenKeepsUp() throws Exception {
        for (int round = 1; round <= 60; round++) {
            producer.produce(funds.payment(0, 1, round), funds.payment(1, 2, 1));
        }
        following(address(serving(producer, 0)));
        awaitRound(60);
        assertSameAsProducer();
        for (int round = 61; round <= 65; round++) {
            producer.produce(funds.payment(0, 1, round));
            awaitRound(round);
        }
        assertSameAsProducer();
    }

    @Test
    void aProducerThatComesBackIsFollowedFurther() throws Exception {
        producer.produce(funds.payment(0, 1, 1));
        Gossip before = serving(producer, 0);
        Multiaddr where = address(before);
        following(where);
        awaitRound(1);
        before.close();
        producer.produce(funds.payment(0, 1, 2));
        serving(producer, Objects.requireNonNull(where.socketAddress()).getPort());
        awaitRound(2);
        assertSameAsProducer();
    }

    @Test
    void aFollowerThatWasAwayCatchesUp() throws Exception {
        Multiaddr where = address(serving(producer, 0));
        producer.produce(funds.payment(0, 1, 1));
        Catchup first = following(where);
        awaitRound(1);
        first.close();
        for (int round = 2; round <= 20; round++) {
            producer.produce(funds.payment(0, 1, round));
        }
        assertThat(follower.round()).isOne();
        opened.removeLast().close(); // The catch-up again,
        opened.removeLast().close(); // and its network.
        following(where);
        awaitRound(20);
        assertSameAsProducer();
    }

    @Test
    void aTransactionWithAnotherSignatureEndsIt() throws Exception {
        SignedTransaction honest = funds.payment(0, 1, 7);
        Block block = producer.produce(honest);
        BlockTransaction forged =
                BlockTransaction.of(
                        Funds.forged(honest), block.transactions().getFirst().applied());
        byte[] altered = BlockEncoder.encodeBlock(new Block(block.header(), List.of(forged)));
        following(address(answering(round -> round == 1 ? found(altered, 1) : stored(round))));
        assertThat(awaitFault()).contains("round 1", "signature");
        assertThat(follower.round()).isZero();
    }

    @Test
    void aChangedHeaderEndsIt() throws Exception {
        Block block = producer.produce(funds.payment(0, 1, 7));
        var draft = block.header().toDraft();
        draft.transactionCounter++;
        byte[] altered = BlockEncoder.encodeBlock(new Block(draft.build(), block.transactions()));
        following(address(answering(round -> round == 1 ? found(altered, 1) : stored(round))));
        assertThat(awaitFault()).contains("round 1");
        assertThat(follower.round()).isZero();
    }

    @Test
    void bytesThatAreNoBlockEndIt() throws Exception {
        producer.produce(funds.payment(0, 1, 7));
        byte[] whole = Objects.requireNonNull(producer.ledger.blockBytes(1));
        byte[] cut = Arrays.copyOf(whole, whole.length - 1);
        following(address(answering(round -> round == 1 ? found(cut, 1) : stored(round))));
        assertThat(awaitFault()).contains("round 1", "no block");
    }

    @Test
    void aBlockOfAnotherRoundEndsIt() throws Exception {
        producer.produce();
        producer.produce();
        following(address(answering(round -> stored(round == 1 ? 2 : round))));
        assertThat(awaitFault()).contains("round 1");
    }

    @Test
    void aSecondBlockForARoundEndsIt() throws Exception {
        producer.produce(funds.payment(0, 1, 7));
        follower.produce(funds.payment(0, 1, 8));
        following(address(serving(producer, 0)));
        assertThat(awaitFault()).contains("round 1", "another block");
    }

    @Test
    void aProducerBehindIsWaitedFor() throws Exception {
        Block first = producer.produce(funds.payment(0, 1, 7));
        follower.produce(first.transactions().getFirst().signed());
        assertThat(follower.ledger.blockBytes(1)).isEqualTo(producer.ledger.blockBytes(1));
        var asked = new CountDownLatch(3);
        var there = new AtomicBoolean();
        following(
                address(
                        answering(
                                round -> {
                                    asked.countDown();
                                    return there.get() ? stored(round) : new BlockAnswer.Missing(0);
                                })));
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        producer.produce(funds.payment(0, 1, 9));
        there.set(true);
        awaitRound(2);
        assertSameAsProducer();
    }

    @Test
    void roundsKeptNoLongerEndIt() throws Exception {
        following(
                address(
                        answering(
                                round -> round == 0 ? stored(0) : new BlockAnswer.Missing(5_000))));
        assertThat(awaitFault()).contains("round 1", "kept no longer");
    }

    /** The chain of a network of agreement, as the reference node made it and serves it. */
    private final class Recording implements AutoCloseable {
        private static final String FOLDER = "reference/ledger/chain/";

        final List<Vectors.Row> rows = Vectors.rows(FOLDER + "blocks.jsonl.gz");
        final Ledger ledger;

        Recording() throws IOException {
            String genesis = Files.readString(Vectors.file(FOLDER + "genesis.json"));
            ledger =
                    Ledger.over(
                            new MemoryStore(),
                            Genesis.parse(genesis),
                            LedgerConfig.DEFAULT,
                            System::nanoTime);
        }

        void follow(LongFunction<BlockAnswer> answers) throws IOException {
            following(address(answering(ledger.genesis().id(), answers)), ledger);
        }

        BlockAnswer.Found served(long round, long certified) {
            return new BlockAnswer.Found(
                    rows.get((int) round).hex("block_msgpack_hex"),
                    rows.get((int) certified).hex("cert_msgpack_hex"));
        }

        @Override
        public void close() {
            ledger.close();
        }
    }

    @Test
    void aNetworkOfAgreementIsFollowedToTheFirstRoundThatIsBeyondUs() throws Exception {
        try (var recording = open(new Recording())) {
            recording.follow(round -> recording.served(round, round));
            assertThat(awaitFault())
                    .contains("round 113: transaction ", "logic signatures are not supported");
            assertThat(recording.ledger.view().headerHash())
                    .hasToString(recording.rows.get(112).text("block_hash"));
            assertThat(recording.ledger.certificateBytes(112))
                    .isEqualTo(recording.rows.get(112).hex("cert_msgpack_hex"));
        }
    }

    @Test
    void aCertificateOfAnotherBlockEndsIt() throws Exception {
        try (var recording = open(new Recording())) {
            recording.follow(round -> recording.served(round, round == 5 ? 4 : round));
            assertThat(awaitFault()).contains("round 5: its certificate is another block's");
            assertThat(recording.ledger.view().round()).isEqualTo(4);
        }
    }

    @Test
    void aCertificateWhoseVotesDoNotHoldEndsIt() throws Exception {
        try (var recording = open(new Recording())) {
            recording.follow(
                    round -> {
                        BlockAnswer.Found found = recording.served(round, round);
                        if (round == 7) { // In a vote's signature; its sender stands behind.
                            byte[] certificate = found.certificate();
                            certificate[certificate.length - 60] ^= 1;
                        }
                        return found;
                    });
            assertThat(awaitFault()).contains("round 7: its certificate does not hold");
            assertThat(recording.ledger.view().round()).isEqualTo(6);
        }
    }

    @Test
    void aProducerThatAnswersAtOnceIsNotPestered() throws Exception {
        var asked = new AtomicInteger();
        long began = System.nanoTime();
        following(
                address(
                        answering(
                                round -> {
                                    asked.incrementAndGet();
                                    return stored(round);
                                })));
        while (asked.get() < 6) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isGreaterThan(Duration.ofMillis(500));
        producer.produce(funds.payment(0, 1, 1));
        awaitRound(1);
    }
}
