package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.Genesis;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.rules.ParallelSignatures;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.store.StoreFault;
import topspin.net.Gossip;
import topspin.net.GossipConfig;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.KeyFile;
import topspin.node.catchup.BlockServer;
import topspin.node.catchup.Catchup;
import topspin.node.catchup.CatchupFault;
import topspin.node.catchup.SyncRound;
import topspin.node.devmode.BlockMode;
import topspin.node.devmode.BlockPacer;
import topspin.node.devmode.SnapshotFolder;
import topspin.node.devmode.Snapshots;
import topspin.node.ingest.Ingest;
import topspin.node.ingest.IngestConfig;
import topspin.node.ingest.PendingServer;
import topspin.node.keys.KeyFault;
import topspin.node.keys.KeyGenerator;
import topspin.node.keys.KeyStore;
import topspin.node.kmd.KmdRoutes;
import topspin.node.kmd.KmdWallet;
import topspin.node.pool.TransactionPool;
import topspin.node.rest.Limits;
import topspin.node.rest.MetricsPage;
import topspin.node.rest.NodeParts;
import topspin.node.rest.ProcessFigures;
import topspin.node.rest.RecentBlocks;
import topspin.node.rest.RecentDeltas;
import topspin.node.rest.Recordings;
import topspin.node.rest.RestConfig;
import topspin.node.rest.RestServer;
import topspin.node.rest.RoundWaits;
import topspin.node.rest.Routes;
import topspin.node.rest.Standing;
import topspin.node.rest.TokenCheck;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * One node on one folder: builds everything in the order in which it depends on each other, starts
 * it, and closes it in reverse. The constructor is the diagram.
 *
 * <p>A node that cannot go on (a disk fault, a block that must not be, an error of ours) closes
 * itself; {@link #stopped} tells.
 */
public final class Node implements AutoCloseable {
    /** This program's version, three numbers with dots. */
    public static final String VERSION = "0.1.0";

    private static final Logger LOG = System.getLogger(Node.class.getName());

    /** Signatures of a group that is only tried, verified in one equation. */
    private static final int SIMULATED_CLAIMS_MAX = 16;

    /** What a round of agreement takes at most while all is well, in milliseconds. */
    private static final long AGREED_ROUND_MILLIS = 4_000;

    /** How long of a thread's own time vectors may take to prove themselves, each time. */
    private static final long CALIBRATION_NANOS_MAX = 4_000_000_000L;

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean failed = new AtomicBoolean();
    private final CompletableFuture<Optional<NodeFault>> stopped = new CompletableFuture<>();
    private volatile @Nullable String goesBackTo;

    private final LongAdder blockTransactions = new LongAdder();

    private final NodeConfig config;
    private final BooleanSupplier unwanted;
    private final DataFolder folder;
    private final Tokens tokens;
    private final ConsensusVersions versions;
    private final KeyStore keys;
    private final Ledger ledger;
    private final VerifiedCache verified;
    private final SignatureEngine signatures;
    private final TransactionPool pool;
    private final Ingest ingest;
    private final Gossip gossip;
    private final BlockServer blockServer;
    private final @Nullable BlockPacer pacer;
    private final @Nullable AgreementRuntime agreement;
    private final @Nullable Catchup catchup;
    private final Snapshots.@Nullable Return returned;
    private final @Nullable Snapshots snapshots;
    private final RestServer rest;

    /**
     * Opens a folder and starts a node on it.
     *
     * @param data a folder made by {@link DataFolder#create}
     * @param clock for timestamps and first-seen times; the pace of things follows {@link
     *     System#nanoTime}
     * @throws NodeFault with the one line that says why not; whatever had been opened is closed
     *     again
     */
    public static Node start(Path data, NodeConfig config, InstantSource clock) throws NodeFault {
        return start(data, config, clock, () -> false);
    }

    /**
     * As above, given up where it stands once it is not wanted any more.
     *
     * @param unwanted asked before each part, on the thread that starts it
     */
    public static Node start(
            Path data, NodeConfig config, InstantSource clock, BooleanSupplier unwanted)
            throws NodeFault {
        return new Node(data, config, clock, unwanted, null);
    }

    /**
     * Starts a node that has gone back to a snapshot, whose ledger is in the folder already. It
     * serves REST and is held: it meets no peer and makes no block before {@link Snapshots#resume}.
     */
    static Node startHeld(
            Path data,
            NodeConfig config,
            InstantSource clock,
            BooleanSupplier unwanted,
            Snapshots.Return returned)
            throws NodeFault {
        return new Node(data, config, clock, unwanted, returned);
    }

    private Node(
            Path data,
            NodeConfig config,
            InstantSource clock,
            BooleanSupplier unwanted,
            Snapshots.@Nullable Return returned)
            throws NodeFault {
        this.config = config;
        this.unwanted = unwanted;
        this.returned = returned;
        try {
            SecureRandom random = new SecureRandom();
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            folder = keep(DataFolder.open(data));
            keep(NodeLog.open(folder.log()));
            Genesis genesis = genesis();
            versions = versions();
            tokens = tokens(random);

            keys = keyStore();
            ledger = keep(Ledger.open(folder.ledger(), genesis, ledgerConfig()));
            verified = new VerifiedCache(VerifiedCache.GROUPS_MAX, random);
            signatures = new SignatureEngine(random);
            EngineTrials engineTrials =
                    keep(
                            new EngineTrials(
                                    () ->
                                            signatures.calibrate(
                                                    CALIBRATION_NANOS_MAX,
                                                    threads::getCurrentThreadCpuTime),
                                    line -> LOG.log(Level.INFO, "engine: {0}", line)));
            pool =
                    keep(
                            new TransactionPool(
                                    config.pool(),
                                    ledger.view(),
                                    versions,
                                    System::nanoTime,
                                    this::fail));
            ingest =
                    keep(
                            new Ingest(
                                    IngestConfig.DEFAULT,
                                    ledger::view,
                                    versions,
                                    pool,
                                    verified,
                                    signatures,
                                    answers(),
                                    clock,
                                    random,
                                    this::fail));
            blockServer =
                    keep(new BlockServer(ledger, BlockServer.HOLD, System::nanoTime, this::fail));
            AgreementInbox votes = new AgreementInbox();
            gossip =
                    keep(
                            new Gossip(
                                    gossipConfig(genesis, random),
                                    new Deliveries(ingest, blockServer, votes),
                                    blockServer,
                                    keep(new PendingServer(pool::pending)),
                                    random,
                                    System::nanoTime,
                                    clock));
            boolean agrees = config.blocks() instanceof BlockMode.Agreement;
            boolean makesBlocks = config.producer().isEmpty() && !agrees;
            pacer = makesBlocks ? keep(pacer(clock)) : null;
            agreement = agrees ? keep(agreement(votes, clock, random)) : null;
            snapshots = genesis.devMode() ? makeSnapshots() : null;
            RecentDeltas deltas = new RecentDeltas(ledger, versions, config.evalTracer(), clock);
            SyncRound sync = new SyncRound(config.followMode() ? deltas.before() + 1 : 0);
            catchup =
                    config.producer().isPresent()
                            ? keep(catchup(config.producer().get(), sync))
                            : null;
            RestConfig restConfig = restConfig();
            NodeParts restParts =
                    restParts(clock, random, deltas, config.followMode() ? sync : null);
            rest =
                    keep(
                            new RestServer(
                                    restConfig,
                                    Routes.of(restConfig, restParts),
                                    restParts.waits(),
                                    System::nanoTime,
                                    clock));

            ledger.addListener(deltas); // First: who is answered may ask for them.
            ledger.addListener((view, block, delta) -> pool.committed(view, delta));
            ledger.addListener(
                    (view, block, delta) -> blockTransactions.add(block.transactions().size()));
            ledger.addListener(
                    (view, block, delta) -> ingest.trace().inBlock(delta.round(), delta.ids()));
            ledger.addListener(restParts.recent());
            ledger.addListener((view, block, delta) -> restParts.waits().reached(view.round()));
            pool.start();
            ingest.start(gossip);
            if (agreement != null) {
                agreement.listen();
            }
            rest.start();
            startKmd(random, clock);
            if (returned == null) {
                begin();
            } else if (pacer != null) {
                pacer.setTime(returned.snapshot().time());
            }
            engineTrials.start();
            announce();
            caveat().ifPresent(text -> LOG.log(Level.WARNING, text));
            LOG.log(
                    Level.INFO,
                    "serves at {0}, round {1}",
                    text(restAddress()),
                    ledger.view().round());
        } catch (NodeFault | RuntimeException | IOException failure) {
            close();
            throw describe(failure);
        }
    }

    /** Meets its peers; then rounds come. */
    private void begin() throws IOException {
        gossip.start();
        blockServer.start();
        if (catchup != null) {
            catchup.start();
        }
        if (returned != null) {
            refill(returned.groups());
        }
        if (pacer != null) {
            pacer.start();
        }
        if (agreement != null) {
            agreement.start();
        }
    }

    private void announce() throws NodeFault {
        folder.announce(
                text(restAddress()), gossipAddress().orElse(""), ProcessHandle.current().pid());
    }

    private void refill(List<byte[]> groups) {
        var refill = new PoolRefill(ingest, System::nanoTime);
        refill.awaitPeers(gossip::meshSize, dialled().isEmpty() ? 0 : 1);
        int taken = refill.fill(groups);
        LOG.log(Level.INFO, "{0} of {1} groups that waited are back", taken, groups.size());
    }

    private Snapshots makeSnapshots() {
        return new Snapshots(
                new SnapshotFolder(folder.path()),
                ledger,
                pool,
                pacer,
                returned,
                new Snapshots.Control() {
                    @Override
                    public void goBack(String name) {
                        Node.this.goBack(name);
                    }

                    @Override
                    public void goOn() throws IOException {
                        Node.this.goOn();
                    }
                });
    }

    /** The node was held. */
    private void goOn() throws IOException {
        try {
            begin();
            announce();
        } catch (NodeFault | RuntimeException | IOException failure) {
            fail(failure);
            throw new IOException(describe(failure).line(), failure);
        }
    }

    private Genesis genesis() throws NodeFault {
        Genesis genesis;
        try {
            genesis = Genesis.parse(folder.genesisText());
        } catch (IllegalArgumentException wrong) {
            throw NodeFault.configuration(
                    folder.path().resolve("genesis.json") + ": " + wrong.getMessage(), wrong);
        }
        boolean agrees = config.blocks() instanceof BlockMode.Agreement;
        if (agrees && genesis.devMode()) {
            throw NodeFault.configuration(
                    folder.path().resolve("genesis.json")
                            + ": devmode is true, and there is no agreement on such networks;"
                            + " Blocks says how they make theirs");
        }
        if (!agrees && !genesis.devMode() && config.producer().isEmpty()) {
            throw NodeFault.configuration(
                    folder.path().resolve("genesis.json")
                            + ": devmode is not true; blocks of mode "
                            + config.blocks()
                            + " are for networks that say so. Set Blocks to agreement to take part,"
                            + " or name a Producer to follow");
        }
        return genesis;
    }

    private ConsensusVersions versions() throws NodeFault {
        Optional<String> text = folder.consensusText();
        try {
            return text.isEmpty()
                    ? ConsensusVersions.builtIn()
                    : ConsensusVersions.builtIn().with(text.get());
        } catch (IllegalArgumentException wrong) {
            throw NodeFault.configuration(
                    folder.path().resolve("consensus.json") + ": " + wrong.getMessage(), wrong);
        }
    }

    private KeyStore keyStore() throws NodeFault {
        try {
            return KeyStore.open(folder.keys());
        } catch (KeyFault wrong) {
            throw NodeFault.configuration(wrong.reason(), wrong);
        } catch (IOException refused) {
            throw NodeFault.machine(
                    folder.keys() + ": cannot be used: " + DataFolder.reason(refused), refused);
        }
    }

    /** On the first node of a local network only: the keys of play money, for tools. */
    private void startKmd(SecureRandom random, InstantSource clock) throws NodeFault, IOException {
        if (config.kmdAddress().isEmpty() || config.kmdWallet().isEmpty()) {
            return;
        }
        String token = tokens.api().orElse(Tokens.WELL_KNOWN);
        WalletFile wallet = WalletFile.read(folder.path().resolve(config.kmdWallet().get()));
        List<KeyPair> pairs = wallet.entries().stream().map(WalletFile.Entry::keyPair).toList();
        RestConfig kmdConfig =
                new RestConfig(
                        config.kmdAddress().get().resolve(),
                        null,
                        new TokenCheck(token, token),
                        KmdRoutes.TOKEN_HEADER,
                        config.corsOrigin().map(List::of).orElse(List.of()),
                        config.privateNetworkAccessHeader(),
                        false,
                        false,
                        false,
                        Limits.DEFAULT);
        RestServer kmd =
                keep(
                        new RestServer(
                                kmdConfig,
                                new KmdRoutes(new KmdWallet(pairs), random).table(),
                                new RoundWaits(0, System::nanoTime),
                                System::nanoTime,
                                clock));
        pairs.forEach(KeyPair::close);
        kmd.start();
        folder.announceKmd(text(kmd.address()), token);
    }

    private Tokens tokens(SecureRandom random) throws NodeFault {
        Tokens all = folder.tokens(!config.disableApiAuth(), random);
        if (all.wellKnown() && !config.endpoint().resolve().getAddress().isLoopbackAddress()) {
            throw NodeFault.configuration(
                    "EndpointAddress "
                            + config.endpoint()
                            + " is open to other machines, and the token is one that everybody"
                            + " knows; delete algod.token and algod.admin.token for new ones");
        }
        return all;
    }

    private LedgerConfig ledgerConfig() {
        return LedgerConfig.DEFAULT
                .withVersions(versions)
                .withKeepRounds(config.keepRounds())
                .withKeepDeltas(config.followMode() ? RecentDeltas.ROUNDS_MAX : 0);
    }

    private Ingest.Answers answers() {
        if (!(config.blocks() instanceof BlockMode.Instant)) {
            return Ingest.Answers.WHEN_POOLED;
        }
        return config.producer().isPresent()
                ? Ingest.Answers.WITH_BLOCK_MADE_ELSEWHERE
                : Ingest.Answers.WITH_BLOCK_MADE_HERE;
    }

    private GossipConfig gossipConfig(Genesis genesis, SecureRandom random) throws NodeFault {
        List<Multiaddr> listen = new ArrayList<>();
        listen.add(Multiaddr.of(config.net().resolve()));
        config.netSocket()
                .ifPresent(path -> listen.add(Multiaddr.ofUnix(folder.path().resolve(path))));
        return new GossipConfig(
                genesis.id(),
                identity(random),
                listen,
                dialled(),
                config.addresses(),
                GossipConfig.Limits.DEFAULT);
    }

    private KeyPair identity(SecureRandom random) throws NodeFault {
        try {
            return KeyFile.open(folder.path().resolve(KeyFile.NAME), random);
        } catch (IOException unusable) {
            throw NodeFault.machine(
                    unusable.getMessage() + ": move it away to become another peer", unusable);
        }
    }

    private BlockPacer pacer(InstantSource clock) {
        return new BlockPacer(
                config.blocks(), pool, ledger, versions, clock, System::nanoTime, this::fail);
    }

    private ParallelSignatures blockSignatures() throws NodeFault {
        return keep(
                new ParallelSignatures(
                        Runtime.getRuntime().availableProcessors(), verified, signatures));
    }

    private AgreementRuntime agreement(
            AgreementInbox votes, InstantSource clock, SecureRandom random) throws NodeFault {
        return new AgreementRuntime(
                ledger, pool, keys, blockSignatures(), gossip, votes, clock, random, this::fail);
    }

    private Catchup catchup(Multiaddr producer, SyncRound sync) throws NodeFault {
        return new Catchup(
                producer,
                gossip,
                ledger,
                blockSignatures(),
                new CertificateJudge(ledger),
                sync,
                System::nanoTime,
                this::fail);
    }

    private RestConfig restConfig() throws NodeFault {
        return new RestConfig(
                config.endpoint().resolve(),
                folder.socket(),
                new TokenCheck(tokens.api().orElse(null), tokens.admin()),
                RestConfig.TOKEN_HEADER,
                config.corsOrigin().map(List::of).orElse(List.of()),
                config.privateNetworkAccessHeader(),
                config.developerApi(),
                config.experimentalApi(),
                config.followMode(),
                Limits.DEFAULT);
    }

    private NodeParts restParts(
            InstantSource clock, SecureRandom random, RecentDeltas deltas, @Nullable SyncRound sync)
            throws NodeFault {
        Recordings recordings = keep(new Recordings(folder.path().resolve("recordings"), clock));
        MetricsPage metrics = new MetricsPage();
        NodeMetrics.register(this, metrics);
        ProcessFigures figures = keep(new ProcessFigures());
        figures.addTo(metrics);
        return new NodeParts(
                VERSION,
                versions,
                ledger,
                pool,
                ingest,
                () -> new Signatures(verified, signatures, SIMULATED_CLAIMS_MAX),
                pacer,
                snapshots,
                deltas,
                sync,
                keys,
                new KeyGenerator(random),
                gossip::peers,
                gossip.impairment(),
                new RoundWaits(ledger.view().round(), System::nanoTime),
                metrics,
                recordings,
                figures,
                new RecentBlocks(clock, System::nanoTime),
                standing());
    }

    private Standing standing() {
        long roundMillis =
                switch (config.blocks()) {
                    case BlockMode.Interval(Duration period) -> period.toMillis();
                    case BlockMode.Agreement() -> AGREED_ROUND_MILLIS;
                    case BlockMode.Instant(), BlockMode.Manual() -> 0;
                };
        AgreementRuntime part = agreement;
        LongSupplier behind = part == null ? () -> 0 : part::roundsBehind;
        return new Standing(
                config.blocks().toString(),
                config.blocks() instanceof BlockMode.Instant && !config.followMode(),
                roundMillis,
                dialled().size(),
                behind,
                gossip::meshSize,
                this::blockTransactions);
    }

    /** Whom this node was told to keep connected. */
    private List<Multiaddr> dialled() {
        List<Multiaddr> dial = new ArrayList<>();
        config.producer().ifPresent(dial::add);
        config.peers().stream().filter(peer -> !dial.contains(peer)).forEach(dial::add);
        return dial;
    }

    /** To be closed with the node; and the moment to ask whether anybody wants more of it. */
    private <T extends AutoCloseable> T keep(T part) throws NodeFault {
        parts.push(part);
        if (unwanted.getAsBoolean()) {
            throw NodeFault.stopped("told to stop while it started", null);
        }
        return part;
    }

    public NodeConfig config() {
        return config;
    }

    /** What the operator must know of what goes unchecked here; empty where nothing does. */
    public Optional<String> caveat() {
        boolean isJudged = ledger.genesis().devMode() || new CertificateJudge(ledger).judges();
        return isJudged
                ? Optional.empty()
                : Optional.of("certificates of blocks before protocol v42 go unchecked");
    }

    public Tokens tokens() {
        return tokens;
    }

    /** Its participation keys. */
    public KeyStore keys() {
        return keys;
    }

    public Ledger ledger() {
        return ledger;
    }

    public TransactionPool pool() {
        return pool;
    }

    public Ingest ingest() {
        return ingest;
    }

    public Gossip gossip() {
        return gossip;
    }

    /** Transactions in the blocks that were added since the node started. */
    long blockTransactions() {
        return blockTransactions.sum();
    }

    /** Makes the blocks; empty where another node does. */
    public Optional<BlockPacer> pacer() {
        return Optional.ofNullable(pacer);
    }

    /** How it was, and the way back; empty on a network that agrees. */
    public Optional<Snapshots> snapshots() {
        return Optional.ofNullable(snapshots);
    }

    /** Its part in agreement; empty on a network without. */
    Optional<AgreementRuntime> agreement() {
        return Optional.ofNullable(agreement);
    }

    public RestServer rest() {
        return rest;
    }

    /** Where REST listens, with the port that was free. */
    public InetSocketAddress restAddress() {
        return rest.address();
    }

    /** Where peers are listened for, as a multiaddr. */
    public Optional<String> gossipAddress() {
        return gossip.listenAddresses().stream().findFirst().map(Multiaddr::toString);
    }

    /** The folder it runs on. */
    public Path folder() {
        return folder.path();
    }

    /** The Unix socket that needs no token. */
    public Path socket() {
        return folder.socket();
    }

    /**
     * Completes when the node is closed: empty if somebody closed it, else why it closed itself.
     */
    public CompletableFuture<Optional<NodeFault>> stopped() {
        return stopped.copy();
    }

    private static String text(InetSocketAddress address) {
        return new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString();
    }

    /** The node cannot go on: closes it, once, on a thread of its own. */
    private void fail(Throwable cause) {
        NodeFault fault = describe(cause);
        if (failed.compareAndSet(false, true) && !closing.get()) {
            LOG.log(Level.INFO, "stops: " + fault.line(), cause);
            Thread.ofPlatform()
                    .name("stop")
                    .start(
                            () -> {
                                close(Optional.of(fault));
                            });
        }
    }

    /** Closes the node, once, on a thread of its own, for the next one to start at a snapshot. */
    private void goBack(String name) {
        if (failed.compareAndSet(false, true) && !closing.get()) {
            goesBackTo = name;
            LOG.log(Level.INFO, "goes back to snapshot {0}", name);
            Thread.ofPlatform().name("revert").start(this::close);
        }
    }

    /** The snapshot that it closed itself for, to be started again at; empty if for none. */
    Optional<String> goesBackTo() {
        return Optional.ofNullable(goesBackTo);
    }

    private static NodeFault describe(Throwable cause) {
        return switch (cause) {
            case NodeFault fault -> fault;
            case StoreFault fault -> NodeFault.machine(line(fault), fault);
            case CatchupFault fault -> NodeFault.stopped(line(fault), fault);
            case IOException refused -> NodeFault.machine(DataFolder.reason(refused), refused);
            default -> NodeFault.stopped("an error of this program: " + cause, cause);
        };
    }

    private static String line(Throwable fault) {
        return Objects.requireNonNullElse(fault.getMessage(), fault.toString());
    }

    /** Closes everything, latest first. Idempotent; returns when all is closed. */
    @Override
    public void close() {
        close(Optional.empty());
    }

    private void close(Optional<NodeFault> why) {
        if (closing.compareAndSet(false, true)) {
            while (!parts.isEmpty()) {
                AutoCloseable part = parts.pop();
                try {
                    part.close();
                } catch (Exception | Error failure) {
                    LOG.log(Level.WARNING, "closing " + part.getClass().getSimpleName(), failure);
                }
            }
            stopped.complete(why);
        } else {
            stopped.join();
        }
    }
}
