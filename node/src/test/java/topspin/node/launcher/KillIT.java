package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Kill -9 of either node under load: it opens again, catches up, and nothing that it showed as
 * confirmed is gone.
 */
final class KillIT {
    private static final String TOKEN = "a".repeat(64);

    /** To start, open and catch up; whoever takes longer, on a machine that is busy too, hangs. */
    private static final Duration CATCH_UP_MAX = Duration.ofMinutes(3);

    private static final long RETRY_NANOS = 20_000_000;

    /** Of one node, while one generator runs against the other. */
    private static final int KILLS_A_PHASE = 10;

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir Path temporary;

    @Test
    void eitherNodeSurvivesKillUnderLoad() throws Exception {
        try (Launcher.Network network =
                Launcher.Network.up(temporary.resolve("net"), "--blocks", "interval:500ms")) {
            Process load = load(network, 1, "first", "--duration", "10s");
            killAndRestart(network, 2, 4);
            assertThat(load.waitFor(3, TimeUnit.MINUTES)).as("the generator ends").isTrue();
            assertThat(load.exitValue()).as("node 1 never stopped: all is confirmed").isZero();

            Process second = load(network, 2, "second", "--duration", "10s");
            killAndRestart(network, 1, 4);
            assertThat(second.waitFor(3, TimeUnit.MINUTES)).as("the generator ends").isTrue();

            assertSameState(network);
        }
    }

    /**
     * The nodes take turns, the moments are drawn from the seed: while a node serves and follows,
     * or, one time in four, while it still opens after the kill before. The other one takes the
     * load.
     */
    @Tag("long")
    @ParameterizedTest(name = "{0} kills, seed {1}")
    @CsvSource({"100, 20261201"})
    void eitherNodeSurvivesManyKillsAtRandomMoments(int kills, long seed, TestReporter reporter)
            throws Exception {
        Random random = new Random(seed);
        try (Launcher.Network network =
                Launcher.Network.up(temporary.resolve("net"), "--blocks", "interval:500ms")) {
            ProcessHandle[] processes = {network.process(1), network.process(2)};
            int whileOpening = 0;
            for (int done = 0, phase = 0; done < kills; phase++) {
                int node = 1 + phase % 2;
                int other = 3 - node;
                long before = transactions(network, other, round(network, other));
                Process load =
                        load(network, other, "load" + phase, "--duration", "30m", "--warmup", "1s");
                try {
                    for (int i = 0; i < KILLS_A_PHASE && done < kills; i++) {
                        await(network, node, round(network, node) + 1);
                        runFor(processes[node - 1], random.nextInt(2_000));
                        long shown = round(network, node);
                        String hash = hash(network, node, shown);
                        kill(processes[node - 1]);
                        done++;
                        processes[node - 1] = start(network, node).toHandle();
                        while (done < kills && random.nextInt(4) == 0) {
                            runFor(processes[node - 1], random.nextInt(2_500));
                            kill(processes[node - 1]);
                            done++;
                            whileOpening++;
                            processes[node - 1] = start(network, node).toHandle();
                        }
                        // It catches up before it is killed again, else it falls behind for good.
                        assertAgree(network, Math.max(shown + 1, round(network, other)));
                        assertHolds(network, node, shown, hash);
                    }
                    assertThat(load.isAlive()).as("the generator runs to the end").isTrue();
                } finally {
                    load.destroyForcibly();
                    load.waitFor(10, TimeUnit.SECONDS);
                }
                long after = transactions(network, other, round(network, other));
                assertThat(after).as("transactions under kills").isGreaterThan(before);
                reporter.publishEntry(
                        "%d kills, %d while opening; last of node %d; %d transactions"
                                .formatted(done, whileOpening, node, after));
            }
            assertSameState(network);
        }
    }

    /** A node must not end by itself in that time. */
    private static void runFor(ProcessHandle process, int millis) throws Exception {
        try {
            process.onExit().get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException runs) {
            return;
        }
        throw new AssertionError("the node ended by itself");
    }

    /** The producer stops first, so that the follower can reach the very same round. */
    private void assertSameState(Launcher.Network network) throws Exception {
        long last = stop(network, 1);
        await(network, 2, last);
        assertThat(stop(network, 2)).isEqualTo(last);
        assertThat(digest(network, 2)).isEqualTo(digest(network, 1));
    }

    /**
     * Kills a node when it has seen some rounds more, starts it again, and checks what it had
     * shown.
     */
    private void killAndRestart(Launcher.Network network, int node, int rounds) throws Exception {
        long start = round(network, node);
        await(network, node, start + rounds);
        long shown = round(network, node);
        String hash = hash(network, node, shown);
        kill(network.process(node));
        start(network, node);
        await(network, node, shown + rounds);
        assertHolds(network, node, shown, hash);
        assertAgree(network, shown + rounds);
    }

    private static void kill(ProcessHandle process) throws Exception {
        process.destroyForcibly();
        process.onExit().get(10, TimeUnit.SECONDS);
    }

    private Process start(Launcher.Network network, int node) throws IOException {
        return new ProcessBuilder(
                        Launcher.path().toString(),
                        "node",
                        "run",
                        "--data",
                        network.data(node).toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(temporary.resolve("restart" + node + ".err").toFile())
                .start();
    }

    private void assertHolds(Launcher.Network network, int node, long round, String hash)
            throws Exception {
        assertThat(hash(network, node, round))
                .as("block " + round + " of node " + node + " after kill -9")
                .isEqualTo(hash);
    }

    private void assertAgree(Launcher.Network network, long round) throws Exception {
        await(network, 1, round);
        await(network, 2, round);
        assertThat(hash(network, 1, round))
                .as("block " + round + " of both nodes")
                .isEqualTo(hash(network, 2, round));
    }

    /** Transactions ever made by the end of a round. */
    private long transactions(Launcher.Network network, int node, long round) throws Exception {
        return get(network, node, "/v2/blocks/" + round + "?header-only=true")
                .path("block")
                .path("tc")
                .asLong();
    }

    private Process load(Launcher.Network network, int node, String name, String... more)
            throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Launcher.path().toString(),
                                "pingpong",
                                "--url",
                                network.url(node),
                                "--token",
                                TOKEN,
                                "--mnemonic-file",
                                Files.writeString(temporary.resolve("words"), network.mnemonic())
                                        .toString(),
                                "--tps",
                                "400",
                                "--accounts",
                                "50",
                                "--seed",
                                String.valueOf(node),
                                "--report",
                                temporary.resolve(name).toString()));
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectOutput(temporary.resolve(name + ".out").toFile())
                .redirectError(temporary.resolve(name + ".err").toFile())
                .start();
    }

    private static long stop(Launcher.Network network, int node) throws Exception {
        ProcessHandle process = network.process(node);
        process.destroy();
        process.onExit().get(20, TimeUnit.SECONDS);
        return digestOf(network, node).path("round").asLong();
    }

    private static String digest(Launcher.Network network, int node) {
        return digestOf(network, node).path("digest").asText();
    }

    private static JsonNode digestOf(Launcher.Network network, int node) {
        return Launcher.topspin("node", "digest", "--data", network.data(node).toString(), "--json")
                .expectSuccess()
                .json();
    }

    /** Waits on the node's own long poll; a node that does not serve yet is asked again. */
    private void await(Launcher.Network network, int node, long round) throws Exception {
        long deadline = System.nanoTime() + CATCH_UP_MAX.toNanos();
        long seen = -1;
        while (seen < round) {
            assertThat(System.nanoTime() - deadline)
                    .as("node " + node + " at round " + seen + ", wanted " + round)
                    .isNegative();
            try {
                seen =
                        get(network, node, "/v2/status/wait-for-block-after/" + (round - 1))
                                .path("last-round")
                                .asLong();
            } catch (IOException starting) {
                LockSupport.parkNanos(RETRY_NANOS); // The machine is the starting node's.
            }
        }
    }

    private long round(Launcher.Network network, int node) throws Exception {
        return get(network, node, "/v2/status").path("last-round").asLong();
    }

    private String hash(Launcher.Network network, int node, long round) throws Exception {
        return get(network, node, "/v2/blocks/" + round + "/hash").path("blockHash").asText();
    }

    private JsonNode get(Launcher.Network network, int node, String path)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(network.url(node) + path))
                        .header("X-Algo-API-Token", TOKEN)
                        .timeout(Duration.ofSeconds(70))
                        .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(List.of(path, response.statusCode(), response.body()).toString());
        }
        return Launcher.JSON.readTree(response.body());
    }
}
