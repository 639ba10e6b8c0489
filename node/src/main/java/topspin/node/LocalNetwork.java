package topspin.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.jspecify.annotations.Nullable;

import topspin.codec.params.ConsensusVersions;
import topspin.ledger.store.FolderTree;
import topspin.net.multiaddr.Multiaddr;
import topspin.node.devmode.BlockMode;
import topspin.node.keys.KeyFault;
import topspin.node.keys.KeyGenerator;
import topspin.node.keys.KeyStore;
import topspin.node.keys.ParticipationKeys;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Several nodes on this machine, made from one template: their folders, settings, genesis and keys.
 * Each runs as a process of its own, so that one can be killed while the others go on. They agree
 * on blocks, each with the same stake unless the template says otherwise; in the dev modes node 1
 * makes them and the others take them from it.
 */
public final class LocalNetwork {
    /** Where a network lives unless told otherwise; picocli fills in the home folder. */
    public static final String DEFAULT_FOLDER = "${sys:user.home}/.topspin/network";

    public static final int NODES_MAX = 16;

    /** From one node's REST port to the next one's; gossip takes the port in the middle. */
    private static final int PORT_STRIDE = 10;

    private static final int GOSSIP_OFFSET = 5;

    /** The key daemon is beside the first node's REST port, where tools look for it. */
    private static final int KMD_OFFSET = 1;

    private static final String WALLET = "wallet.json";

    /**
     * Money of all wallets together, in microalgos: ten billion algos, as the ecosystem's tools
     * make.
     */
    private static final BigInteger WALLETS_TOTAL = BigInteger.TEN.pow(16);

    /**
     * Stake of accounts that do nothing but take part, in microalgos; one account a node, where no
     * wallet of the template is online.
     */
    private static final BigInteger STAKE_TOTAL = BigInteger.TEN.pow(15);

    /** Last round of the participation keys: at a round a second, five weeks. */
    private static final long LAST_ROUND = 3_000_000;

    private static final String FEE_SINK =
            "A7NMWS3NT3IUDMLVO26ULGXGIIOUQ3ND2TXSER6EBGRZNOBOUIQXHIBGDE";
    private static final String REWARDS_POOL =
            "7777777777777777777777777777777777777777777777777774MSJUVU";

    /** Exactly what the pool must keep: the rate of rewards is then zero (block.md, section 5). */
    private static final long POOL_BALANCE = 100_000;

    private static final String DESCRIPTION = "network.json";
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Path folder;
    private final Plan plan;

    /**
     * What a network is made of.
     *
     * @param nodes 1 to {@link #NODES_MAX}
     * @param profile protocol parameters: {@code v42} or {@code fast}
     * @param port REST port of the first node; 0 for any free ones
     */
    public record Plan(int nodes, BlockMode blocks, String profile, int port) {
        /** The network's own parameters. */
        public static final String V42 = "v42";

        /** Rounds of about a second (agreement.md 11.1). */
        public static final String FAST = "fast";

        // The step that asks for the largest part of its committee.
        private static final int V42_COMMITTEE = 5000;
        private static final int V42_QUORUM = 3838;
        private static final int FAST_COMMITTEE = 6000;
        private static final int FAST_QUORUM = 4140;

        private static final double UNLIKELY_DEVIATIONS = 2.33;

        public Plan {
            if (!profile.equals(V42) && !profile.equals(FAST)) {
                throw new IllegalArgumentException("--profile: fast or v42, not " + profile);
            }
            if (nodes < 1 || nodes > NODES_MAX) {
                throw new IllegalArgumentException("--nodes: 1 to " + NODES_MAX + ", not " + nodes);
            }
            int last = port + PORT_STRIDE * (nodes - 1) + GOSSIP_OFFSET;
            if (port < 0 || last > 65_535) {
                throw new IllegalArgumentException(
                        "--port: 0, or 1 to "
                                + (65_535 - PORT_STRIDE * (nodes - 1) - GOSSIP_OFFSET)
                                + " for "
                                + nodes
                                + " nodes, not "
                                + port);
            }
        }

        /** Whether the nodes agree on blocks, so that no one of them makes them. */
        public boolean agrees() {
            return blocks instanceof BlockMode.Agreement;
        }

        /**
         * Nodes that may stop and rounds go on at full speed, where all have the same stake: what
         * is left draws more than each quorum, by as much as chance takes from a committee once in
         * a hundred steps.
         */
        public int nodesToSpare() {
            double size = profile.equals(FAST) ? FAST_COMMITTEE : V42_COMMITTEE;
            double quorum = profile.equals(FAST) ? FAST_QUORUM : V42_QUORUM;
            int spare = 0;
            while (spare + 1 < nodes) {
                double drawn = size * (nodes - spare - 1) / nodes;
                if (drawn - quorum < UNLIKELY_DEVIATIONS * Math.sqrt(drawn)) {
                    break;
                }
                spare++;
            }
            return spare;
        }

        /** What networks of a block mode run unless somebody says otherwise. */
        public static String usualProfile(BlockMode blocks) {
            return blocks instanceof BlockMode.Agreement ? FAST : V42;
        }

        /**
         * REST and gossip port of each node in turn, then the key daemon's; none when any free ones
         * will do.
         */
        public int[] fixedPorts() {
            int[] ports = new int[port == 0 ? 0 : 2 * nodes + 1];
            for (int i = 0; i < ports.length; i++) {
                ports[i] = port + PORT_STRIDE * (i / 2) + GOSSIP_OFFSET * (i % 2);
            }
            if (port != 0) {
                ports[2 * nodes] = port + KMD_OFFSET;
            }
            return ports;
        }
    }

    /** One node: its number from 1, and its data folder. */
    public record Member(int number, Path folder) {
        public String name() {
            return "node" + number;
        }

        /** The process that runs it, if one does. */
        public Optional<ProcessHandle> process() {
            try {
                String pid = Files.readString(folder.resolve("algod.pid")).strip();
                return ProcessHandle.of(Long.parseLong(pid)).filter(this::isOurs);
            } catch (IOException | NumberFormatException none) {
                return Optional.empty();
            }
        }

        /**
         * A pid may have passed on to a stranger after a crash: only a process that names our
         * folder is ours to end.
         */
        private boolean isOurs(ProcessHandle process) {
            return process.isAlive()
                    && process.info()
                            .arguments()
                            .map(arguments -> List.of(arguments).contains(folder.toString()))
                            .orElse(false);
        }

        /** What a file such as {@code algod.net} says; empty while the node does not run. */
        public Optional<String> announced(String file) {
            try {
                return Optional.of(Files.readString(folder.resolve(file)).strip());
            } catch (IOException none) {
                return Optional.empty();
            }
        }
    }

    private LocalNetwork(Path folder, Plan plan) {
        this.folder = folder;
        this.plan = plan;
    }

    /** Whether a network was made here. */
    public static boolean exists(Path folder) {
        return Files.isRegularFile(folder.resolve(DESCRIPTION));
    }

    /**
     * The network of a folder.
     *
     * @throws NodeFault if there is none, or its description is damaged
     */
    public static LocalNetwork open(Path folder) throws NodeFault {
        Path absolute = folder.toAbsolutePath().normalize();
        Path description = absolute.resolve(DESCRIPTION);
        if (!Files.isRegularFile(description)) {
            throw NodeFault.configuration(
                    "no network in " + absolute + "; 'network up --dir " + folder + "' makes one");
        }
        try {
            JsonNode root = JSON.readTree(Files.readString(description));
            return new LocalNetwork(
                    absolute,
                    new Plan(
                            root.path("nodes").asInt(),
                            BlockMode.parse(root.path("blocks").asText()),
                            root.path("profile").asText(),
                            root.path("port").asInt()));
        } catch (IOException | IllegalArgumentException damaged) {
            throw NodeFault.configuration(
                    description + " is damaged: " + damaged.getMessage(), damaged);
        }
    }

    /**
     * Makes the folders of a network: genesis, keys, settings and well-known tokens.
     *
     * @param profiles the {@code consensus.json} that holds the profile {@code fast}
     * @throws NodeFault if the folder holds something else, or the disk refuses
     */
    public static LocalNetwork create(
            Path folder, NetworkTemplate template, Plan plan, Path profiles) throws NodeFault {
        Path absolute = folder.toAbsolutePath().normalize();
        if (Files.exists(absolute) && !isEmpty(absolute)) {
            throw NodeFault.configuration(
                    absolute
                            + " is not empty and holds no network; choose another folder with"
                            + " --dir");
        }
        LocalNetwork network = new LocalNetwork(absolute, plan);
        try {
            Files.createDirectories(absolute);
        } catch (IOException refused) {
            throw NodeFault.machine(
                    absolute + " cannot be made: " + DataFolder.reason(refused), refused);
        }
        List<WalletFile.Entry> wallets =
                template.wallets().stream()
                        .sorted(Comparator.comparing(NetworkTemplate.Wallet::name))
                        .map(wallet -> WalletFile.derive(template.networkName(), wallet.name()))
                        .toList();
        WalletFile.of(absolute.resolve(WALLET), wallets).save();
        List<Voter> voters = plan.agrees() ? voters(template, plan, wallets) : List.of();
        String genesis = genesis(template, plan, wallets, voters);
        Optional<String> consensus =
                plan.profile().equals(Plan.FAST) ? Optional.of(text(profiles)) : Optional.empty();
        List<NodeConfig> settings = network.settings();
        for (Member member : network.members()) {
            DataFolder.create(member.folder(), genesis, settings.get(member.number() - 1));
            if (consensus.isPresent()) {
                DataFolder.writeConsensus(member.folder(), consensus.get());
            }
            install(voters, member);
            DataFolder.writeTokens(
                    member.folder(), new Tokens(Optional.of(Tokens.WELL_KNOWN), Tokens.WELL_KNOWN));
        }
        // Last, so that a network that was half made is not taken for a whole one.
        network.describe();
        return network;
    }

    public Path folder() {
        return folder;
    }

    public Plan plan() {
        return plan;
    }

    public List<Member> members() {
        List<Member> members = new ArrayList<>();
        for (int number = 1; number <= plan.nodes(); number++) {
            members.add(new Member(number, folder.resolve("node" + number)));
        }
        return members;
    }

    /**
     * A node by its number.
     *
     * @throws NodeFault if there is no such node
     */
    public Member member(int number) throws NodeFault {
        if (number < 1 || number > plan.nodes()) {
            throw NodeFault.configuration(
                    "--node: this network has nodes 1 to " + plan.nodes() + ", not " + number);
        }
        return members().get(number - 1);
    }

    public WalletFile wallet() throws NodeFault {
        return WalletFile.read(folder.resolve(WALLET));
    }

    /** Whether any node runs. */
    public boolean isRunning() {
        return members().stream().anyMatch(member -> member.process().isPresent());
    }

    /**
     * Starts a node as a process of the launcher; it outlives us. What it says before its log is
     * open goes to {@code node.err}.
     *
     * @throws NodeFault if the launcher cannot be run
     */
    public Process start(Member member, Path launcher) throws NodeFault {
        try {
            return new ProcessBuilder(
                            launcher.toString(),
                            "node",
                            "run",
                            "--data",
                            member.folder().toString())
                    .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(errors(member).toFile())
                    .start();
        } catch (IOException refused) {
            throw NodeFault.machine(launcher + " cannot be run: " + refused.getMessage(), refused);
        }
    }

    /** Where a node's last words are when it does not start. */
    public static Path errors(Member member) {
        return member.folder().resolve("node.err");
    }

    /**
     * Takes all that {@link #create} and the nodes made, so that the next start begins at genesis.
     *
     * @throws NodeFault if a node runs, or the disk refuses
     */
    public void delete() throws NodeFault {
        if (isRunning()) {
            throw NodeFault.machine(
                    "the network in " + folder + " runs; 'network down' stops it", null);
        }
        try {
            for (Member member : members()) {
                FolderTree.delete(member.folder());
            }
            Files.deleteIfExists(folder.resolve(NetworkEvents.FILE));
            Files.deleteIfExists(folder.resolve(WALLET));
            Files.deleteIfExists(folder.resolve(DESCRIPTION));
        } catch (IOException | UncheckedIOException refused) {
            throw NodeFault.machine(
                    folder + " cannot be emptied: " + refused.getMessage(), refused);
        }
    }

    private void describe() throws NodeFault {
        ObjectNode root = JSON.createObjectNode();
        root.put("nodes", plan.nodes());
        root.put("blocks", plan.blocks().toString());
        root.put("port", plan.port());
        root.put("profile", plan.profile());
        try {
            Files.writeString(folder.resolve(DESCRIPTION), JSON.writeValueAsString(root) + "\n");
        } catch (IOException refused) {
            throw NodeFault.machine(
                    folder + " cannot be written: " + refused.getMessage(), refused);
        }
    }

    /** Each node dials those before it; in a dev mode it takes its blocks from the first. */
    private List<NodeConfig> settings() throws NodeFault {
        int[] ports = ports();
        List<NodeConfig> all = new ArrayList<>();
        List<Multiaddr> before = new ArrayList<>();
        for (int i = 0; i < plan.nodes(); i++) {
            int gossip = ports[2 * i + 1];
            NodeConfig settings =
                    NodeConfig.DEFAULT
                            .withEndpoint(HostPort.loopback(ports[2 * i]))
                            .withNet(HostPort.loopback(gossip))
                            .withBlocks(plan.blocks())
                            .withCorsOrigin("*")
                            .withDeveloperApis();
            if (i == 0) {
                settings =
                        settings.withKmd(
                                HostPort.loopback(ports[2 * plan.nodes()]), "../" + WALLET);
            } else if (plan.agrees()) {
                settings = settings.withPeers(before);
            } else {
                settings =
                        settings.withProducer(before.get(0))
                                .withPeers(before.subList(1, before.size()));
            }
            all.add(settings);
            before.add(Multiaddr.parse("/ip4/127.0.0.1/tcp/" + gossip));
        }
        return all;
    }

    /**
     * REST and gossip port of each node in turn, then the key daemon's. Free ones are chosen once,
     * so that a node finds its peers again after a restart.
     */
    private int[] ports() throws NodeFault {
        if (plan.port() != 0) {
            return plan.fixedPorts();
        }
        int[] ports = new int[2 * plan.nodes() + 1];
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < ports.length; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                held.add(socket);
                ports[i] = socket.getLocalPort();
            }
        } catch (IOException none) {
            throw NodeFault.machine("no free port: " + none.getMessage(), none);
        } finally {
            held.forEach(LocalNetwork::closeQuietly);
        }
        return ports;
    }

    private static void closeQuietly(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException ignored) {
            // It was ours only to learn a number.
        }
    }

    /**
     * An account that takes part.
     *
     * @param node by whose keys
     * @param stake in microalgos; null for a wallet, whose money is its stake
     */
    private record Voter(int node, ParticipationKeys keys, @Nullable BigInteger stake) {}

    /**
     * Whoever is online in the template, dealt out to the nodes; else an account for each node.
     * Their keys take long to make, so each core makes some.
     */
    private static List<Voter> voters(
            NetworkTemplate template, Plan plan, List<WalletFile.Entry> wallets) {
        List<WalletFile.Entry> online =
                wallets.stream().filter(one -> wallet(template, one.name()).online()).toList();
        if (!online.isEmpty()) {
            return IntStream.range(0, online.size())
                    .parallel()
                    .mapToObj(
                            i ->
                                    new Voter(
                                            1 + i % plan.nodes(),
                                            keys(template, online.get(i)),
                                            null))
                    .toList();
        }
        BigInteger stake = STAKE_TOTAL.divide(BigInteger.valueOf(plan.nodes()));
        return IntStream.rangeClosed(1, plan.nodes())
                .parallel()
                .mapToObj(
                        node -> {
                            var account = WalletFile.derive(template.networkName(), "node" + node);
                            return new Voter(node, keys(template, account), stake);
                        })
                .toList();
    }

    /** The same each time, as the wallets are: they guard play money. */
    private static ParticipationKeys keys(NetworkTemplate template, WalletFile.Entry account) {
        var random = new FixedRandom(template.networkName() + "/" + account.name());
        try {
            return new KeyGenerator(random).generate(account.address(), 0, LAST_ROUND, 0);
        } catch (KeyFault impossible) {
            throw new AssertionError("rounds that every key may have", impossible);
        }
    }

    private static void install(List<Voter> voters, Member member) throws NodeFault {
        Path folder = DataFolder.keys(member.folder());
        try {
            KeyStore store = KeyStore.open(folder);
            for (Voter voter : voters) {
                if (voter.node() == member.number()) {
                    var unused = store.install(voter.keys());
                }
            }
        } catch (KeyFault wrong) {
            throw NodeFault.configuration(folder + ": " + wrong.reason(), wrong);
        } catch (IOException refused) {
            throw NodeFault.machine(folder + ": " + DataFolder.reason(refused), refused);
        }
    }

    private static String text(Path profiles) throws NodeFault {
        try {
            return Files.readString(profiles);
        } catch (IOException refused) {
            throw NodeFault.configuration(
                    profiles + ": cannot be read: " + DataFolder.reason(refused), refused);
        }
    }

    /**
     * A genesis, in dev mode unless nodes agree, so that no real network shares its hash; keys
     * sorted, as tools write it.
     */
    private static String genesis(
            NetworkTemplate template, Plan plan, List<WalletFile.Entry> wallets, List<Voter> voters)
            throws NodeFault {
        ObjectNode root = JSON.createObjectNode();
        ArrayNode alloc = root.putArray("alloc");
        notParticipating(alloc, REWARDS_POOL, "RewardsPool");
        notParticipating(alloc, FEE_SINK, "FeeSink");
        BigInteger rest = WALLETS_TOTAL;
        for (int i = 0; i < wallets.size(); i++) {
            WalletFile.Entry entry = wallets.get(i);
            BigInteger share =
                    i == wallets.size() - 1 ? rest : share(wallet(template, entry.name()).stake());
            rest = rest.subtract(share);
            ObjectNode state = allocate(alloc, entry.address().toString(), entry.name(), share);
            for (Voter voter : voters) {
                if (voter.keys().account().equals(entry.address())) {
                    register(voter.keys(), state);
                }
            }
        }
        for (Voter voter : voters) {
            BigInteger stake = voter.stake();
            if (stake != null) {
                String address = voter.keys().account().toString();
                register(voter.keys(), allocate(alloc, address, "node" + voter.node(), stake));
            }
        }
        if (!template.comment().isEmpty()) {
            root.put("comment", template.comment());
        }
        if (!plan.agrees()) {
            root.put("devmode", true);
        }
        root.put("fees", FEE_SINK);
        root.put("id", "v1");
        root.put("network", template.networkName());
        root.put("proto", protocol(template.protocol(), plan));
        root.put("rwd", REWARDS_POOL);
        try {
            return JSON.writeValueAsString(root) + "\n";
        } catch (IOException impossible) {
            throw new AssertionError("a tree is always writable", impossible);
        }
    }

    /** As {@code keyreg} would, from the first round on; tools write the fields in this order. */
    private static void register(ParticipationKeys keys, ObjectNode state) {
        Base64.Encoder base64 = Base64.getEncoder();
        state.put("onl", 1);
        state.put("sel", base64.encodeToString(keys.selectionKey().toBytes()));
        state.put("vote", base64.encodeToString(keys.voteKey().toBytes()));
        state.put("voteKD", keys.dilution());
        state.put("voteLst", keys.lastValid());
    }

    private static NetworkTemplate.Wallet wallet(NetworkTemplate template, String name) {
        return template.wallets().stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static BigInteger share(BigDecimal percent) {
        return new BigDecimal(WALLETS_TOTAL)
                .multiply(percent)
                .divide(BigDecimal.valueOf(100), 0, RoundingMode.DOWN)
                .toBigInteger();
    }

    private static void notParticipating(ArrayNode alloc, String address, String comment) {
        allocate(alloc, address, comment, BigInteger.valueOf(POOL_BALANCE)).put("onl", 2);
    }

    /** What the account gets; more may be added to it. */
    private static ObjectNode allocate(
            ArrayNode alloc, String address, String comment, BigInteger microalgos) {
        ObjectNode state =
                alloc.addObject().put("addr", address).put("comment", comment).putObject("state");
        return state.put("algo", microalgos);
    }

    private static String protocol(String name, Plan plan) throws NodeFault {
        if (plan.profile().equals(Plan.FAST) && name.equals(Plan.V42)) {
            return Plan.FAST;
        }
        @Nullable String full =
                switch (name) {
                    case "v42" -> ConsensusVersions.V42;
                    case "v41" -> ConsensusVersions.V41;
                    default -> ConsensusVersions.builtIn().names().contains(name) ? name : null;
                };
        if (full == null) {
            throw NodeFault.configuration(
                    "ConsensusProtocol: v42, v41 or the full text of a known version, not '"
                            + name
                            + "'");
        }
        if (plan.profile().equals(Plan.FAST)) {
            throw NodeFault.configuration(
                    "ConsensusProtocol: v42 where the profile is fast, not '" + name + "'");
        }
        if (plan.agrees() && !full.equals(ConsensusVersions.V42)) {
            throw NodeFault.configuration(
                    "ConsensusProtocol: v42 where nodes agree, not '" + name + "'");
        }
        return full;
    }

    private static boolean isEmpty(Path folder) throws NodeFault {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        } catch (IOException unreadable) {
            throw NodeFault.configuration(
                    folder + ": cannot be read: " + DataFolder.reason(unreadable), unreadable);
        }
    }
}
