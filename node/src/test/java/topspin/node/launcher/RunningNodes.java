package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The two nodes of a network whose processes come and go while a generator loads them. */
final class RunningNodes {
    private static final String TOKEN = "a".repeat(64);
    private static final long RETRY_NANOS = 20_000_000;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Launcher.Network network;
    private final Path folder;
    private final Duration roundMax;

    /**
     * @param folder for what processes write
     * @param roundMax how long a round may be waited for
     */
    RunningNodes(Launcher.Network network, Path folder, Duration roundMax) {
        this.network = network;
        this.folder = folder;
        this.roundMax = roundMax;
    }

    // Processes.

    /** A node must not end by itself in that time. */
    static void runFor(ProcessHandle process, int millis) throws Exception {
        try {
            process.onExit().get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException runs) {
            return;
        }
        throw new AssertionError("the node ended by itself");
    }

    static void kill(ProcessHandle process) throws Exception {
        process.destroyForcibly();
        process.onExit().get(10, TimeUnit.SECONDS);
    }

    Process start(int node) throws IOException {
        return new ProcessBuilder(
                        Launcher.path().toString(),
                        "node",
                        "run",
                        "--data",
                        network.data(node).toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(folder.resolve("restart" + node + ".err").toFile())
                .start();
    }

    /** Starts a generator against one node. */
    Process load(int node, String name, int tps, String... more) throws IOException {
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
                                Files.writeString(folder.resolve("words"), network.mnemonic())
                                        .toString(),
                                "--tps",
                                String.valueOf(tps),
                                "--accounts",
                                "50",
                                "--report",
                                folder.resolve(name).toString()));
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectOutput(folder.resolve(name + ".out").toFile())
                .redirectError(folder.resolve(name + ".err").toFile())
                .start();
    }

    // What they say.

    void assertAgree(long round) throws Exception {
        await(1, round);
        await(2, round);
        assertThat(hash(1, round))
                .as("block " + round + " of both nodes")
                .isEqualTo(hash(2, round));
    }

    /** Waits on the node's own long poll; a node that does not serve yet is asked again. */
    void await(int node, long round) throws Exception {
        long deadline = System.nanoTime() + roundMax.toNanos();
        long seen = -1;
        while (seen < round) {
            assertThat(System.nanoTime() - deadline)
                    .as("node " + node + " at round " + seen + ", wanted " + round)
                    .isNegative();
            try {
                seen =
                        get(node, "/v2/status/wait-for-block-after/" + (round - 1))
                                .path("last-round")
                                .asLong();
            } catch (IOException starting) {
                LockSupport.parkNanos(RETRY_NANOS); // The machine is the starting node's.
            }
        }
    }

    /** Whether a node that serves gets to a round in so much time. */
    boolean reaches(int node, long round, Duration time) throws Exception {
        long deadline = System.nanoTime() + time.toNanos();
        while (round(node) < round) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            LockSupport.parkNanos(RETRY_NANOS);
        }
        return true;
    }

    long round(int node) throws Exception {
        return get(node, "/v2/status").path("last-round").asLong();
    }

    String hash(int node, long round) throws Exception {
        return get(node, "/v2/blocks/" + round + "/hash").path("blockHash").asText();
    }

    /** Transactions ever made by the end of a round. */
    long transactions(int node, long round) throws Exception {
        return get(node, "/v2/blocks/" + round + "?header-only=true")
                .path("block")
                .path("tc")
                .asLong();
    }

    /** A figure of the node's metrics. */
    double metric(int node, String name) throws Exception {
        for (String line : text(node, "/metrics").lines().toList()) {
            if (line.startsWith(name + " ")) {
                return Double.parseDouble(line.substring(name.length() + 1));
            }
        }
        throw new AssertionError("no " + name);
    }

    private JsonNode get(int node, String path) throws IOException, InterruptedException {
        return Launcher.JSON.readTree(text(node, path));
    }

    private String text(int node, String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(network.url(node) + path))
                        .header("X-Algo-API-Token", TOKEN)
                        .timeout(Duration.ofSeconds(70))
                        .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(List.of(path, response.statusCode(), response.body()).toString());
        }
        return response.body();
    }
}
