package topspin.node;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import topspin.ledger.LedgerConfig;
import topspin.net.multiaddr.AddressFilter;
import topspin.net.multiaddr.Multiaddr;
import topspin.node.devmode.BlockMode;
import topspin.node.pool.PoolConfig;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What {@code config.json} may say: algod's names where algod has the setting, our own for blocks
 * and peers. Absent keys keep their default, unknown ones are refused by name. A file holds only
 * what differs from {@link #DEFAULT}.
 *
 * @param endpoint {@code EndpointAddress}: where REST listens; port 0 takes any free one
 * @param net {@code NetAddress}: where peers are listened for; port 0 takes any free one
 * @param netSocket {@code NetSocket}: a Unix socket for peers of this machine besides, its path
 *     relative to the node's folder
 * @param allowAddresses {@code AllowAddresses}: IP prefixes and protocols of peers to deal with;
 *     none for all, see {@link AddressFilter}
 * @param denyAddresses {@code DenyAddresses}: those not to
 * @param developerApi {@code EnableDeveloperAPI}: asynchronous submission and the like
 * @param experimentalApi {@code EnableExperimentalAPI}
 * @param disableApiAuth {@code DisableAPIAuth}: no token for public routes; {@code algod.token} is
 *     not made
 * @param followMode {@code EnableFollowMode}: takes blocks, refuses submissions
 * @param evalTracer {@code EnableTxnEvalTracer}: keeps what each group of the last rounds changed
 * @param privateNetworkAccessHeader {@code EnablePrivateNetworkAccessHeader}: answers a browser's
 *     preflight for it
 * @param blocks {@code Blocks}: how blocks are made on this network; the follower of an instant
 *     network answers a submission when its block is there
 * @param producer {@code Producer}: address of the node that makes the blocks; empty when it is
 *     this one
 * @param peers {@code Peers}: addresses to dial besides
 * @param corsOrigin {@code CorsOrigin}: whose pages may call REST; {@code *} for any
 * @param pool {@code TxPoolSize}
 * @param keepRounds {@code KeepRounds}: blocks kept, counted back from the latest; {@link
 *     LedgerConfig#ALL_ROUNDS}, or at least {@link LedgerConfig#KEEP_ROUNDS_MIN}
 * @param kmdAddress {@code KmdAddress}: where tools find the keys of a local network's accounts, as
 *     kmd tells them; empty for nowhere
 * @param kmdWallet {@code KmdWallet}: the file of those keys, named from the data folder
 */
public record NodeConfig(
        HostPort endpoint,
        HostPort net,
        Optional<String> netSocket,
        List<String> allowAddresses,
        List<String> denyAddresses,
        boolean developerApi,
        boolean experimentalApi,
        boolean disableApiAuth,
        boolean followMode,
        boolean evalTracer,
        boolean privateNetworkAccessHeader,
        BlockMode blocks,
        Optional<Multiaddr> producer,
        List<Multiaddr> peers,
        Optional<String> corsOrigin,
        PoolConfig pool,
        long keepRounds,
        Optional<HostPort> kmdAddress,
        Optional<String> kmdWallet) {

    /** Loopback, any free port, a block a second made here. */
    public static final NodeConfig DEFAULT =
            new NodeConfig(
                    HostPort.ANY_LOOPBACK,
                    HostPort.ANY_LOOPBACK,
                    Optional.empty(),
                    List.of(),
                    List.of(),
                    false,
                    false,
                    false,
                    false,
                    false,
                    false,
                    BlockMode.parse("interval:1s"),
                    Optional.empty(),
                    List.of(),
                    Optional.empty(),
                    PoolConfig.DEFAULT,
                    LedgerConfig.ALL_ROUNDS,
                    Optional.empty(),
                    Optional.empty());

    private static final int PEERS_MAX = 64;
    private static final int FILE_BYTES_MAX = 1 << 20;

    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .disable(JsonReadFeature.ALLOW_TRAILING_COMMA)
                    .disable(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION)
                    .build();

    /** How each key is read into the configuration so far. The order is that of messages. */
    private static final Map<String, Setting> SETTINGS = settings();

    public NodeConfig {
        peers = List.copyOf(peers);
        allowAddresses = List.copyOf(allowAddresses);
        denyAddresses = List.copyOf(denyAddresses);
        require(peers.size() <= PEERS_MAX, "Peers has more than " + PEERS_MAX + " entries");
        require(
                corsOrigin.filter(origin -> !origin.equals("*") && !isOrigin(origin)).isEmpty(),
                "CorsOrigin: '"
                        + corsOrigin.orElse("")
                        + "' is neither * nor like http://localhost:3000");
        require(
                kmdAddress.isPresent() == kmdWallet.isPresent(),
                "KmdAddress and KmdWallet go together");
        require(
                producer.isEmpty() || !(blocks instanceof BlockMode.Agreement),
                "Producer is for networks without agreement, or for following one; then Blocks is"
                        + " not agreement");
        require(
                !followMode || producer.isPresent(),
                "EnableFollowMode needs a Producer to take blocks from");
        require(
                keepRounds == LedgerConfig.ALL_ROUNDS || keepRounds >= LedgerConfig.KEEP_ROUNDS_MIN,
                "KeepRounds is at least "
                        + LedgerConfig.KEEP_ROUNDS_MIN
                        + ", or 0 for all, not "
                        + keepRounds);
    }

    /**
     * Reads a file of settings; a missing file is the default.
     *
     * @throws NodeFault naming the file, the key and what is allowed
     */
    public static NodeConfig read(Path file) throws NodeFault {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw NodeFault.configuration(file + ": larger than " + FILE_BYTES_MAX + " bytes");
            }
            return parse(Files.readString(file));
        } catch (NoSuchFileException absent) {
            return DEFAULT;
        } catch (IllegalArgumentException wrong) {
            throw NodeFault.configuration(file + ": " + wrong.getMessage(), wrong);
        } catch (IOException unreadable) {
            throw NodeFault.machine(
                    file + ": cannot be read: " + DataFolder.reason(unreadable), unreadable);
        }
    }

    /**
     * Reads settings.
     *
     * @throws IllegalArgumentException naming the key and what is allowed
     */
    public static NodeConfig parse(String json) {
        JsonNode root;
        try {
            root = JSON.readTree(json);
        } catch (JsonProcessingException malformed) {
            throw new IllegalArgumentException(
                    "not JSON: "
                            + malformed.getOriginalMessage()
                            + " at line "
                            + malformed.getLocation().getLineNr(),
                    malformed);
        }
        if (!root.isObject()) {
            throw new IllegalArgumentException("settings are one JSON object");
        }
        // All at once, since some settings are only right together.
        Fields fields = new Fields(DEFAULT);
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            Setting setting = SETTINGS.get(entry.getKey());
            if (setting == null) {
                throw new IllegalArgumentException(unknown(entry.getKey()));
            }
            try {
                setting.read(entry.getValue(), fields);
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(
                        entry.getKey() + ": " + wrong.getMessage(), wrong);
            }
        }
        return fields.toConfig();
    }

    /** The settings that differ from the default, as the text of a {@code config.json}. */
    public String toJson() {
        var object = JSON.createObjectNode();
        if (!endpoint.equals(DEFAULT.endpoint)) {
            object.put("EndpointAddress", endpoint.toString());
        }
        if (!net.equals(DEFAULT.net)) {
            object.put("NetAddress", net.toString());
        }
        netSocket.ifPresent(path -> object.put("NetSocket", path));
        list(object, "AllowAddresses", allowAddresses);
        list(object, "DenyAddresses", denyAddresses);
        flag(object, "EnableDeveloperAPI", developerApi);
        flag(object, "EnableExperimentalAPI", experimentalApi);
        flag(object, "DisableAPIAuth", disableApiAuth);
        flag(object, "EnableFollowMode", followMode);
        flag(object, "EnableTxnEvalTracer", evalTracer);
        flag(object, "EnablePrivateNetworkAccessHeader", privateNetworkAccessHeader);
        if (pool.transactionsMax() != DEFAULT.pool.transactionsMax()) {
            object.put("TxPoolSize", pool.transactionsMax());
        }
        if (!blocks.equals(DEFAULT.blocks)) {
            object.put("Blocks", blocks.toString());
        }
        producer.ifPresent(address -> object.put("Producer", address.toString()));
        list(object, "Peers", peers.stream().map(Multiaddr::toString).toList());
        corsOrigin.ifPresent(origin -> object.put("CorsOrigin", origin));
        kmdAddress.ifPresent(address -> object.put("KmdAddress", address.toString()));
        kmdWallet.ifPresent(wallet -> object.put("KmdWallet", wallet));
        if (keepRounds != DEFAULT.keepRounds) {
            object.put("KeepRounds", keepRounds);
        }
        return object.toPrettyString() + "\n";
    }

    private static void flag(ObjectNode object, String key, boolean value) {
        if (value) {
            object.put(key, true);
        }
    }

    private static void list(ObjectNode object, String key, List<String> texts) {
        if (!texts.isEmpty()) {
            ArrayNode all = object.putArray(key);
            texts.forEach(all::add);
        }
    }

    /** The filter that allowed and denied addresses make. */
    public AddressFilter addresses() {
        return AddressFilter.of(allowAddresses, denyAddresses);
    }

    public NodeConfig withEndpoint(HostPort address) {
        Fields fields = new Fields(this);
        fields.endpoint = address;
        return fields.toConfig();
    }

    public NodeConfig withNet(HostPort address) {
        Fields fields = new Fields(this);
        fields.net = address;
        return fields.toConfig();
    }

    public NodeConfig withNetSocket(String path) {
        Fields fields = new Fields(this);
        fields.netSocket = Optional.of(path);
        return fields.toConfig();
    }

    public NodeConfig withDenyAddresses(List<String> rules) {
        Fields fields = new Fields(this);
        fields.denyAddresses = rules;
        return fields.toConfig();
    }

    public NodeConfig withBlocks(BlockMode mode) {
        Fields fields = new Fields(this);
        fields.blocks = mode;
        return fields.toConfig();
    }

    public NodeConfig withProducer(Multiaddr address) {
        Fields fields = new Fields(this);
        fields.producer = Optional.of(address);
        return fields.toConfig();
    }

    public NodeConfig withPeers(List<Multiaddr> addresses) {
        Fields fields = new Fields(this);
        fields.peers = addresses;
        return fields.toConfig();
    }

    public NodeConfig withCorsOrigin(String origin) {
        Fields fields = new Fields(this);
        fields.corsOrigin = Optional.of(origin);
        return fields.toConfig();
    }

    /** Lets tools find the keys of a wallet file, named from the data folder, as kmd does. */
    public NodeConfig withKmd(HostPort address, String wallet) {
        Fields fields = new Fields(this);
        fields.kmdAddress = Optional.of(address);
        fields.kmdWallet = Optional.of(wallet);
        return fields.toConfig();
    }

    public NodeConfig withPool(PoolConfig bounds) {
        Fields fields = new Fields(this);
        fields.pool = bounds;
        return fields.toConfig();
    }

    /**
     * As this one, with so many blocks kept.
     *
     * @throws IllegalArgumentException when these are too few
     */
    public NodeConfig withKeepRounds(long rounds) {
        Fields fields = new Fields(this);
        fields.keepRounds = rounds;
        return fields.toConfig();
    }

    /** All that developers use: {@code EnableDeveloperAPI} and {@code EnableExperimentalAPI}. */
    public NodeConfig withDeveloperApis() {
        Fields fields = new Fields(this);
        fields.developerApi = true;
        fields.experimentalApi = true;
        return fields.toConfig();
    }

    /** The settings on their way; one field per component. */
    private static final class Fields {
        private HostPort endpoint;
        private HostPort net;
        private Optional<String> netSocket;
        private List<String> allowAddresses;
        private List<String> denyAddresses;
        private boolean developerApi;
        private boolean experimentalApi;
        private boolean disableApiAuth;
        private boolean followMode;
        private boolean evalTracer;
        private boolean privateNetworkAccessHeader;
        private BlockMode blocks;
        private Optional<Multiaddr> producer;
        private List<Multiaddr> peers;
        private Optional<String> corsOrigin;
        private PoolConfig pool;
        private long keepRounds;
        private Optional<HostPort> kmdAddress;
        private Optional<String> kmdWallet;

        Fields(NodeConfig from) {
            endpoint = from.endpoint;
            net = from.net;
            netSocket = from.netSocket;
            allowAddresses = from.allowAddresses;
            denyAddresses = from.denyAddresses;
            developerApi = from.developerApi;
            experimentalApi = from.experimentalApi;
            disableApiAuth = from.disableApiAuth;
            followMode = from.followMode;
            evalTracer = from.evalTracer;
            privateNetworkAccessHeader = from.privateNetworkAccessHeader;
            blocks = from.blocks;
            producer = from.producer;
            peers = from.peers;
            corsOrigin = from.corsOrigin;
            pool = from.pool;
            keepRounds = from.keepRounds;
            kmdAddress = from.kmdAddress;
            kmdWallet = from.kmdWallet;
        }

        NodeConfig toConfig() {
            return new NodeConfig(
                    endpoint,
                    net,
                    netSocket,
                    allowAddresses,
                    denyAddresses,
                    developerApi,
                    experimentalApi,
                    disableApiAuth,
                    followMode,
                    evalTracer,
                    privateNetworkAccessHeader,
                    blocks,
                    producer,
                    peers,
                    corsOrigin,
                    pool,
                    keepRounds,
                    kmdAddress,
                    kmdWallet);
        }
    }

    /** Reads one value into the fields. */
    @FunctionalInterface
    private interface Setting {
        void read(JsonNode value, Fields into);
    }

    private static Map<String, Setting> settings() {
        Map<String, Setting> all = new TreeMap<>();
        all.put("EndpointAddress", (value, into) -> into.endpoint = HostPort.parse(text(value)));
        all.put("NetAddress", (value, into) -> into.net = HostPort.parse(text(value)));
        all.put("NetSocket", (value, into) -> into.netSocket = Optional.of(text(value)));
        all.put("AllowAddresses", (value, into) -> into.allowAddresses = rules(value));
        all.put("DenyAddresses", (value, into) -> into.denyAddresses = rules(value));
        all.put("EnableDeveloperAPI", (value, into) -> into.developerApi = flag(value));
        all.put("EnableExperimentalAPI", (value, into) -> into.experimentalApi = flag(value));
        all.put("DisableAPIAuth", (value, into) -> into.disableApiAuth = flag(value));
        all.put("EnableFollowMode", (value, into) -> into.followMode = flag(value));
        all.put("EnableTxnEvalTracer", (value, into) -> into.evalTracer = flag(value));
        all.put(
                "EnablePrivateNetworkAccessHeader",
                (value, into) -> into.privateNetworkAccessHeader = flag(value));
        all.put("TxPoolSize", (value, into) -> into.pool = PoolConfig.ofSize(integer(value)));
        all.put("Blocks", (value, into) -> into.blocks = BlockMode.parse(text(value)));
        all.put(
                "Producer",
                (value, into) -> into.producer = Optional.of(Multiaddr.parse(text(value))));
        all.put(
                "Peers",
                (value, into) -> into.peers = list(value, one -> Multiaddr.parse(text(one))));
        all.put(
                "KmdAddress",
                (value, into) -> into.kmdAddress = Optional.of(HostPort.parse(text(value))));
        all.put("KmdWallet", (value, into) -> into.kmdWallet = Optional.of(text(value)));
        all.put("CorsOrigin", (value, into) -> into.corsOrigin = Optional.of(text(value)));
        all.put("KeepRounds", (value, into) -> into.keepRounds = integer(value));
        return all;
    }

    private static String text(JsonNode value) {
        require(value.isTextual() && !value.textValue().isBlank(), "a text is wanted");
        return value.textValue();
    }

    private static boolean flag(JsonNode value) {
        require(value.isBoolean(), "true or false is wanted");
        return value.booleanValue();
    }

    private static int integer(JsonNode value) {
        require(value.isIntegralNumber() && value.canConvertToInt(), "a whole number is wanted");
        return value.intValue();
    }

    private static <T> List<T> list(JsonNode value, Function<JsonNode, T> element) {
        require(value.isArray(), "a list of texts is wanted");
        List<T> all = new ArrayList<>();
        value.forEach(one -> all.add(element.apply(one)));
        return all;
    }

    private static List<String> rules(JsonNode value) {
        List<String> rules = list(value, NodeConfig::text);
        var unused = AddressFilter.of(rules, List.of()); // Each rule is one, or this says which.
        return rules;
    }

    private static boolean isOrigin(String text) {
        try {
            URI uri = URI.create(text);
            return uri.getHost() != null
                    && List.of("http", "https").contains(uri.getScheme())
                    && uri.getRawPath().isEmpty()
                    && uri.getRawQuery() == null;
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    private static String unknown(String key) {
        String nearest = Nearest.of(key, SETTINGS.keySet());
        return "unknown setting '"
                + key
                + "'"
                + (nearest.isEmpty() ? "" : "; did you mean " + nearest + "?")
                + "; allowed: "
                + String.join(", ", SETTINGS.keySet());
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }
}
