package topspin.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.TransactionDecoder;
import topspin.codec.vote.VoteDecoder;
import topspin.net.gossipsub.GossipDrop;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.PeerId;
import topspin.net.p2p.RawMuxer;
import topspin.net.p2p.RawMuxer.Greeting;
import topspin.net.stream.BlockAnswer;
import topspin.net.stream.BlockRequest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * What a reference node does to a peer that misbehaves, as recorded, ours does too or better: case
 * by case, on real sockets, against a peer whose layers are not ours.
 */
@ExtendWith(LeakFreedom.class)
final class ReactionsTest {
    private static final String GENESIS = "private-v1";
    private static final String TAGGED = "/algorand-ws/2.2.0";
    private static final String MESHSUB = "/meshsub/1.2.0";
    private static final byte[] VALID =
            HexFormat.of()
                    .parseHex(
                            "82a3736967c4401b61559130c7fe41ba81691e59ca53f64f8948e14ee75408e38c73e2"
                                    + "5427adea656f24bf8465b799e866a0259f3c97d517d440379e6d9d253938452cb1fb"
                                    + "8c0ba374786e8aa3616d7401a3666565cd03e8a26676cd02fca367656eaa70726976"
                                    + "6174652d7631a26768c420c5df5888941c40dcaaaf27151dd96c942d2ac31bcbc487"
                                    + "437f56ca9273bc7dc4a26c76cd04f0a46e6f7465c4081971275e817696c5a3726376"
                                    + "c420fb63451c46eb93852b819cc20cdb4b8cf88fc934001969069cfae62d3b7f38d8"
                                    + "a3736e64c420fb63451c46eb93852b819cc20cdb4b8cf88fc934001969069cfae62d"
                                    + "3b7f38d8a474797065a3706179");

    /** Cases that another test of ours shows, and which. */
    private static final Map<String, String> ELSEWHERE = elsewhere();

    private static final Random RANDOM = new Random(7);
    private static final Door DOOR = new Door();
    private static Gossip node;
    private static int port;
    private static int peers;

    private final Map<String, Case> cases = new LinkedHashMap<>();

    /** One case. */
    @FunctionalInterface
    private interface Case {
        void run() throws Exception;
    }

    /** Judges what arrives as the doors of a node do, but for signatures and the ledger. */
    private static final class Door implements Inbox {
        final List<byte[]> accepted = new CopyOnWriteArrayList<>();

        @Override
        public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
            byte[] bytes = new byte[body.readableBytes()];
            body.readBytes(bytes);
            try {
                switch (tag) {
                    case TRANSACTION -> {
                        new TransactionDecoder().decodeGroup(bytes, 0, bytes.length);
                        accepted.add(bytes);
                        return Verdict.ACCEPT;
                    }
                    case VOTE -> new VoteDecoder().decodeVote(bytes, 0, bytes.length);
                    case BUNDLE -> new VoteDecoder().decodeBundle(bytes, 0, bytes.length);
                    case STATE_PROOF_SIGNATURE -> {
                        return Verdict.REJECT; // None here is well-formed.
                    }
                    case BLOCK_REQUEST -> answer(peer, bytes);
                    default -> {}
                }
                return Verdict.IGNORE;
            } catch (MalformedMessage malformed) {
                return Verdict.REJECT;
            }
        }

        private static void answer(Peer peer, byte[] body) {
            BlockRequest request = BlockRequest.decode(body);
            BlockAnswer said =
                    request == null
                            ? new BlockAnswer.Refused("unreadable")
                            : request.round() == 5
                                    ? new BlockAnswer.Found(new byte[1], new byte[1])
                                    : new BlockAnswer.Missing(357);
            byte[] answer = said.encode(BlockRequest.hash(body));
            peer.send(Tag.BLOCK_RESPONSE, answer, 0, answer.length);
        }
    }

    @BeforeAll
    static void startNode() throws IOException {
        node =
                new Gossip(
                        GossipConfig.of(
                                GENESIS,
                                key(0xf0, 0x100),
                                List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/0")),
                                List.of()),
                        DOOR,
                        (asker, round, answer) -> answer.accept(new BlockAnswer.Missing(357)),
                        (asker, known, answer) -> answer.accept(null),
                        new Random(1),
                        System::nanoTime,
                        InstantSource.system());
        node.start();
        Multiaddr address = node.listenAddresses().getFirst();
        port = Objects.requireNonNull(address.socketAddress()).getPort();
    }

    @AfterAll
    static void stopNode() {
        node.close();
    }

    /** A key whose peer id comes after, or before, all others: the first byte tells. */
    private static KeyPair key(int least, int end) {
        byte[] seed = new byte[32];
        while (true) {
            seed[0] = (byte) ++peers;
            seed[1] = (byte) (peers >> Byte.SIZE);
            KeyPair pair = KeyPair.fromSeed(seed);
            int first = pair.publicKey()[0] & 0xff;
            if (first >= least && first < end) {
                return pair;
            }
        }
    }

    private static RawMuxer connect(String... speaks) throws IOException {
        return RawMuxer.connect(port, key(0, 0xf0), speaks);
    }

    /** A connection with its tagged stream. */
    private static final class Tagged implements AutoCloseable {
        final RawMuxer muxer;
        final int stream;

        Tagged() throws IOException {
            this(
                    headers(
                            "82b2582d416c676f72616e642d56657273696f6e91a3322e32"
                                    + "b2582d416c676f72616e642d47656e6573697391aa707269766174652d7631"));
        }

        Tagged(byte[] header) throws IOException {
            muxer = connect();
            stream = muxer.open(TAGGED);
            muxer.data(stream, 0, header);
        }

        Tagged greeted() throws IOException {
            int length = ByteBuffer.wrap(muxer.read(stream, 2)).getShort();
            muxer.read(stream, length);
            return this;
        }

        void say(String tag, byte[] body) throws IOException {
            muxer.data(stream, 0, RawPeer.frame(tag, body));
        }

        /** The next frame's tag and body. */
        String next() throws IOException {
            int length = ByteBuffer.wrap(muxer.read(stream, 4)).getInt();
            byte[] frame = muxer.read(stream, length);
            return new String(frame, 0, 2, US_ASCII)
                    + HexFormat.of().formatHex(frame, 2, frame.length);
        }

        void awaitStays() throws IOException {
            muxer.awaitPong();
            node.broadcast(Tag.VOTE, new byte[] {7}, 0, 1);
            String next = next();
            while (!next.equals("AV07")) {
                next = next();
            }
        }

        @Override
        public void close() throws IOException {
            muxer.close();
        }
    }

    private static byte[] headers(String map) {
        byte[] bytes = HexFormat.of().parseHex(map);
        return ByteBuffer.allocate(2 + bytes.length)
                .putShort((short) bytes.length)
                .put(bytes)
                .array();
    }

    /** A connection that gossips. */
    private static final class Gossiping implements AutoCloseable {
        final RawMuxer muxer = connect(MESHSUB);
        int stream = muxer.open(MESHSUB);

        Gossiping() throws IOException {
            muxer.accepted(MESHSUB);
        }

        void rpc(byte[] body) throws IOException {
            var bytes = new ByteArrayOutputStream();
            for (int rest = body.length; ; rest >>>= 7) {
                if (rest < 128) {
                    bytes.write(rest);
                    break;
                }
                bytes.write((rest & 0x7f) | 0x80);
            }
            bytes.writeBytes(body);
            byte[] all = bytes.toByteArray();
            for (int at = 0; at < all.length; at += 60_000) {
                int length = Math.min(60_000, all.length - at);
                muxer.data(stream, 0, Arrays.copyOfRange(all, at, at + length));
                awaitWindow(at + length);
            }
        }

        /** What was sent may be no more than was granted. */
        private void awaitWindow(int sent) {
            Await.until(
                    "room",
                    () -> muxer.granted(stream) + 190_000 > sent || muxer.resetOf(stream) >= 0);
        }

        void publish(byte[] data, String extra) throws IOException {
            rpc(publishing(data, extra, "algotx01"));
        }

        static byte[] publishing(byte[] data, String extra, String topic) {
            byte[] message =
                    join(
                            field(2, data),
                            field(4, topic.getBytes(US_ASCII)),
                            HexFormat.of().parseHex(extra));
            return field(2, message);
        }

        static byte[] field(int number, byte[] value) {
            var bytes = new ByteArrayOutputStream();
            bytes.write(number << 3 | 2);
            for (int rest = value.length; ; rest >>>= 7) {
                if (rest < 128) {
                    bytes.write(rest);
                    break;
                }
                bytes.write((rest & 0x7f) | 0x80);
            }
            bytes.writeBytes(value);
            return bytes.toByteArray();
        }

        static byte[] join(byte[]... parts) {
            var bytes = new ByteArrayOutputStream();
            for (byte[] part : parts) {
                bytes.writeBytes(part);
            }
            return bytes.toByteArray();
        }

        /** A group that was not seen before. */
        static byte[] fresh() {
            byte[] group = VALID.clone();
            RANDOM.nextBytes(PROBE);
            System.arraycopy(PROBE, 0, group, 7, 8); // Within the signature.
            return group;
        }

        private static final byte[] PROBE = new byte[8];

        void awaitAccepted() throws IOException {
            byte[] group = fresh();
            publish(group, "");
            Await.until("accepted", () -> has(group));
        }

        static boolean has(byte[] group) {
            return DOOR.accepted.stream().anyMatch(each -> Arrays.equals(each, group));
        }

        @Override
        public void close() throws IOException {
            muxer.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> aMisbehavingPeerFaresWithUsAsWithTheReference() throws IOException {
        taggedStream();
        headerBlocks();
        gossip();
        muxer();
        noise();
        String text = Files.readString(Vectors.file("reference/p2p/reactions.json"));
        List<DynamicTest> tests = new ArrayList<>();
        Set<String> shown = new TreeSet<>();
        for (Object element : Vectors.row("{\"rows\":" + text + "}").list("rows")) {
            Row row = (Row) Objects.requireNonNull(element);
            String what = row.text("what");
            if (ELSEWHERE.containsKey(what)) {
                continue;
            }
            Case is = cases.containsKey(what) ? cases.get(what) : ofCommands(row);
            shown.add(what);
            tests.add(DynamicTest.dynamicTest(what + ": " + row.text("reaction"), is::run));
        }
        assertThat(shown).containsAll(cases.keySet()).hasSizeGreaterThan(80);
        return tests.stream();
    }

    private static Map<String, String> elsewhere() {
        Map<String, String> all = new LinkedHashMap<>();
        for (String what :
                List.of(
                        "AV step 0, sender exchanged by random bytes",
                        "AV step 0 vote turned into step 1",
                        "AV step 0 vote with period 5",
                        "AV echoed / signature or credential changed after the node had it",
                        "PP echoed as zstd and plain, seed byte changed")) {
            all.put(what, "agreement judges votes; what it rejects ends the connection here");
        }
        for (String what :
                List.of(
                        "bad signature in the transaction",
                        "wrong genesis hash",
                        "expired",
                        "sender without funds")) {
            all.put(what, "IngestTest: rejected or ignored");
        }
        for (String what :
                List.of(
                        "GRAFT twice inside the backoff",
                        "IDONTWANT for an id before it exists",
                        "we are outside the mesh, node publishes its own transaction",
                        "our IHAVE of an unknown id",
                        "our IHAVE, IWANT answered by the message")) {
            all.put(what, "GossipSubTest, where a heartbeat takes no second");
        }
        for (String what :
                List.of(
                        "window used up by TS answers, granted again after 10 s",
                        "granted again after 35 s")) {
            all.put(what, "GossipTest, where the clock is the test's");
        }
        for (String what :
                List.of(
                        "stream opened, nothing sent",
                        "identify of the node not answered",
                        "yamux ping not answered")) {
            all.put(what, "PatienceTest, which takes its time");
        }
        return all;
    }

    /** As the recording says what was sent, and what came of it. */
    private static Case ofCommands(Row row) {
        return () -> {
            try (Tagged peer = new Tagged().greeted()) {
                for (Object element : row.list("commands")) {
                    String command = (String) Objects.requireNonNull(element);
                    String[] words = command.split(" ");
                    switch (words[0]) {
                        case "ws" -> peer.say(words[1], body(words[2], row.text("what")));
                        case "wsraw" ->
                                peer.muxer.data(peer.stream, 0, HexFormat.of().parseHex(words[1]));
                        case "wsclose" ->
                                peer.muxer.frame(RawMuxer.WINDOW, RawMuxer.FIN, peer.stream, 0);
                        case "wsreset" ->
                                peer.muxer.frame(RawMuxer.WINDOW, RawMuxer.RST, peer.stream, 0);
                        case "open" -> {
                            int second = peer.muxer.newId();
                            peer.muxer.frame(RawMuxer.WINDOW, RawMuxer.SYN, second, 0);
                            peer.muxer.data(
                                    second, 0, RawMuxer.words("/multistream/1.0.0", words[1]));
                        }
                        default -> throw new AssertionError("a command unknown: " + command);
                    }
                }
                if (row.text("reaction").startsWith("stays")) {
                    peer.awaitStays();
                } else {
                    assertThat(row.text("reaction")).isEqualTo("connection closed");
                    peer.muxer.awaitClosed();
                }
            }
        };
    }

    private static byte[] body(String hex, String what) {
        if (hex.equals("-")) {
            return new byte[0];
        }
        return hex.endsWith("...")
                ? new byte[Integer.parseInt(what.replaceAll("\\D", ""))]
                : HexFormat.of().parseHex(hex);
    }

    private void taggedStream() {
        for (String hex : List.of("ffff", "81a161a162")) {
            cases.put("PP " + hex, () -> afterFrame("PP", hex));
        }
        cases.put("PP without body", () -> afterFrame("PP", ""));
        cases.put("AV 80", () -> afterFrame("AV", "80"));
        cases.put("UE ok", () -> afterRequest("UE ok", "blockData"));
        cases.put("MI tags=AV", () -> afterWish("AV", true, false));
        cases.put("MI tags=AV,PP,VP", () -> afterWish("AV,PP,VP", true, true));
        cases.put("MI tags=VP", () -> afterWish("VP", false, false));
        cases.put(
                "MI tags empty",
                () -> {
                    try (Tagged peer = new Tagged().greeted()) {
                        peer.say("MI", HexFormat.of().parseHex("01047461677300"));
                        peer.muxer.awaitClosed();
                    }
                });
    }

    private static void afterFrame(String tag, String hex) throws IOException {
        try (Tagged peer = new Tagged().greeted()) {
            peer.say(tag, HexFormat.of().parseHex(hex));
            peer.awaitStays();
        }
    }

    private static void afterRequest(String what, String topic) throws IOException {
        try (Tagged peer = new Tagged().greeted()) {
            peer.say("UE", BlockRequest.encode(5, 1));
            String answer = peer.next();
            assertThat(answer).as(what).startsWith("TS");
            assertThat(answer)
                    .contains(HexFormat.of().formatHex(topic.getBytes(US_ASCII)))
                    .contains(HexFormat.of().formatHex("RequestHash".getBytes(US_ASCII)));
            peer.awaitStays();
        }
    }

    private static void afterWish(String tags, boolean votes, boolean proposals)
            throws IOException {
        try (Tagged peer = new Tagged().greeted()) {
            byte[] list = tags.getBytes(US_ASCII);
            peer.say(
                    "MI",
                    Gossiping.join(
                            HexFormat.of().parseHex("010474616773"),
                            new byte[] {(byte) list.length},
                            list));
            peer.muxer.awaitPong();
            node.broadcast(Tag.VOTE, new byte[] {1}, 0, 1);
            node.broadcast(Tag.PROPOSAL, new byte[] {2}, 0, 1);
            // An answer comes whatever was wished for.
            peer.say("UE", BlockRequest.encode(5, 1));
            String got = "";
            for (String next = peer.next(); !next.startsWith("TS"); next = peer.next()) {
                got += next.substring(0, 2);
            }
            assertThat(got.contains("AV")).isEqualTo(votes);
            assertThat(got.contains("PP")).isEqualTo(proposals);
        }
    }

    private void headerBlocks() {
        String version = "b2582d416c676f72616e642d56657273696f6e91a3322e32";
        String genesis = "b2582d416c676f72616e642d47656e6573697391aa707269766174652d7631";
        accepted("header: X-Algorand-Version 2.2 only", "81" + version);
        accepted(
                "header: accept [2.1,2.2], version 2.1",
                "82b9582d416c676f72616e642d4163636570742d56657273696f6e92a3322e31a3322e32"
                        + version.replace("322e32", "322e31"));
        accepted("header: extra unknown key", "83a3582d4191a101" + version + genesis);
        refused("header: version 2.1 only", "81" + version.replace("322e32", "322e31"));
        refused("header: lower-case keys", "81b2782d616c676f72616e642d76657273696f6e91a3322e32");
        refused("header: not msgpack (0002ffff)", "ffff");
        refused("header: empty map (000180)", "80");
        // The reference lets it be and finds out later; we do not begin.
        refused(
                "header: other genesis id",
                "82" + version + genesis.replace("707269766174652d7631", "707269766174652d7632"));
        cases.put(
                "no header sent",
                () -> {
                    try (RawMuxer muxer = connect()) {
                        int stream = muxer.open(TAGGED);
                        muxer.awaitPong();
                        assertThat(muxer.resetOf(stream)).isEqualTo(-1);
                    }
                });
    }

    private void accepted(String what, String map) {
        cases.put(
                what,
                () -> {
                    try (Tagged peer = new Tagged(headers(map)).greeted()) {
                        peer.awaitStays();
                    }
                });
    }

    private void refused(String what, String map) {
        cases.put(
                what,
                () -> {
                    try (Tagged peer = new Tagged(headers(map))) {
                        peer.muxer.awaitClosed();
                    }
                });
    }

    // Gossip.

    private void gossip() {
        byte[] swapped = VALID.clone();
        byte[] signature = Arrays.copyOfRange(VALID, 1, 71);
        System.arraycopy(VALID, 71, swapped, 1, VALID.length - 71);
        System.arraycopy(signature, 0, swapped, VALID.length - 70, 70);
        held("not canonical (txn before sig)", swapped, "", GossipDrop.REJECTED);
        held("ffffffffff", HexFormat.of().parseHex("ffffffffff"), "", GossipDrop.REJECTED);
        held("empty data", new byte[0], "", GossipDrop.EMPTY);
        byte[] seventeen = new byte[17 * VALID.length];
        for (int at = 0; at < seventeen.length; at += VALID.length) {
            System.arraycopy(VALID, 0, seventeen, at, VALID.length);
        }
        held("17 transactions", seventeen, "", GossipDrop.REJECTED);
        held("trailing byte 00", Gossiping.join(VALID, new byte[1]), "", GossipDrop.REJECTED);
        held("signature field of the gossip message set", VALID, "2a0101", GossipDrop.SIGNED);
        cases.put(
                "from = the receiver",
                () -> afterInvalid(VALID, from(node.self()), GossipDrop.SELF_ORIGIN));
        for (Map.Entry<String, String> extra :
                Map.of(
                                "key field only", "320101",
                                "from only", "0a03313233",
                                "seqno only", "1a080000000000000001",
                                "from 0102 (no peer id)", "0a020102")
                        .entrySet()) {
            cases.put(
                    extra.getKey(),
                    () -> {
                        try (var peer = new Gossiping()) {
                            byte[] group = Gossiping.fresh();
                            peer.publish(group, extra.getValue());
                            Await.until("accepted", () -> Gossiping.has(group));
                        }
                    });
        }
        cases.put(
                "same bytes again",
                () -> {
                    try (var peer = new Gossiping()) {
                        byte[] group = Gossiping.fresh();
                        peer.publish(group, "");
                        Await.until("accepted", () -> Gossiping.has(group));
                        int before = DOOR.accepted.size();
                        peer.publish(group, "");
                        peer.awaitAccepted();
                        assertThat(DOOR.accepted).hasSize(before + 1);
                    }
                });
        cases.put(
                "other topic",
                () -> {
                    try (var peer = new Gossiping()) {
                        byte[] group = Gossiping.fresh();
                        peer.rpc(Gossiping.publishing(group, "", "algotx02"));
                        peer.awaitAccepted();
                        assertThat(Gossiping.has(group)).isFalse();
                    }
                });
        for (int count = 3; count <= 6; count++) {
            int invalid = count;
            cases.put(count + " undecodable", () -> afterUndecodable(invalid));
        }
        cases.put("bad protobuf", () -> afterBadRpc(HexFormat.of().parseHex("020aff")));
        cases.put("RPC of 1048576 bytes (one garbage message)", () -> afterLong(1 << 20, true));
        cases.put("RPC of 1048577 bytes", () -> afterLong((1 << 20) + 1, false));
        cases.put("RPC of length 0", () -> ignored(new byte[0]));
        cases.put(
                "control extensions in a later RPC, unknown field 10",
                () -> ignored(HexFormat.of().parseHex("1a04320250015203616263")));
        cases.put(
                "IWANT of an unknown id",
                () ->
                        ignored(
                                Gossiping.field(
                                        3, Gossiping.field(2, Gossiping.field(1, new byte[32])))));
        cases.put(
                "publish without subscription and without algorand stream",
                () -> {
                    try (var peer = new Gossiping()) {
                        peer.awaitAccepted();
                    }
                });
        cases.put(
                "/meshsub/1.0.0, 1.1.0, 1.2.0, /floodsub/1.0.0",
                () -> {
                    for (String version : List.of("1.0.0", "1.1.0", "1.2.0")) {
                        try (RawMuxer muxer = connect("/meshsub/" + version)) {
                            muxer.open("/meshsub/" + version);
                            muxer.accepted("/meshsub/" + version);
                        }
                    }
                });
    }

    /** Elements of two bytes each, one more of a kind than an RPC may have. */
    @TestFactory
    Stream<DynamicTest> anRpcOfTinyElementsEndsTheConnection() {
        return Stream.of(
                flood("subscriptions", new byte[] {0x0a, 0}, 100, new int[0]),
                flood("messages", new byte[] {0x12, 0}, 5_000, new int[0]),
                flood("pieces of control", new byte[] {0x1a, 0}, 1_000, new int[0]),
                flood("fields without meaning", new byte[] {0x5a, 0}, 1_000, new int[0]),
                flood("ids of IHAVE", new byte[] {0x12, 0}, 5_000, new int[] {1, 3}),
                flood("IWANT", new byte[] {0x12, 0}, 1_000, new int[] {3}),
                flood("ids of IWANT", new byte[] {0x0a, 0}, 5_000, new int[] {2, 3}),
                flood("GRAFT", new byte[] {0x1a, 0}, 1_000, new int[] {3}),
                flood("PRUNE", new byte[] {0x22, 0}, 1_000, new int[] {3}),
                flood("peers in PRUNE", new byte[] {0x12, 0}, 1_000, new int[] {4, 3}),
                flood("IDONTWANT", new byte[] {0x2a, 0}, 1_000, new int[] {3}),
                flood("ids of IDONTWANT", new byte[] {0x0a, 0}, 5_000, new int[] {5, 3}));
    }

    /**
     * @param within numbers of the fields around the elements, from the inside
     */
    private static DynamicTest flood(String what, byte[] element, int most, int[] within) {
        return DynamicTest.dynamicTest(
                what,
                () -> {
                    try (var peer = new Gossiping()) {
                        peer.rpc(repeated(element, most, within));
                        peer.awaitAccepted();
                        long before = node.counters().dropped(Drop.RPC_FLOOD);
                        peer.rpc(repeated(element, most + 1, within));
                        peer.muxer.awaitClosed();
                        assertThat(node.counters().dropped(Drop.RPC_FLOOD)).isEqualTo(before + 1);
                    }
                });
    }

    private static byte[] repeated(byte[] element, int times, int[] within) {
        byte[] bytes = new byte[times * element.length];
        for (int at = 0; at < bytes.length; at += element.length) {
            System.arraycopy(element, 0, bytes, at, element.length);
        }
        for (int number : within) {
            bytes = Gossiping.field(number, bytes);
        }
        return bytes;
    }

    @Test
    void whatAPeerSaysOfItselfIsNotReadForEver() throws IOException {
        long before = node.counters().dropped(Drop.STREAMS_FULL);
        try (RawMuxer muxer = connect()) {
            for (int count = 0; count < 256; count++) {
                int stream = muxer.open("/ipfs/id/push/1.0.0");
                muxer.frame(RawMuxer.WINDOW, RawMuxer.FIN, stream, 0);
                muxer.awaitFinished(stream);
            }
            assertThat(node.counters().dropped(Drop.STREAMS_FULL)).isEqualTo(before);
            muxer.awaitReset(muxer.open("/ipfs/id/push/1.0.0"));
            muxer.awaitPong();
        }
        assertThat(node.counters().dropped(Drop.STREAMS_FULL)).isEqualTo(before + 1);
    }

    @Test
    void whoeverGoesOnSayingWhatIsNoRpcLosesItsConnection() throws IOException {
        try (var peer = new Gossiping()) {
            for (int count = 0; count < 8; count++) {
                peer.muxer.data(peer.stream, 0, new byte[] {2, 0x0a, -1});
                peer.muxer.awaitReset(peer.stream);
                peer.stream = peer.muxer.open(MESHSUB);
            }
            peer.awaitAccepted();
            peer.muxer.data(peer.stream, 0, new byte[] {2, 0x0a, -1});
            peer.muxer.awaitClosed();
        }
    }

    private static String from(PeerId peer) {
        return "0a26" + HexFormat.of().formatHex(peer.toBytes());
    }

    private void held(String what, byte[] data, String extra, GossipDrop reason) {
        cases.put(what, () -> afterInvalid(data, extra, reason));
    }

    private static void afterInvalid(byte[] data, String extra, GossipDrop reason)
            throws IOException {
        try (var peer = new Gossiping()) {
            long before = node.gossipCounters().dropped(reason);
            peer.publish(data, extra);
            peer.awaitAccepted();
            assertThat(node.gossipCounters().dropped(reason)).isEqualTo(before + 1);
        }
    }

    private static void afterUndecodable(int count) throws IOException {
        try (var peer = new Gossiping()) {
            byte[] invalid = new byte[16];
            for (int number = 0; number < count; number++) {
                RANDOM.nextBytes(invalid);
                invalid[0] = -1;
                peer.publish(invalid, "");
            }
            if (count < 6) {
                peer.awaitAccepted();
            } else {
                // There it is heard no more; here it is not connected any more.
                peer.muxer.awaitClosed();
            }
        }
    }

    private static void afterBadRpc(byte[] bytes) throws IOException {
        try (var peer = new Gossiping()) {
            peer.muxer.data(peer.stream, 0, bytes);
            peer.muxer.awaitReset(peer.stream);
            peer.stream = peer.muxer.open(MESHSUB);
            peer.awaitAccepted();
        }
    }

    private static void afterLong(int length, boolean read) throws IOException {
        try (var peer = new Gossiping()) {
            long before = node.gossipCounters().dropped(GossipDrop.REJECTED);
            byte[] shorter = Gossiping.publishing(new byte[length - 100], "", "algotx01");
            byte[] data = new byte[length - 100 + length - shorter.length];
            new Random(length).nextBytes(data);
            data[0] = -1;
            byte[] body = Gossiping.publishing(data, "", "algotx01");
            assertThat(body).hasSize(length);
            peer.rpc(body);
            if (!read) {
                peer.muxer.awaitReset(peer.stream);
                peer.stream = peer.muxer.open(MESHSUB);
            }
            peer.awaitAccepted();
            assertThat(node.gossipCounters().dropped(GossipDrop.REJECTED))
                    .isEqualTo(before + (read ? 1 : 0));
        }
    }

    private static void ignored(byte[] rpc) throws IOException {
        try (var peer = new Gossiping()) {
            peer.rpc(rpc);
            peer.awaitAccepted();
        }
    }

    // Yamux and multistream.

    private void muxer() {
        byte[] identify = RawMuxer.words("/multistream/1.0.0", "/ipfs/id/1.0.0");
        byte[] ping = RawMuxer.words("/multistream/1.0.0", "/ipfs/ping/1.0.0");
        cases.put(
                "Data SYN with multistream, protocol and payload in one frame",
                () -> {
                    try (RawMuxer muxer = connect()) {
                        byte[] payload = new byte[32];
                        new Random(3).nextBytes(payload);
                        int id = muxer.newId();
                        muxer.data(id, RawMuxer.SYN, Gossiping.join(ping, payload));
                        assertThat(muxer.read(id, ping.length)).isEqualTo(ping);
                        assertThat(muxer.read(id, payload.length)).isEqualTo(payload);
                        assertThat(muxer.isAcknowledged(id)).isTrue();
                    }
                });
        cases.put(
                "WindowUpdate SYN, then data",
                () -> {
                    try (RawMuxer muxer = connect()) {
                        muxer.awaitFinished(muxer.open("/ipfs/id/1.0.0"));
                    }
                });
        cases.put(
                "Data SYN|FIN in one frame",
                () -> {
                    try (RawMuxer muxer = connect()) {
                        int id = muxer.newId();
                        muxer.data(id, RawMuxer.SYN | RawMuxer.FIN, identify);
                        assertThat(muxer.read(id, identify.length)).isEqualTo(identify);
                        muxer.awaitFinished(id);
                    }
                });
        ends("even id from the dialer", muxer -> muxer.data(2, RawMuxer.SYN, identify));
        ends("Data SYN on id 0", muxer -> muxer.data(0, RawMuxer.SYN, identify));
        ends(
                "SYN twice on one id",
                muxer -> {
                    muxer.frame(RawMuxer.WINDOW, RawMuxer.SYN, 1, 0);
                    muxer.frame(RawMuxer.WINDOW, RawMuxer.SYN, 1, 0);
                });
        ends("type 9", muxer -> muxer.raw(RawMuxer.header(0, 9, 0, 1, 0)));
        ends("version 1", muxer -> muxer.raw(RawMuxer.header(1, 0, 0, 1, 0)));
        ends("GoAway 0 or 1", muxer -> muxer.frame(RawMuxer.GO_AWAY, 0, 0, 0));
        ends(
                "300 kB in one Data frame",
                muxer -> muxer.data(muxer.open("/ipfs/ping/1.0.0"), 0, new byte[300_000]));
        stays(
                "ids 5 then 3",
                muxer -> {
                    muxer.data(5, RawMuxer.SYN, identify);
                    muxer.awaitFinished(5);
                    muxer.data(3, RawMuxer.SYN, identify);
                    muxer.awaitFinished(3);
                });
        stays("Data for an unknown stream", muxer -> muxer.data(77, 0, new byte[9]));
        stays(
                "WindowUpdate for an unknown stream",
                muxer -> muxer.frame(RawMuxer.WINDOW, 0, 77, 9));
        stays(
                "RST for an unknown stream",
                muxer -> muxer.frame(RawMuxer.WINDOW, RawMuxer.RST, 77, 0));
        stays("Ping SYN deadbeef", RawMuxer::awaitPong);
        stays(
                "Ping ACK nobody asked for",
                muxer -> muxer.frame(RawMuxer.PING, RawMuxer.ACK, 0, 0x1234));
        cases.put(
                "200 kB in one Data frame",
                () -> {
                    try (Tagged peer = new Tagged().greeted()) {
                        byte[] frame = RawPeer.frame("ZZ", new byte[200_000]);
                        peer.muxer.data(peer.stream, 0, frame);
                        peer.awaitStays();
                        assertThat(peer.muxer.granted(peer.stream)).isGreaterThan(128 << 10);
                    }
                });
        stays(
                "protocol refused, then another",
                muxer -> {
                    int id = muxer.newId();
                    muxer.data(
                            id,
                            RawMuxer.SYN,
                            RawMuxer.words("/multistream/1.0.0", "/none/1", "/ipfs/id/1.0.0"));
                    byte[] expected = RawMuxer.words("/multistream/1.0.0", "na", "/ipfs/id/1.0.0");
                    assertThat(muxer.read(id, expected.length)).isEqualTo(expected);
                });
        stays(
                "multistream ls",
                muxer -> {
                    int id = muxer.newId();
                    muxer.data(id, RawMuxer.SYN, RawMuxer.words("/multistream/1.0.0", "ls"));
                    byte[] expected = RawMuxer.words("/multistream/1.0.0", "na");
                    assertThat(muxer.read(id, expected.length)).isEqualTo(expected);
                });
        stays(
                "no multistream header",
                muxer -> {
                    int id = muxer.newId();
                    muxer.data(id, RawMuxer.SYN, RawMuxer.words("/ipfs/id/1.0.0"));
                    Await.until(
                            "the stream ends",
                            () -> muxer.isFinished(id) || muxer.resetOf(id) >= 0);
                });
        stays(
                "multistream token of 1025 bytes",
                muxer -> {
                    int id = muxer.newId();
                    muxer.data(id, RawMuxer.SYN, RawMuxer.words("/".repeat(1_024)));
                    muxer.awaitReset(id);
                });
        stays("300 idle streams", muxer -> assertThat(refusedOf(muxer, 300)).isZero());
        stays("600 idle streams", muxer -> assertThat(refusedOf(muxer, 600)).isPositive());
        stays(
                "3 ping streams",
                muxer -> {
                    muxer.open("/ipfs/ping/1.0.0");
                    muxer.open("/ipfs/ping/1.0.0");
                    int third = muxer.open("/ipfs/ping/1.0.0");
                    muxer.awaitReset(third);
                });
    }

    private static long refusedOf(RawMuxer muxer, int streams) throws IOException {
        for (int count = 0; count < streams; count++) {
            muxer.frame(RawMuxer.WINDOW, RawMuxer.SYN, muxer.newId(), 0);
        }
        muxer.awaitPong();
        return muxer.resets();
    }

    @FunctionalInterface
    private interface Talk {
        void with(RawMuxer muxer) throws IOException;
    }

    private void ends(String what, Talk talk) {
        cases.put(
                what,
                () -> {
                    try (RawMuxer muxer = connect()) {
                        try {
                            talk.with(muxer);
                        } catch (SocketException overAlready) {
                            muxer.awaitClosed();
                        }
                        muxer.awaitClosed();
                    }
                });
    }

    private void stays(String what, Talk talk) {
        cases.put(
                what,
                () -> {
                    try (RawMuxer muxer = connect()) {
                        talk.with(muxer);
                        muxer.awaitPong();
                    }
                });
    }

    // Noise.

    private void noise() {
        greeted("payload in message 1", Greeting.PAYLOAD_IN_THE_FIRST_MESSAGE, false);
        greeted("unknown field 9 in the payload", Greeting.UNKNOWN_FIELD, false);
        greeted("no extensions", Greeting.NO_EXTENSIONS, true);
        greeted("stream_muxers without overlap", Greeting.OTHER_MUXER, true);
        for (Map.Entry<String, Greeting> each :
                Map.of(
                                "bad signature",
                                Greeting.BAD_SIGNATURE,
                                "empty payload",
                                Greeting.EMPTY_PAYLOAD)
                        .entrySet()) {
            cases.put(
                    each.getKey(),
                    () -> {
                        try (var muxer = new RawMuxer(port, key(0, 0xf0), each.getValue())) {
                            muxer.begin(false).awaitClosed();
                        }
                        assertThatThrownBy(
                                        () -> {
                                            try (var again =
                                                    new RawMuxer(
                                                            port, key(0, 0xf0), each.getValue())) {
                                                again.begin(true);
                                            }
                                        })
                                .isInstanceOf(IOException.class);
                    });
        }
    }

    private void greeted(String what, Greeting greeting, boolean inner) {
        cases.put(
                what,
                () -> {
                    try (var muxer = new RawMuxer(port, key(0, 0xf0), greeting).begin(inner)) {
                        muxer.awaitFinished(muxer.open("/ipfs/id/1.0.0"));
                    }
                });
    }
}
