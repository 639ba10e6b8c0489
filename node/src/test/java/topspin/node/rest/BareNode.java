package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.block.Certificate;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.BlockMaker;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.Genesis;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Rules;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.rules.VerifiedGroup;
import topspin.net.Gossip;
import topspin.net.GossipConfig;
import topspin.net.Impairment;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Traffic;
import topspin.net.Verdict;
import topspin.node.catchup.SyncRound;
import topspin.node.ingest.Ingest;
import topspin.node.ingest.IngestConfig;
import topspin.node.keys.KeyGenerator;
import topspin.node.keys.KeyStore;
import topspin.node.pool.PoolConfig;
import topspin.node.pool.TransactionPool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Ledger, pool, ingest and REST of a node, with nobody who makes blocks but the test, and a clock
 * of waits that stands still until it is moved. For networks that are not in dev mode.
 */
final class BareNode implements AutoCloseable {
    static final String TOKEN = "a".repeat(64);
    static final String ADMIN = "b".repeat(64);

    /** Of algod's switches, those that a test turns. */
    record Switches(boolean developerApi, boolean privateNetworkHeader, boolean followMode) {
        static final Switches DEVELOPER = new Switches(true, false, false);
    }

    /** A peer to be told of. */
    private record Caller() implements Peer {
        @Override
        public String id() {
            return "caller";
        }

        @Override
        public String address() {
            return "/ip4/127.0.0.1/tcp/4006";
        }

        @Override
        public boolean outbound() {
            return false;
        }

        @Override
        public boolean send(Tag tag, byte[] bytes, int offset, int length) {
            return false;
        }

        @Override
        public Traffic traffic() {
            return new Traffic();
        }

        @Override
        public long queuedBytes() {
            return 0;
        }

        @Override
        public void settle(Tag tag, byte[] bytes, int offset, int length, Verdict verdict) {}
    }

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();
    private final AtomicLong waitNanos = new AtomicLong();
    private final ConsensusVersions versions;
    private final RoundWaits waits = new RoundWaits(0, waitNanos::get);
    private final Signatures signatures;
    private final TransactionPool pool;
    private final Ledger ledger;
    private final KeyStore keys;
    private final RestServer server;
    private RawClient client;
    private @Nullable ApiContract contract;
    private Address proposer = Address.ZERO;

    BareNode(Path folder, Genesis genesis, Switches switches) throws Exception {
        this(folder, genesis, switches, ConsensusVersions.builtIn(), ConsensusVersions.builtIn());
    }

    /**
     * @param versions by which blocks are made
     * @param known what REST thinks that the node can follow
     */
    BareNode(
            Path folder,
            Genesis genesis,
            Switches switches,
            ConsensusVersions versions,
            ConsensusVersions known)
            throws Exception {
        this.versions = versions;
        SecureRandom random = new SecureRandom();
        Consumer<Throwable> tell = fault::complete;
        VerifiedCache verified = new VerifiedCache(VerifiedCache.GROUPS_MAX, random);
        SignatureEngine engine = new SignatureEngine(random);
        signatures = new Signatures(verified, engine, 16);
        ledger =
                keep(
                        Ledger.open(
                                folder.resolve("ledger"),
                                genesis,
                                LedgerConfig.DEFAULT
                                        .withKeepDeltas(RecentDeltas.ROUNDS_MAX)
                                        .withVersions(versions)));
        pool =
                keep(
                        new TransactionPool(
                                PoolConfig.DEFAULT,
                                ledger.view(),
                                versions,
                                System::nanoTime,
                                tell));
        Ingest ingest =
                keep(
                        new Ingest(
                                IngestConfig.DEFAULT,
                                ledger::view,
                                versions,
                                pool,
                                verified,
                                engine,
                                Ingest.Answers.WHEN_POOLED,
                                InstantSource.system(),
                                random,
                                tell));
        Gossip gossip =
                keep(
                        new Gossip(
                                GossipConfig.of(
                                        genesis.id(),
                                        KeyPair.generate(random),
                                        List.of(),
                                        List.of()),
                                ingest,
                                (asker, round, answer) -> {
                                    throw new AssertionError("nobody listens, so nobody asks");
                                },
                                (asker, has, answer) -> answer.accept(null),
                                random,
                                System::nanoTime,
                                InstantSource.system()));
        keys = KeyStore.open(folder.resolve("keys"));
        RecentDeltas deltas = new RecentDeltas(ledger, versions, false, InstantSource.system());
        NodeParts node =
                new NodeParts(
                        "0.1.0",
                        known,
                        ledger,
                        pool,
                        ingest,
                        () -> new Signatures(verified, engine, 16),
                        null,
                        null,
                        deltas,
                        switches.followMode ? new SyncRound(deltas.before() + 1) : null,
                        keys,
                        new KeyGenerator(random),
                        () -> List.of(new Caller()),
                        new Impairment(),
                        waits,
                        new MetricsPage(),
                        keep(new Recordings(folder.resolve("recordings"), InstantSource.system())),
                        keep(new ProcessFigures()),
                        new RecentBlocks(InstantSource.system(), System::nanoTime),
                        new Standing("agreement", false, 0, 0, () -> 0, () -> 0, () -> 0));
        RestConfig config =
                new RestConfig(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        null,
                        new TokenCheck(TOKEN, ADMIN),
                        RestConfig.TOKEN_HEADER,
                        List.of("*"),
                        switches.privateNetworkHeader,
                        switches.developerApi,
                        true,
                        switches.followMode,
                        Limits.DEFAULT);
        server =
                keep(
                        new RestServer(
                                config,
                                Routes.of(config, node),
                                waits,
                                System::nanoTime,
                                InstantSource.system()));
        ledger.addListener(deltas);
        ledger.addListener((view, block, delta) -> pool.committed(view, delta));
        ledger.addListener((view, block, delta) -> waits.reached(view.round()));
        pool.start();
        ingest.start(gossip);
        gossip.start();
        server.start();
        client = RawClient.connect(server.address());
    }

    /** The network of two in the recorded exchanges. */
    static Genesis two() throws IOException {
        return Genesis.parse(Files.readString(Recorded.file("genesis-two.json")));
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    Ledger ledger() {
        return ledger;
    }

    KeyStore keys() {
        return keys;
    }

    TransactionPool pool() {
        return pool;
    }

    /** Lets time pass for those who wait for a round, and for whoever asks how long ago one was. */
    void pass(long seconds) {
        waitNanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    /** Names who is said to propose the blocks from now on; nobody is before. */
    void proposedBy(Address account) {
        proposer = account;
    }

    /** Makes blocks of nothing until that round is reached. */
    void reach(long round) {
        while (ledger.view().round() < round) {
            addBlock();
        }
    }

    /** Makes a block of these transactions. */
    void addBlock(SignedTransaction... transactions) {
        BlockEvaluator evaluator =
                new BlockEvaluator(ledger.view(), versions, ledger.view().header().timestamp() + 3);
        for (SignedTransaction each : transactions) {
            Refusal refusal = evaluator.add(verified(TransactionGroup.of(each)));
            if (refusal != null) {
                throw new AssertionError(refusal);
            }
        }
        EvaluatedBlock made =
                evaluator.finish(
                        new BlockMaker(
                                ledger.view().headerHash(), proposer, false, address -> false));
        ledger.add(
                made.block(),
                Certificate.ofRound(made.block().round()).encoding().toArray(),
                made.delta());
    }

    private VerifiedGroup verified(TransactionGroup group) {
        Rules rules = Objects.requireNonNull(Rules.of(ledger.view().header(), versions));
        Signatures.Outcome outcome = signatures.verify(group, rules);
        if (outcome.verified() == null) {
            throw new AssertionError(outcome.refusal());
        }
        return outcome.verified();
    }

    /** How our answer differs from the recorded one, or from the API; empty if it does not. */
    String ask(Recorded exchange) throws IOException {
        RawClient.Answer answer = answer(exchange.request(TOKEN, ADMIN));
        String difference = exchange.difference(answer);
        if (!difference.isEmpty()) {
            return difference;
        }
        if (contract == null) {
            contract = ApiContract.read();
        }
        return String.join("; ", contract.violations(exchange.method(), exchange.path(), answer));
    }

    /** The same for a wait, during which blocks are made until it ends. */
    String askAndMakeBlocks(Recorded exchange) throws IOException {
        client.send(exchange.request(TOKEN, ADMIN));
        long target =
                Long.parseLong(exchange.path().substring(exchange.path().lastIndexOf('/') + 1));
        awaitWaiter();
        reach(target + 1);
        return exchange.difference(client.read());
    }

    /** The same for a wait that nothing ends. */
    String askAndPass(Recorded exchange, long seconds) throws IOException {
        client.send(exchange.request(TOKEN, ADMIN));
        awaitWaiter();
        pass(seconds);
        return exchange.difference(client.read());
    }

    /** The same for a wait that the end of the server ends. */
    String askAndStop(Recorded exchange) throws IOException {
        client.send(exchange.request(TOKEN, ADMIN));
        awaitWaiter();
        server.close();
        return exchange.difference(client.read());
    }

    /** A request's answer. */
    RawClient.Answer answer(byte[] request) throws IOException {
        RawClient.Answer answer = client.send(request).read();
        if (answer.header("Connection").equals("close")) {
            client.close();
            client = RawClient.connect(server.address());
        }
        return answer;
    }

    private void awaitWaiter() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (waits.size() == 0 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        if (waits.size() == 0) {
            throw new AssertionError("nobody waits");
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception broken) {
                throw new AssertionError("closing " + part, broken);
            }
        }
        if (fault.isDone()) {
            throw new AssertionError(fault.join());
        }
    }
}
