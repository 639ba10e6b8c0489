package topspin.ledger;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Status;
import topspin.ledger.account.Uint64;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a network starts from: its name, its rules and who owns what (block.md section 3).
 * Immutable.
 *
 * <p>Its hash is the network's identity. It covers every field, also names and comments, and the
 * order of the allocations.
 */
public final class Genesis {
    private static final int STATUS_MAX = 2;
    private static final int STATE_PROOF_KEY_BYTES = 64;
    private static final BigInteger UINT64_MAX = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);

    /** What an account owns, and the keys it votes with, before the first block. */
    public record Allocation(Address address, String comment, State state) {}

    /**
     * What an allocation gives.
     *
     * @param algo microAlgos, unsigned
     * @param onl 0 offline, 1 online, 2 not participating
     * @param vote master key of the one-time signatures
     * @param sel VRF key
     * @param stprf commitment to the state-proof keys, 64 bytes, or none
     * @param voteFst first round of the keys
     * @param voteLst last round of the keys
     * @param voteKd rounds per batch key
     */
    public record State(
            long algo,
            int onl,
            Digest vote,
            Digest sel,
            Bytes stprf,
            long voteFst,
            long voteLst,
            long voteKd) {
        public static final State EMPTY =
                new State(0, 0, Digest.ZERO, Digest.ZERO, Bytes.EMPTY, 0, 0, 0);

        /** An account that has money and takes no part. */
        public static State offline(long microAlgos) {
            return new State(microAlgos, 0, Digest.ZERO, Digest.ZERO, Bytes.EMPTY, 0, 0, 0);
        }

        /** An account that has money and can never take part: sink and pool. */
        public static State notParticipating(long microAlgos) {
            return new State(
                    microAlgos, STATUS_MAX, Digest.ZERO, Digest.ZERO, Bytes.EMPTY, 0, 0, 0);
        }
    }

    private final List<Allocation> allocations;
    private final String comment;
    private final boolean devMode;
    private final Address feeSink;
    private final Address rewardsPool;
    private final String schema;
    private final String network;
    private final String protocol;
    private final long timestamp;
    private final Digest hash;
    private final String json;

    /**
     * A genesis made here, whose JSON is {@link #json} as the reference's tools would write it.
     *
     * @param schema what stands behind the network's name, like {@code v1}
     * @param network the name, without a hyphen if other tools are to split it off
     * @param timestamp seconds since 1970; 0 lets block 1 choose any
     * @throws IllegalArgumentException naming what cannot be: an address given twice, an id too
     *     long, more money than 64 bits hold
     */
    public Genesis(
            List<Allocation> allocations,
            String comment,
            boolean devMode,
            Address feeSink,
            Address rewardsPool,
            String schema,
            String network,
            String protocol,
            long timestamp) {
        this(
                allocations,
                comment,
                devMode,
                feeSink,
                rewardsPool,
                schema,
                network,
                protocol,
                timestamp,
                "");
    }

    private Genesis(
            List<Allocation> allocations,
            String comment,
            boolean devMode,
            Address feeSink,
            Address rewardsPool,
            String schema,
            String network,
            String protocol,
            long timestamp,
            String json) {
        this.allocations = List.copyOf(allocations);
        this.comment = comment;
        this.devMode = devMode;
        this.feeSink = feeSink;
        this.rewardsPool = rewardsPool;
        this.schema = schema;
        this.network = network;
        this.protocol = protocol;
        this.timestamp = timestamp;
        requireSound();
        byte[] encoded = toMsgpack();
        this.hash = Digest.of(Sha512_256.digest(Domain.GE, encoded), 0);
        this.json = json.isEmpty() ? write() : json;
    }

    private void requireSound() {
        Set<Address> seen = new HashSet<>();
        BigInteger money = BigInteger.ZERO;
        for (Allocation allocation : allocations) {
            if (!seen.add(allocation.address)) {
                throw new IllegalArgumentException(
                        "genesis: repeated allocation to " + allocation.address);
            }
            money = money.add(new BigInteger(Long.toUnsignedString(allocation.state.algo)));
        }
        if (money.compareTo(UINT64_MAX) > 0) {
            throw new IllegalArgumentException("genesis: more than 2^64 - 1 microAlgos in total");
        }
        if (id().getBytes(StandardCharsets.UTF_8).length > 128) {
            throw new IllegalArgumentException("genesis: id longer than 128 bytes: " + id());
        }
        if (protocol.getBytes(StandardCharsets.UTF_8).length > ConsensusVersions.NAME_BYTES_MAX) {
            throw new IllegalArgumentException("genesis: proto longer than 128 bytes: " + protocol);
        }
    }

    public List<Allocation> allocations() {
        return allocations;
    }

    public String comment() {
        return comment;
    }

    /** Whether blocks are made on demand, without agreement. */
    public boolean devMode() {
        return devMode;
    }

    public Address feeSink() {
        return feeSink;
    }

    public Address rewardsPool() {
        return rewardsPool;
    }

    /** What follows the network's name in {@link #id}. */
    public String schema() {
        return schema;
    }

    public String network() {
        return network;
    }

    /** The protocol version of block 0. */
    public String protocol() {
        return protocol;
    }

    /** Seconds since 1970, signed. */
    public long timestamp() {
        return timestamp;
    }

    /** Name and schema, as transactions and headers carry it. */
    public String id() {
        return network + "-" + schema;
    }

    /** The network's identity. */
    public Digest hash() {
        return hash;
    }

    /** The text it was read from, verbatim, or as {@code genesis.json} is written. */
    public String json() {
        return json;
    }

    // Round 0.

    /** The flat commitment to an empty list, in block 0 only. */
    private static final Digest EMPTY_PAYSET =
            Digest.fromBytes(Sha512_256.digest(Domain.PF, new byte[] {(byte) 0x90}));

    private static final long FIRST_TRANSACTION_COUNTER = 1000;

    /**
     * The block of round 0 (block.md section 4).
     *
     * @throws IllegalArgumentException when no block could follow it: the rewards pool holds less
     *     than its minimum
     */
    public Block block(ConsensusParams params) {
        long pool = accounts().getOrDefault(rewardsPool, Account.EMPTY).balance();
        if (Uint64.less(pool, params.minBalance())) {
            throw new IllegalArgumentException(
                    "genesis: the rewards pool must hold at least "
                            + params.minBalance()
                            + " microAlgos, or no block can follow");
        }
        var header = new BlockHeader.Draft();
        header.seed = hash;
        header.transactionRoot = EMPTY_PAYSET;
        header.timestamp = timestamp;
        header.genesisId = id();
        header.genesisHash = hash;
        header.feeSink = feeSink;
        header.rewardsPool = rewardsPool;
        header.rewardsRecalculationRound = params.rewardsRateRefreshInterval();
        header.rewardsRate =
                Long.divideUnsigned(
                        pool - params.minBalance(), params.rewardsRateRefreshInterval());
        header.protocol = protocol;
        header.transactionCounter = FIRST_TRANSACTION_COUNTER;
        return new Block(header.build(), List.of());
    }

    /** What round 0 changes: every account there is, from nothing. */
    public StateDelta delta(ConsensusParams params) {
        List<StateDelta.AccountChange> changes = new ArrayList<>();
        AccountTotals totals = AccountTotals.ZERO;
        for (Map.Entry<Address, Account> entry : accounts().entrySet()) {
            Account account = entry.getValue();
            if (!account.isEmpty()) {
                changes.add(new StateDelta.AccountChange(entry.getKey(), Account.EMPTY, account));
                totals = totals.plus(account, params.rewardUnit());
            }
        }
        return new StateDelta(0, changes, List.of(), List.of(), List.of(), List.of(), totals);
    }

    private NavigableMap<Address, Account> accounts() {
        NavigableMap<Address, Account> accounts = new TreeMap<>();
        allocations.forEach(
                allocation -> accounts.put(allocation.address, account(allocation.state)));
        // The sink cannot take part whatever the file says.
        Account sink = accounts.getOrDefault(feeSink, Account.EMPTY);
        accounts.put(
                feeSink,
                sink.withStatus(
                        Status.NOT_PARTICIPATING, sink.participation(), sink.incentiveEligible()));
        return accounts;
    }

    private static Account account(State state) {
        var keys =
                new Participation(
                        state.vote,
                        state.sel,
                        state.stprf,
                        state.voteFst,
                        state.voteLst,
                        state.voteKd);
        return Account.EMPTY
                .withBalance(state.algo)
                .withStatus(
                        Status.ofCode(state.onl),
                        keys.equals(Participation.NONE) ? Participation.NONE : keys,
                        false);
    }

    // The hashed form.

    private static final Key ADDR = Key.of("addr");
    private static final Key ALGO = Key.of("algo");
    private static final Key ALLOC = Key.of("alloc");
    private static final Key COMMENT = Key.of("comment");
    private static final Key DEVMODE = Key.of("devmode");
    private static final Key FEES = Key.of("fees");
    private static final Key ID = Key.of("id");
    private static final Key NETWORK = Key.of("network");
    private static final Key ONL = Key.of("onl");
    private static final Key PROTO = Key.of("proto");
    private static final Key RWD = Key.of("rwd");
    private static final Key SEL = Key.of("sel");
    private static final Key STATE = Key.of("state");
    private static final Key STPRF = Key.of("stprf");
    private static final Key TIMESTAMP = Key.of("timestamp");
    private static final Key VOTE = Key.of("vote");
    private static final Key VOTE_FST = Key.of("voteFst");
    private static final Key VOTE_KD = Key.of("voteKD");
    private static final Key VOTE_LST = Key.of("voteLst");

    /** The canonical msgpack that the hash is over. */
    public byte[] toMsgpack() {
        var out = new CanonicalWriter();
        long map = out.openMap();
        out.arrayHeader(ALLOC, allocations.size());
        for (Allocation allocation : allocations) {
            encode(allocation, out);
        }
        out.text(COMMENT, comment);
        out.flag(DEVMODE, devMode);
        out.text(FEES, feeSink.toString());
        out.text(ID, schema);
        out.text(NETWORK, network);
        out.text(PROTO, protocol);
        out.text(RWD, rewardsPool.toString());
        out.signed(TIMESTAMP, timestamp);
        out.closeMap(map);
        return out.toByteArray();
    }

    /** Unlike anywhere else, an empty comment and an empty state are written. */
    private static void encode(Allocation allocation, CanonicalWriter out) {
        out.writeMapHeader(3);
        out.raw(ADDR.encoded());
        out.writeText(allocation.address.toString());
        out.raw(COMMENT.encoded());
        out.writeText(allocation.comment);
        out.raw(STATE.encoded());
        State state = allocation.state;
        long map = out.openMap();
        out.uint(ALGO, state.algo);
        out.uint(ONL, state.onl);
        out.digest(SEL, state.sel);
        out.bytes(STPRF, state.stprf);
        out.digest(VOTE, state.vote);
        out.uint(VOTE_FST, state.voteFst);
        out.uint(VOTE_KD, state.voteKd);
        out.uint(VOTE_LST, state.voteLst);
        out.closeMap(map);
    }

    // JSON.

    /**
     * Reads the text of a {@code genesis.json}.
     *
     * @throws IllegalArgumentException with one line that names the key: not JSON, a key unknown or
     *     repeated, a value of another kind or out of range, a bad address, an address given twice
     */
    public static Genesis parse(String text) {
        try (JsonParser in =
                JsonFactory.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .build()
                        .createParser(text)) {
            in.nextToken();
            Genesis read = new Parser(in).readGenesis(text);
            if (in.nextToken() != null) {
                throw new IllegalArgumentException("genesis: more text after the object");
            }
            return read;
        } catch (JsonProcessingException malformed) {
            throw new IllegalArgumentException(
                    "genesis: " + malformed.getOriginalMessage().replace('\n', ' '), malformed);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // A String does not fail.
        }
    }

    /** Walks the text once; keys come in any order. */
    private record Parser(JsonParser in) {
        Genesis readGenesis(String text) throws IOException {
            List<Allocation> allocations = List.of();
            String comment = "";
            boolean devMode = false;
            Address feeSink = Address.ZERO;
            Address rewardsPool = Address.ZERO;
            String schema = "";
            String network = "";
            String protocol = "";
            long timestamp = 0;
            requireObject("genesis");
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String key = in.currentName();
                in.nextToken();
                switch (key) {
                    case "alloc" -> allocations = readAllocations();
                    case "comment" -> comment = string(key);
                    case "devmode" -> devMode = bool(key);
                    case "fees" -> feeSink = address(key);
                    case "id" -> schema = string(key);
                    case "network" -> network = string(key);
                    case "proto" -> protocol = string(key);
                    case "rwd" -> rewardsPool = address(key);
                    case "timestamp" -> timestamp = signed(key);
                    default -> throw unknown(key);
                }
            }
            if (feeSink.isZero() || rewardsPool.isZero()) {
                throw new IllegalArgumentException("genesis: fees and rwd must both be given");
            }
            return new Genesis(
                    allocations,
                    comment,
                    devMode,
                    feeSink,
                    rewardsPool,
                    schema,
                    network,
                    protocol,
                    timestamp,
                    text);
        }

        private List<Allocation> readAllocations() throws IOException {
            if (in.currentToken() != JsonToken.START_ARRAY) {
                throw new IllegalArgumentException("genesis: alloc must be a list");
            }
            List<Allocation> allocations = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                Address address = Address.ZERO;
                String comment = "";
                State state = State.EMPTY;
                boolean named = false;
                requireObject("alloc");
                while (in.nextToken() == JsonToken.FIELD_NAME) {
                    String key = in.currentName();
                    in.nextToken();
                    switch (key) {
                        case "addr" -> {
                            address = address(key);
                            named = true;
                        }
                        case "comment" -> comment = string(key);
                        case "state" -> state = readState();
                        default -> throw unknown(key);
                    }
                }
                if (!named) {
                    throw new IllegalArgumentException("genesis: an allocation without addr");
                }
                allocations.add(new Allocation(address, comment, state));
            }
            return allocations;
        }

        private State readState() throws IOException {
            long algo = 0;
            int onl = 0;
            Digest vote = Digest.ZERO;
            Digest sel = Digest.ZERO;
            Bytes stprf = Bytes.EMPTY;
            long voteFst = 0;
            long voteLst = 0;
            long voteKd = 0;
            requireObject("state");
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String key = in.currentName();
                in.nextToken();
                switch (key) {
                    case "algo" -> algo = unsigned(key);
                    case "onl" -> onl = status(key);
                    case "vote" -> vote = Digest.fromBytes(base64(key, Digest.BYTES));
                    case "sel" -> sel = Digest.fromBytes(base64(key, Digest.BYTES));
                    case "stprf" -> stprf = Bytes.of(base64(key, STATE_PROOF_KEY_BYTES));
                    case "voteFst" -> voteFst = unsigned(key);
                    case "voteLst" -> voteLst = unsigned(key);
                    case "voteKD" -> voteKd = unsigned(key);
                    default -> throw unknown(key);
                }
            }
            return new State(algo, onl, vote, sel, stprf, voteFst, voteLst, voteKd);
        }

        private void requireObject(String key) {
            if (in.currentToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("genesis: " + key + " must be an object");
            }
        }

        private String string(String key) throws IOException {
            if (in.currentToken() != JsonToken.VALUE_STRING) {
                throw wrong(key, "a string");
            }
            return in.getText();
        }

        private boolean bool(String key) throws IOException {
            if (!in.currentToken().isBoolean()) {
                throw wrong(key, "true or false");
            }
            return in.getBooleanValue();
        }

        private Address address(String key) throws IOException {
            try {
                return Address.parse(string(key));
            } catch (IllegalArgumentException malformed) {
                throw new IllegalArgumentException(
                        "genesis: " + key + ": " + malformed.getMessage(), malformed);
            }
        }

        private int status(String key) throws IOException {
            long code = unsigned(key);
            if (code < 0 || code > STATUS_MAX) {
                throw wrong(key, "0 offline, 1 online or 2 not participating");
            }
            return (int) code;
        }

        private long unsigned(String key) throws IOException {
            if (in.currentToken() != JsonToken.VALUE_NUMBER_INT) {
                throw wrong(key, "a whole number");
            }
            BigInteger value = in.getBigIntegerValue();
            if (value.signum() < 0 || value.compareTo(UINT64_MAX) > 0) {
                throw wrong(key, "from 0 to 2^64 - 1");
            }
            return value.longValue();
        }

        private long signed(String key) throws IOException {
            if (in.currentToken() != JsonToken.VALUE_NUMBER_INT
                    || in.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
                throw wrong(key, "a whole number of 64 bits");
            }
            return in.getLongValue();
        }

        private byte[] base64(String key, int length) throws IOException {
            try {
                byte[] bytes = Base64.getDecoder().decode(string(key));
                if (bytes.length == length) {
                    return bytes;
                }
            } catch (IllegalArgumentException malformed) {
                throw new IllegalArgumentException(
                        "genesis: " + key + " must be base64: " + malformed.getMessage(),
                        malformed);
            }
            throw wrong(key, length + " bytes in base64");
        }

        private IllegalArgumentException wrong(String key, String due) throws IOException {
            return new IllegalArgumentException(
                    "genesis: " + key + " must be " + due + ": " + in.getText());
        }

        private static IllegalArgumentException unknown(String key) {
            return new IllegalArgumentException("genesis: unknown key " + key);
        }
    }

    /** Keys sorted, two spaces of indent, what is zero left out, a line end last. */
    private String write() {
        var text = new StringWriter();
        try (JsonGenerator out = new JsonFactory().createGenerator(text)) {
            var indenter = new DefaultIndenter("  ", "\n");
            out.setPrettyPrinter(
                    new DefaultPrettyPrinter(
                                    Separators.createDefaultInstance()
                                            .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                                            .withObjectEmptySeparator("")
                                            .withArrayEmptySeparator(""))
                            .withObjectIndenter(indenter)
                            .withArrayIndenter(indenter));
            out.writeStartObject();
            out.writeArrayFieldStart("alloc");
            for (Allocation allocation : allocations) {
                write(allocation, out);
            }
            out.writeEndArray();
            writeText("comment", comment, out);
            if (devMode) {
                out.writeBooleanField("devmode", true);
            }
            writeText("fees", feeSink.toString(), out);
            writeText("id", schema, out);
            writeText("network", network, out);
            writeText("proto", protocol, out);
            writeText("rwd", rewardsPool.toString(), out);
            if (timestamp != 0) {
                out.writeNumberField("timestamp", timestamp);
            }
            out.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // A StringWriter does not fail.
        }
        return text.append('\n').toString();
    }

    private static void write(Allocation allocation, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("addr", allocation.address.toString());
        out.writeStringField("comment", allocation.comment);
        out.writeObjectFieldStart("state");
        State state = allocation.state;
        writeNumber("algo", state.algo, out);
        writeNumber("onl", state.onl, out);
        writeBytes("sel", state.sel.isZero() ? new byte[0] : state.sel.toBytes(), out);
        writeBytes("stprf", state.stprf.toArray(), out);
        writeBytes("vote", state.vote.isZero() ? new byte[0] : state.vote.toBytes(), out);
        writeNumber("voteFst", state.voteFst, out);
        writeNumber("voteKD", state.voteKd, out);
        writeNumber("voteLst", state.voteLst, out);
        out.writeEndObject();
        out.writeEndObject();
    }

    private static void writeText(String key, String text, JsonGenerator out) throws IOException {
        if (!text.isEmpty()) {
            out.writeStringField(key, text);
        }
    }

    private static void writeNumber(String key, long value, JsonGenerator out) throws IOException {
        if (value != 0) {
            out.writeFieldName(key);
            out.writeNumber(new BigInteger(Long.toUnsignedString(value)));
        }
    }

    private static void writeBytes(String key, byte[] bytes, JsonGenerator out) throws IOException {
        if (bytes.length != 0) {
            out.writeStringField(key, Base64.getEncoder().encodeToString(bytes));
        }
    }
}
