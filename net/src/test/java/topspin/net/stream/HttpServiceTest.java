package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.BlockSource;
import topspin.net.Gossip;
import topspin.net.GossipConfig;
import topspin.net.LeakFreedom;
import topspin.net.RecordingInbox;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.RawMuxer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The recorded session of HTTP with a reference node, both ways: our service is asked what it was
 * asked, over real streams; our reader is given what it said.
 */
@ExtendWith(LeakFreedom.class)
final class HttpServiceTest {
    private static final String PREFACE =
            new String(RawMuxer.words("/multistream/1.0.0", "/http/1.1"), ISO_8859_1);

    /** The last round that the recorded node had. */
    private static final long LATEST = 357;

    /** An empty array of transactions. */
    private static final byte[] NONE = {(byte) 0x90};

    /** What was asked and what was answered, by stream. */
    private final Map<Long, String> asked = new LinkedHashMap<>();

    private final Map<Long, String> answered = new HashMap<>();

    /** Blocks that were among the answers, by round. */
    private final Map<Long, BlockAnswer> blocks = new HashMap<>();

    /** What was asked by {@code /txsync}. */
    private final List<KnownIds> wishes = new CopyOnWriteArrayList<>();

    private byte @Nullable [] missing = NONE;

    private int peers;
    private Gossip node;

    @BeforeEach
    void readTheRecording() throws IOException {
        Map<Long, ByteArrayOutputStream> out = new LinkedHashMap<>();
        Map<Long, ByteArrayOutputStream> in = new LinkedHashMap<>();
        for (Row row : Vectors.rows("reference/p2p/session9_http.jsonl")) {
            if (row.get("stream") instanceof BigInteger stream
                    && row.text("protocol").equals("/http/1.1")
                    && row.hex("hex")[1] == RawMuxer.DATA) {
                byte[] frame = row.hex("hex");
                (row.text("dir").equals("out") ? out : in)
                        .computeIfAbsent(stream.longValue(), id -> new ByteArrayOutputStream())
                        .write(frame, 12, frame.length - 12);
            }
        }
        out.forEach((id, bytes) -> asked.put(id, behindPreface(bytes)));
        in.forEach((id, bytes) -> answered.put(id, behindPreface(bytes)));
        assertThat(asked).hasSize(17);
        assertThat(answered.keySet()).isEqualTo(asked.keySet());
        blocks.put(5L, block("GET /v1/private-v1/block/5 "));
        blocks.put(10L, block("GET /v1/private-v1/block/a "));
        BlockSource source =
                (asker, round, answer) ->
                        answer.accept(blocks.getOrDefault(round, new BlockAnswer.Missing(LATEST)));
        node =
                new Gossip(
                        GossipConfig.of(
                                "private-v1",
                                KeyPair.fromSeed(new byte[32]),
                                List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/0")),
                                List.of()),
                        new RecordingInbox(),
                        source,
                        (asker, known, answer) -> {
                            wishes.add(known);
                            answer.accept(missing);
                        },
                        new Random(1),
                        System::nanoTime,
                        InstantSource.system());
        node.start();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private static String behindPreface(ByteArrayOutputStream bytes) {
        String all = bytes.toString(ISO_8859_1);
        assertThat(all).startsWith(PREFACE);
        return all.substring(PREFACE.length());
    }

    private BlockAnswer block(String request) {
        for (Map.Entry<Long, String> each : asked.entrySet()) {
            if (each.getValue().startsWith(request)) {
                byte[] body = body(answered.get(each.getKey())).getBytes(ISO_8859_1);
                return Objects.requireNonNull(BlockAndCertificate.decode(body));
            }
        }
        throw new AssertionError("not recorded: " + request);
    }

    private static String body(String message) {
        return message.substring(message.indexOf("\r\n\r\n") + 4);
    }

    private static int status(String response) {
        assertThat(response).startsWith("HTTP/1.1 ");
        return Integer.parseInt(response.substring(9, 12));
    }

    private static Map<String, String> headers(String response) {
        Map<String, String> headers = new HashMap<>();
        for (String line : response.substring(0, response.indexOf("\r\n\r\n")).lines().toList()) {
            int colon = line.indexOf(": ");
            if (colon > 0) {
                headers.put(line.substring(0, colon).toLowerCase(), line.substring(colon + 2));
            }
        }
        return headers;
    }

    @Test
    void ourServiceSaysWhatTheReferenceSaid() throws IOException {
        Multiaddr address = node.listenAddresses().getFirst();
        int port = Objects.requireNonNull(address.socketAddress()).getPort();
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) 7);
        try (RawMuxer muxer = RawMuxer.connect(port, KeyPair.fromSeed(seed))) {
            for (Map.Entry<Long, String> each : asked.entrySet()) {
                String request = each.getValue();
                int stream = muxer.open("/http/1.1");
                muxer.data(stream, 0, request.getBytes(ISO_8859_1));
                muxer.awaitFinished(stream);
                String wish = request.substring(0, request.indexOf(" HTTP"));
                compare(wish, muxer.readAll(stream), answered.get(each.getKey()));
            }
        }
    }

    private static void compare(String wish, String ours, String theirs) {
        int status = status(theirs);
        assertThat(status(ours)).as(wish).isEqualTo(status);
        Map<String, String> said = headers(ours);
        Map<String, String> expected = headers(theirs);
        assertThat(said).as(wish).containsEntry("connection", "close");
        for (String name : List.of("cache-control", "x-latest-round")) {
            assertThat(said.get(name)).as(wish + ", " + name).isEqualTo(expected.get(name));
        }
        if (status >= 400 && said.containsKey("content-type")) {
            return; // Each says in its own words that there is nothing.
        }
        for (String name : List.of("content-length", "content-type")) {
            assertThat(said.get(name)).as(wish + ", " + name).isEqualTo(expected.get(name));
        }
        assertThat(body(ours)).as(wish).isEqualTo(body(theirs));
    }

    private String answerTo(String request) throws IOException {
        Multiaddr address = node.listenAddresses().getFirst();
        int port = Objects.requireNonNull(address.socketAddress()).getPort();
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) 8);
        seed[0] = (byte) ++peers; // One connection each, and the last one may not be over yet.
        try (RawMuxer muxer = RawMuxer.connect(port, KeyPair.fromSeed(seed))) {
            int stream = muxer.open("/http/1.1");
            muxer.data(stream, 0, request.getBytes(ISO_8859_1));
            muxer.awaitFinished(stream);
            return muxer.readAll(stream);
        }
    }

    private static String form(String network, String type, String form) {
        return "POST /v1/%s/txsync HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(network, type, form.length(), form);
    }

    private static final String FORM = "application/x-www-form-urlencoded";

    /** As a Go client writes it: {@code =} is escaped. */
    private static String filter(byte[] bytes) {
        return "bf=" + Base64.getUrlEncoder().encodeToString(bytes).replace("=", "%3D");
    }

    private static byte[] filterOf(int bytes) {
        byte[] filter = new byte[bytes];
        filter[3] = 7;
        filter[8] = 1;
        return filter;
    }

    @Test
    void whoNamesWhatHeHasIsGivenTheRest() throws IOException {
        missing = new byte[] {(byte) 0x93, 1, 2, 3};
        for (int bytes : new int[] {9, 10, 11, KnownIds.BYTES_MAX}) {
            String answer = answerTo(form("private-v1", FORM, filter(filterOf(bytes))));

            assertThat(status(answer)).isEqualTo(200);
            assertThat(headers(answer))
                    .containsEntry("content-type", "application/x-algorand-ptx-v1")
                    .containsEntry("content-length", "4");
            assertThat(body(answer).getBytes(ISO_8859_1)).isEqualTo(missing);
        }
        assertThat(wishes).hasSize(4);
        assertThat(wishes).noneMatch(known -> known.mayHold(new byte[32]));
        missing = null;
        String busy = answerTo(form("private-v1", FORM, filter(filterOf(9))));
        assertThat(status(busy)).isEqualTo(503);
        assertThat(headers(busy)).containsEntry("retry-after", "3");
    }

    @Test
    void whoDoesNotIsToldThatHeAsksWrongly() throws IOException {
        byte[] tooManyHashes = filterOf(9);
        tooManyHashes[3] = 33;
        String good = filter(filterOf(9));
        for (String wrong :
                List.of(
                        form("other-v1", FORM, good),
                        form("private-v1", "text/plain", good),
                        form("private-v1", FORM + "; charset=utf-8", good),
                        form("private-v1", FORM, ""),
                        form("private-v1", FORM, "bg" + good.substring(2)),
                        form("private-v1", FORM, "bf=*"),
                        form("private-v1", FORM, "bf=%zz"),
                        form("private-v1", FORM, filter(new byte[8])),
                        form("private-v1", FORM, filter(tooManyHashes)),
                        form("private-v1", FORM, filter(filterOf(KnownIds.BYTES_MAX + 1))),
                        form("private-v1", FORM, "x=" + "y".repeat(2 * KnownIds.BYTES_MAX)),
                        form("private-v1", FORM, good).replace("POST", "PUT"))) {
            String answer = answerTo(wrong);
            String wish = wrong.substring(0, Math.min(200, wrong.length()));
            assertThat(status(answer)).as(wish).isEqualTo(400);
            assertThat(body(answer)).as(wish).isEmpty();
        }
        assertThat(wishes).isEmpty();
    }

    @Test
    void ourReaderUnderstandsWhatTheReferenceSaid() {
        int understood = 0;
        for (Map.Entry<Long, String> each : asked.entrySet()) {
            if (each.getValue().startsWith("GET /v1/") && each.getValue().contains("/block/")) {
                understand(each.getValue(), answered.get(each.getKey()));
                understood++;
            }
        }
        assertThat(understood).isEqualTo(7);
    }

    /** A byte at a time, as a slow peer might send it. */
    private void understand(String request, String response) {
        var answer = new CompletableFuture<BlockAnswer>();
        var channel = new EmbeddedChannel();
        HttpBlockFetch.fill(channel.pipeline(), answer);
        for (byte each : response.getBytes(ISO_8859_1)) {
            channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {each}));
        }
        channel.finishAndReleaseAll();
        BlockAnswer expected = new BlockAnswer.Refused("status " + status(response));
        if (status(response) == 200) {
            expected = blocks.get(request.contains("/block/a ") ? 10L : 5L);
        } else if (request.contains("/zzz")) {
            expected = new BlockAnswer.Missing(LATEST);
        }
        assertThat(answer.join()).as(request).usingRecursiveComparison().isEqualTo(expected);
    }
}
