package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.block.Certificate;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.SignedTransaction;
import topspin.ledger.EvaluatedBlock;
import topspin.net.multiaddr.Multiaddr;
import topspin.node.devmode.BlockMode;
import topspin.node.ingest.Drop;
import topspin.node.ingest.Submission;
import topspin.node.pool.PoolConfig;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Whole nodes in this process: real folders, sockets, blocks. */
@Timeout(90)
final class NodeTest {
    private static final BlockMode QUICK = new BlockMode.Interval(Duration.ofMillis(50));

    private final Funds funds = new Funds(4);
    private final List<Node> nodes = new ArrayList<>();
    private Path parent;

    @BeforeEach
    void folder(@TempDir Path temporary) {
        parent = temporary;
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(Node::close);
    }

    @Test
    void aNodeMakesBlocksOfWhatIsSubmitted() throws Exception {
        Node node = producer(QUICK);
        SignedTransaction payment = funds.payment(0, 1, 5);

        assertThat(submit(node, payment)).isEqualTo(new Submission.Accepted(payment.id()));
        awaitCommitted(node, payment);

        assertThat(node.ledger().view().account(funds.address(1)).balance())
                .isEqualTo(Funds.BALANCE + 5);
        awaitUntil(() -> !node.pool().contains(payment.id()));
    }

    @Test
    void emptyBlocksFollowEachOther() throws Exception {
        Node node = producer(QUICK);

        long round = node.ledger().reached(3).get(30, TimeUnit.SECONDS);

        assertThat(round).isGreaterThanOrEqualTo(3);
    }

    @Test
    void anInstantNodeAnswersWhenTheBlockIsThere() throws Exception {
        Node node = producer(new BlockMode.Instant());

        for (int round = 1; round <= 5; round++) {
            SignedTransaction payment = funds.payment(0, 1, 5);
            assertThat(submit(node, payment)).isEqualTo(new Submission.Accepted(payment.id()));
            assertThat(node.ledger().view().round()).isEqualTo(round);
            assertThat(isCommitted(node, payment)).isTrue();
        }
    }

    @Test
    void atOnceMeansABlockForEachEvenWhenManySubmit() throws Exception {
        Node node = producer(new BlockMode.Instant());
        List<CompletableFuture<Submission>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(node.ingest().submit(funds.payment(0, 1, 5).toBytes()));
        }
        for (CompletableFuture<Submission> answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS)).isInstanceOf(Submission.Accepted.class);
        }
        assertThat(node.ledger().view().round()).isEqualTo(20);
    }

    @Test
    void anAsynchronousSubmissionSharesTheNextBlock() throws Exception {
        Node node = producer(new BlockMode.Instant());
        SignedTransaction patient = funds.payment(0, 1, 5);
        node.ingest().submitAsync(patient.toBytes());
        awaitUntil(() -> node.pool().contains(patient.id()));
        assertThat(node.ledger().view().round()).isZero();

        submit(node, funds.payment(2, 1, 5));

        assertThat(node.ledger().view().round()).isEqualTo(1);
        assertThat(isCommitted(node, patient)).isTrue();
    }

    @Test
    void aRefusedSubmissionMakesNoBlock() throws Exception {
        Node node = producer(new BlockMode.Instant());

        assertThat(submit(node, funds.payment(0, 1, Funds.BALANCE)))
                .isInstanceOf(Submission.Refused.class);
        assertThat(node.ledger().view().round()).isZero();
    }

    @Test
    void aManualNodeMakesBlocksWhenAsked() throws Exception {
        Node node = producer(new BlockMode.Manual());
        SignedTransaction payment = funds.payment(0, 1, 5);
        submit(node, payment);
        assertThat(node.ledger().view().round()).isZero();

        assertThat(node.pacer().orElseThrow().makeBlock().get(10, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(isCommitted(node, payment)).isTrue();
        assertThat(node.pacer().orElseThrow().makeBlock().get(10, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void anInstantNodeMakesABlockByHandToo() throws Exception {
        Node node = producer(new BlockMode.Instant());

        assertThat(node.pacer().orElseThrow().makeBlock().get(10, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void timestampsFollowTheClockWithinBounds() throws Exception {
        Node node = producer(new BlockMode.Manual());

        long first = timestampOfNextBlock(node);
        long second = timestampOfNextBlock(node);
        assertThat(second).isBetween(first, first + 25);
        node.pacer().orElseThrow().setOffset(7);
        assertThat(timestampOfNextBlock(node)).isEqualTo(second + 7);
        node.pacer().orElseThrow().setOffset(0);
        assertThat(timestampOfNextBlock(node)).isEqualTo(second + 7);
    }

    @Test
    void bothNodesTakeTransactionsAndAgree() throws Exception {
        Node producer = producer(QUICK);
        Node follower = follower(producer, QUICK);
        SignedTransaction there = funds.payment(0, 1, 5);
        SignedTransaction here = funds.payment(2, 3, 7);

        submit(follower, there);
        submit(producer, here);
        for (Node node : nodes) {
            awaitCommitted(node, there);
            awaitCommitted(node, here);
        }

        long round = follower.ledger().view().committedRound(there.id());
        assertThat(producer.ledger().view().committedRound(there.id())).isEqualTo(round);
        assertSameBlocks(producer, follower);
    }

    @Test
    void aFollowerOfAnInstantNodeAnswersWhenTheBlockIsThere() throws Exception {
        Node producer = producer(new BlockMode.Instant());
        Node follower = follower(producer, new BlockMode.Instant());
        SignedTransaction payment = funds.payment(0, 1, 5);

        assertThat(submit(follower, payment)).isEqualTo(new Submission.Accepted(payment.id()));

        assertThat(isCommitted(follower, payment)).isTrue();
        assertThat(producer.ledger().view().round()).isEqualTo(1);
    }

    @Test
    void whatAProducerTakesIsGossipedToItsFollower() throws Exception {
        Node producer = producer(new BlockMode.Manual());
        Node follower = follower(producer, new BlockMode.Manual());
        SignedTransaction payment = funds.payment(0, 1, 5);

        submit(producer, payment);

        awaitUntil(() -> follower.pool().contains(payment.id()));
        // It comes back to nobody: no echo.
        assertThat(producer.ingest().counters().fromPeersCount()).isZero();
    }

    @Test
    void aForgedCopyDoesNotKeepTheHonestOneOut() throws Exception {
        Node producer = producer(new BlockMode.Manual());
        Node follower = follower(producer, new BlockMode.Manual());
        SignedTransaction honest = funds.payment(0, 1, 5);
        SignedTransaction forged = Funds.forged(honest);

        assertThat(submit(producer, forged)).isInstanceOf(Submission.Refused.class);
        submit(producer, honest);

        awaitUntil(() -> follower.pool().contains(honest.id()));
    }

    @Test
    void aFollowerThatWasDownCatchesUp() throws Exception {
        Node producer = producer(new BlockMode.Manual());
        Node follower = follower(producer, new BlockMode.Manual());
        submit(producer, funds.payment(0, 1, 5));
        makeBlock(producer);
        follower.ledger().reached(1).get(30, TimeUnit.SECONDS);
        Path folder = follower.folder();
        follower.close();
        nodes.remove(follower);

        for (int i = 0; i < 30; i++) {
            submit(producer, funds.payment(i % 2, 2, 5));
            makeBlock(producer);
        }
        Node again = start(folder, followerConfig(producer, new BlockMode.Manual()));

        again.ledger().reached(31).get(30, TimeUnit.SECONDS);
        assertSameBlocks(producer, again);
    }

    @Test
    void whatWasTakenWhileTheProducerWasAwayReachesItLater() throws Exception {
        Node producer = producer(new BlockMode.Manual());
        Node follower = follower(producer, new BlockMode.Manual());
        Path folder = producer.folder();
        HostPort address = HostPort.loopback(portOf(producer));
        producer.close();
        awaitUntil(() -> follower.gossip().peers().isEmpty());
        SignedTransaction payment = funds.payment(0, 1, 5);

        assertThat(submit(follower, payment)).isInstanceOf(Submission.Accepted.class);
        Node again =
                start(
                        folder,
                        NodeConfig.DEFAULT.withBlocks(new BlockMode.Manual()).withNet(address));
        awaitUntil(() -> !follower.gossip().peers().isEmpty());
        // A follower sends again every few rounds. A peer that has just come back may not have
        // said yet that it takes transactions: then it is the next time that counts.
        for (int round = 1; !isCommitted(again, payment); round++) {
            assertThat(round).as("rounds without it").isLessThan(400);
            makeBlock(again);
            follower.ledger().reached(round).get(30, TimeUnit.SECONDS);
            awaitAtMost(Duration.ofMillis(100), () -> again.pool().contains(payment.id()));
        }
        awaitCommitted(follower, payment);
    }

    @Test
    void aFollowerLetsTheTimePassThatItsProducerWasTold() throws Exception {
        Node producer = producer(new BlockMode.Manual());
        Node follower = follower(producer, new BlockMode.Manual());
        long start = timestampOfNextBlock(producer);
        producer.pacer().orElseThrow().setOffset(3600);

        makeBlock(producer);

        follower.ledger().reached(2).get(30, TimeUnit.SECONDS);
        assertThat(follower.ledger().view().header().timestamp()).isEqualTo(start + 3600);
    }

    @Test
    void timeThatHasComeToItsEndStandsStill() throws Exception {
        Node producer = producer(new BlockMode.Manual());
        producer.pacer().orElseThrow().setOffset(Long.MAX_VALUE);
        assertThat(timestampOfNextBlock(producer)).isEqualTo(Long.MAX_VALUE);
        assertThat(timestampOfNextBlock(producer)).isEqualTo(Long.MAX_VALUE);
        Path folder = producer.folder();
        producer.close();

        Node again = start(folder, NodeConfig.DEFAULT.withBlocks(new BlockMode.Manual()));
        assertThat(timestampOfNextBlock(again)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aSecondBlockForARoundStopsTheFollower() throws Exception {
        Node producer = producer(new BlockMode.Manual());
        Node follower = follower(producer, new BlockMode.Manual());
        makeBlock(producer);
        follower.ledger().reached(1).get(30, TimeUnit.SECONDS);
        // The follower gets another block 2 than the one its producer goes on from.
        try (Chain other = new Chain(parent.resolve("other"), funds, ConsensusVersions.builtIn())) {
            other.follow(producer.ledger(), 1);
            EvaluatedBlock second = other.evaluate(List.of(other.verified(funds.payment(0, 1, 9))));
            follower.ledger()
                    .add(
                            second.block(),
                            Certificate.ofRound(2).encoding().toArray(),
                            second.delta());
        }
        makeBlock(producer);
        makeBlock(producer);

        Optional<NodeFault> fault = follower.stopped().get(30, TimeUnit.SECONDS);

        assertThat(fault).isPresent();
        assertThat(fault.get().exitStatus()).isEqualTo(1);
        assertThat(fault.get().line()).contains("2").doesNotContain("\n");
    }

    @Test
    void aFullPoolSaysSo() throws Exception {
        Node node =
                start(
                        newFolder(),
                        NodeConfig.DEFAULT
                                .withBlocks(new BlockMode.Manual())
                                .withPool(PoolConfig.ofSize(1)));
        submit(node, funds.payment(0, 1, 5));

        assertThat(submit(node, funds.payment(0, 1, 5)))
                .isEqualTo(
                        new Submission.Refused(
                                "TransactionPool.checkPendingQueueSize: transaction pool has"
                                        + " reached capacity"));
        assertThat(node.ingest().counters().dropped(Drop.POOL)).isEqualTo(1);
    }

    @Test
    void aNodeOpensWhereItWasClosed() throws Exception {
        Node node = producer(new BlockMode.Manual());
        submit(node, funds.payment(0, 1, 5));
        makeBlock(node);
        Path folder = node.folder();
        var digest = node.ledger().digest();
        node.close();
        assertThat(node.stopped().get(1, TimeUnit.SECONDS)).isEmpty();

        Node again = start(folder, NodeConfig.DEFAULT.withBlocks(new BlockMode.Manual()));

        assertThat(again.ledger().view().round()).isEqualTo(1);
        assertThat(again.ledger().digest()).isEqualTo(digest);
    }

    @Test
    void itsFilesTellWhereItIs() throws Exception {
        Node node = producer(new BlockMode.Manual());
        Path folder = node.folder();

        assertThat(folder.resolve("algod.net"))
                .hasContent("127.0.0.1:" + node.restAddress().getPort());
        assertThat(folder.resolve("algod-listen.net"))
                .hasContent(node.gossipAddress().orElseThrow());
        assertThat(folder.resolve("algod.pid"))
                .hasContent(Long.toString(ProcessHandle.current().pid()));
        assertThat(folder.resolve("node.log")).isNotEmptyFile();
        assertThat(node.socket()).exists();
    }

    @Test
    void aTakenPortIsNamedAndEverythingIsClosedAgain() throws Exception {
        Path folder = newFolder();
        try (ServerSocket taken = new ServerSocket(0)) {
            HostPort address = HostPort.loopback(taken.getLocalPort());
            assertFault(folder, NodeConfig.DEFAULT.withEndpoint(address), 3, address.toString());
            assertFault(folder, NodeConfig.DEFAULT.withNet(address), 3, "" + address.port());
        }
        start(folder, NodeConfig.DEFAULT);
    }

    @Test
    void aFolderInUseIsRefused() throws Exception {
        Node node = producer(new BlockMode.Manual());

        assertFault(node.folder(), NodeConfig.DEFAULT, 3, "in use by another node");
    }

    @Test
    void aNetworkOfAgreementCanBeFollowedButNotProducedFor() throws Exception {
        Path folder = newFolder();
        Path genesis = folder.resolve("genesis.json");
        Files.writeString(
                genesis,
                Files.readString(genesis).replace("\"devmode\": true", "\"devmode\": false"));

        assertFault(folder, NodeConfig.DEFAULT, 2, "devmode is not true");

        Node follower =
                start(
                        folder,
                        NodeConfig.DEFAULT.withProducer(Multiaddr.parse("/ip4/127.0.0.1/tcp/9")));
        assertThat(follower.caveat()).isEmpty();
    }

    @Test
    void ofAnEarlierProtocolCertificatesGoUncheckedAndThatIsSaid() throws Exception {
        Path folder = newFolder();
        Path genesis = folder.resolve("genesis.json");
        Files.writeString(
                genesis,
                Files.readString(genesis)
                        .replace("\"devmode\": true", "\"devmode\": false")
                        .replace(ConsensusVersions.V42, ConsensusVersions.V41));

        Node follower =
                start(
                        folder,
                        NodeConfig.DEFAULT.withProducer(Multiaddr.parse("/ip4/127.0.0.1/tcp/9")));
        assertThat(follower.caveat().orElseThrow()).contains("go unchecked");
        assertThat(folder.resolve("node.log")).content().contains("go unchecked");
    }

    @Test
    void aWrongGenesisIsNamed() throws Exception {
        Path folder = newFolder();
        Files.writeString(folder.resolve("genesis.json"), "{}");

        assertFault(folder, NodeConfig.DEFAULT, 2, "genesis.json: ");
    }

    @Test
    void anotherNetworksLedgerIsRefused() throws Exception {
        Node node = producer(new BlockMode.Manual());
        Path folder = node.folder();
        node.close();
        Files.writeString(folder.resolve("genesis.json"), new Funds(3).genesis().json());

        assertFault(folder, NodeConfig.DEFAULT, 3, "");
    }

    @Test
    void aTokenThatAllKnowStaysOnLoopback() throws Exception {
        Path folder = newFolder();
        DataFolder.writeTokens(
                folder, new Tokens(Optional.of(Tokens.WELL_KNOWN), Tokens.WELL_KNOWN));

        assertFault(
                folder,
                NodeConfig.DEFAULT.withEndpoint(HostPort.parse(":0")),
                2,
                "is open to other machines");
    }

    @Test
    void aStartThatNobodyWantsAnyMoreIsGivenUpWhereverItStands() throws Exception {
        Path folder = newFolder();
        NodeConfig config = NodeConfig.DEFAULT.withBlocks(QUICK);
        int parts = 0;
        while (isGivenUpAfter(parts, folder, config)) {
            assertThat(folder.resolve("algod.pid")).doesNotExist();
            assertThat(++parts).isLessThan(100);
        }
        assertThat(parts).isGreaterThan(5);
    }

    private static boolean isGivenUpAfter(int parts, Path folder, NodeConfig config)
            throws NodeFault {
        AtomicInteger left = new AtomicInteger(parts);
        InstantSource clock = InstantSource.system();
        try (Node whole = Node.start(folder, config, clock, () -> left.getAndDecrement() == 0)) {
            assertThat(whole.ledger().view().round()).isNotNegative();
            return false;
        } catch (NodeFault fault) {
            assertThat(fault.line()).isEqualTo("told to stop while it started");
            return true;
        }
    }

    private void assertFault(Path folder, NodeConfig config, int status, String part) {
        assertThatThrownBy(() -> Node.start(folder, config, InstantSource.system()).close())
                .isInstanceOfSatisfying(
                        NodeFault.class,
                        fault -> {
                            assertThat(fault.exitStatus()).isEqualTo(status);
                            assertThat(fault.line()).contains(part).doesNotContain("\n");
                        });
    }

    private Path newFolder() throws NodeFault {
        Path folder = parent.resolve("node" + nodes.size());
        DataFolder.create(folder, funds.genesis().json(), NodeConfig.DEFAULT);
        return folder;
    }

    private Node producer(BlockMode blocks) throws NodeFault {
        return start(newFolder(), NodeConfig.DEFAULT.withBlocks(blocks));
    }

    private Node follower(Node producer, BlockMode blocks) throws Exception {
        Node follower = start(newFolder(), followerConfig(producer, blocks));
        awaitUntil(() -> !follower.gossip().peers().isEmpty());
        awaitUntil(() -> !producer.gossip().peers().isEmpty());
        return follower;
    }

    private static NodeConfig followerConfig(Node producer, BlockMode blocks) {
        return NodeConfig.DEFAULT
                .withBlocks(blocks)
                .withProducer(Multiaddr.parse(producer.gossipAddress().orElseThrow()));
    }

    private Node start(Path folder, NodeConfig config) throws NodeFault {
        Node node = Node.start(folder, config, InstantSource.system());
        nodes.add(node);
        return node;
    }

    private static Submission submit(Node node, SignedTransaction payment) throws Exception {
        return node.ingest().submit(payment.toBytes()).get(30, TimeUnit.SECONDS);
    }

    private static int portOf(Node node) {
        Multiaddr address = Multiaddr.parse(node.gossipAddress().orElseThrow());
        return Objects.requireNonNull(address.socketAddress()).getPort();
    }

    private static void makeBlock(Node node) throws Exception {
        node.pacer().orElseThrow().makeBlock().get(30, TimeUnit.SECONDS);
    }

    private static long timestampOfNextBlock(Node node) throws Exception {
        makeBlock(node);
        return node.ledger().view().header().timestamp();
    }

    private static boolean isCommitted(Node node, SignedTransaction payment) {
        return node.ledger().view().isCommitted(payment.id(), payment.txn().lastValid());
    }

    private static void awaitCommitted(Node node, SignedTransaction payment) {
        awaitUntil(() -> isCommitted(node, payment));
    }

    private static void assertSameBlocks(Node a, Node b) {
        long last = Math.min(a.ledger().view().round(), b.ledger().view().round());
        for (long round = 0; round <= last; round++) {
            assertThat(a.ledger().blockBytes(round)).isEqualTo(b.ledger().blockBytes(round));
        }
    }

    private static void awaitUntil(BooleanSupplier condition) {
        awaitAtMost(Duration.ofSeconds(30), condition);
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private static void awaitAtMost(Duration time, BooleanSupplier condition) {
        long end = System.nanoTime() + time.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000); // Cores are few, and the nodes need them.
        }
    }
}
