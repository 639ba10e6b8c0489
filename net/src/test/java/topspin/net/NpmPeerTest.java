package topspin.net;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.stream.BlockAnswer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The published libp2p packages of npm as our peer, in both roles. Needs node and npm: absent, it
 * fails.
 */
@Tag("interop")
@ExtendWith(LeakFreedom.class)
final class NpmPeerTest {
    private static final String GENESIS = "npm-v1";
    private static final int LARGE = 300_000;

    private static Path scripts;

    private final RecordingInbox inbox = new RecordingInbox().answering(Verdict.PENDING);
    private NpmPeer npm;
    private Gossip node;

    @BeforeAll
    static void install(@TempDir Path temporary) throws Exception {
        Path source = Path.of(System.getProperty("topspin.root", "..")).resolve("net/src/test/npm");
        for (String file : List.of("package.json", "package-lock.json", ".npmrc", "peer.mjs")) {
            Files.copy(
                    source.resolve(file),
                    temporary.resolve(file),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        // Node makes the pipes that it inherits non-blocking, and the test runner reads from one.
        Path log = temporary.resolve("npm.log");
        Process process =
                new ProcessBuilder("npm", "ci", "--silent")
                        .directory(temporary.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        process.outputWriter(UTF_8).close();
        assertThat(process.waitFor()).as("npm ci: %s", Files.readString(log)).isZero();
        scripts = temporary;
    }

    @BeforeEach
    void startPeer() throws IOException {
        npm = new NpmPeer(scripts);
    }

    @AfterEach
    void close() throws Exception {
        if (node != null) {
            node.close();
        }
        npm.close();
    }

    /** The other program: a command a line in, a JSON object a line out. */
    private static final class NpmPeer implements AutoCloseable {
        private final Process process;
        private final Writer commands;
        private final BlockingQueue<Row> told = new LinkedBlockingQueue<>();
        private final String address;

        NpmPeer(Path folder) throws IOException {
            process =
                    new ProcessBuilder("node", "peer.mjs", GENESIS)
                            .directory(folder.toFile())
                            .redirectError(folder.resolve("peer.log").toFile())
                            .start();
            commands = process.outputWriter(UTF_8);
            Thread.ofVirtual().start(this::read);
            address = await("listening").text("address");
        }

        private void read() {
            try (var lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    told.add(Vectors.row(line));
                }
            } catch (IOException ended) {
                told.add(Vectors.row("{\"what\":\"fault\",\"text\":\"its output ended\"}"));
            }
        }

        void say(String command) throws IOException {
            commands.write(command + "\n");
            commands.flush();
        }

        /** The next thing of that kind; what comes before it is passed over, but for faults. */
        Row await(String what) {
            try {
                for (Row row = told.poll(30, TimeUnit.SECONDS);
                        row != null;
                        row = told.poll(30, TimeUnit.SECONDS)) {
                    if (row.text("what").equals(what)) {
                        return row;
                    }
                    if (row.text("what").equals("fault")) {
                        throw new AssertionError(row.text("text"));
                    }
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            throw new AssertionError("the peer never told: " + what);
        }

        @Override
        public void close() throws IOException {
            if (process.isAlive()) {
                say("stop");
                try {
                    if (!process.waitFor(10, TimeUnit.SECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    process.destroyForcibly();
                }
            }
        }
    }

    private Gossip node(int seed, Multiaddr... dial) throws IOException {
        node =
                new Gossip(
                        GossipConfig.of(
                                GENESIS,
                                RawPeer.key(seed),
                                List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/0")),
                                List.of(dial)),
                        inbox,
                        (asker, round, answer) -> answer.accept(new BlockAnswer.Missing(0)),
                        (asker, known, answer) -> answer.accept(null),
                        new Random(seed),
                        System::nanoTime,
                        InstantSource.system());
        node.start();
        return node;
    }

    /** Several of our keys, so that now the one and now the other opens the tagged stream. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void itDialsUs(int seed) throws Exception {
        Gossip ours = node(seed);
        npm.say("dial " + ours.listenAddresses().getFirst());
        exchange(ours, true);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void weDialIt(int seed) throws Exception {
        exchange(node(seed, Multiaddr.parse(npm.address)), false);
    }

    private void exchange(Gossip ours, boolean dialled) throws Exception {
        Row connected = npm.await("connected");
        assertThat(connected.text("peer")).isEqualTo(ours.self().toString());
        assertThat(connected.flag("dialled")).isEqualTo(dialled);
        Await.until("it is our peer, and gossips", () -> ours.peers().size() == 1);
        Await.until("a neighbour", () -> ours.meshSize() == 1);
        npm.say("ping");
        npm.await("pong");

        for (int length : new int[] {1, 300, LARGE}) {
            byte[] data = new byte[length];
            Arrays.fill(data, (byte) length);
            ours.broadcast(topspin.net.Tag.TRANSACTION, data, 0, length);
            assertThat(npm.await("message").text("digest")).isEqualTo(digest(data));
            ours.broadcast(topspin.net.Tag.BUNDLE, data, 0, length);
            Row frame = npm.await("frame");
            assertThat(frame.text("tag")).isEqualTo("VB");
            assertThat(frame.text("digest")).isEqualTo(digest(data));

            npm.say("publish " + (length + 1));
            RecordingInbox.Message message = inbox.next();
            assertThat(message.tag()).isEqualTo(topspin.net.Tag.TRANSACTION);
            assertThat(npm.await("published").text("digest")).isEqualTo(digest(message.body()));
            message.from().settle(message.tag(), message.body(), 0, length + 1, Verdict.ACCEPT);
            npm.say("frame VB " + (length + 1));
            message = inbox.next();
            assertThat(message.tag()).isEqualTo(topspin.net.Tag.BUNDLE);
            assertThat(npm.await("framed").text("digest")).isEqualTo(digest(message.body()));
            message.from().settle(message.tag(), message.body(), 0, length + 1, Verdict.IGNORE);
        }
        assertThat(ours.peers()).hasSize(1);
        for (Drop reason : Drop.values()) {
            assertThat(ours.counters().dropped(reason)).as(reason.label()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = 1)
    void itKnowsUsByWhatWeSay(int seed) throws Exception {
        Gossip ours = node(seed);
        npm.say("dial " + ours.listenAddresses().getFirst());
        Row identify = npm.await("identify");
        assertThat(identify.text("peer")).isEqualTo(ours.self().toString());
        assertThat(identify.text("agent")).startsWith("topspin");
        assertThat(identify.list("protocols"))
                .contains("/algorand-ws/2.2.0", "/meshsub/1.2.0", "/http/1.1", "/ipfs/ping/1.0.0");
        assertThat(identify.list("listen")).hasSize(1);
        assertThat(identify.flag("record")).isTrue();
    }

    private static String digest(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
