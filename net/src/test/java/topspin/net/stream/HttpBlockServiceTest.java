package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * The recorded session of HTTP with a reference node, both ways: our service is asked what it was
 * asked, over real streams; our reader is given what it said.
 */
@ExtendWith(LeakFreedom.class)
final class HttpBlockServiceTest {
    private static final String PREFACE =
            new String(RawMuxer.words("/multistream/1.0.0", "/http/1.1"), ISO_8859_1);

    /** The last round that the recorded node had. */
    private static final long LATEST = 357;

    /** Services that this node does not have: not found, where the reference finds a fault. */
    private static final Map<String, Integer> OTHERWISE =
            Map.of("GET /v1/private-v1/txsync", 404, "POST /v1/private-v1/txsync", 405);

    /** What was asked and what was answered, by stream. */
    private final Map<Long, String> asked = new LinkedHashMap<>();

    private final Map<Long, String> answered = new HashMap<>();

    /** Blocks that were among the answers, by round. */
    private final Map<Long, BlockAnswer> blocks = new HashMap<>();

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
        int status = OTHERWISE.getOrDefault(wish, status(theirs));
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
