package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Kill -9 of either node under load: it opens again, catches up, and nothing that it showed as
 * confirmed is gone.
 */
final class KillIT {
    private static final String TOKEN = "a".repeat(64);
    private static final Duration CATCH_UP_MAX = Duration.ofSeconds(60);

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir Path temporary;

    @Test
    void eitherNodeSurvivesKillUnderLoad() throws Exception {
        try (Launcher.Network network =
                Launcher.Network.up(temporary.resolve("net"), "--blocks", "interval:500ms")) {
            Process load = load(network, 1, "first");
            killAndRestart(network, 2, 4);
            assertThat(load.waitFor(3, TimeUnit.MINUTES)).as("the generator ends").isTrue();
            assertThat(load.exitValue()).as("node 1 never stopped: all is confirmed").isZero();

            Process second = load(network, 2, "second");
            killAndRestart(network, 1, 4);
            assertThat(second.waitFor(3, TimeUnit.MINUTES)).as("the generator ends").isTrue();

            // The producer first, so that the follower can reach the very same round.
            long last = stop(network, 1);
            await(network, 2, last);
            assertThat(stop(network, 2)).isEqualTo(last);
            assertThat(digest(network, 2)).isEqualTo(digest(network, 1));
        }
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
        ProcessHandle process = network.process(node);
        process.destroyForcibly();
        process.onExit().get(10, TimeUnit.SECONDS);
        Process restarted =
                new ProcessBuilder(
                                Launcher.path().toString(),
                                "node",
                                "run",
                                "--data",
                                network.data(node).toString())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(temporary.resolve("restart" + node + ".err").toFile())
                        .start();
        assertThat(restarted.isAlive()).isTrue();
        await(network, node, shown + rounds);
        assertThat(hash(network, node, shown))
                .as("block " + shown + " after kill -9")
                .isEqualTo(hash);
        int other = 3 - node;
        await(network, other, shown + rounds);
        assertThat(hash(network, other, shown + rounds))
                .isEqualTo(hash(network, node, shown + rounds));
    }

    private Process load(Launcher.Network network, int node, String name) throws IOException {
        return new ProcessBuilder(
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
                        "--duration",
                        "10s",
                        "--accounts",
                        "50",
                        "--seed",
                        String.valueOf(node),
                        "--report",
                        temporary.resolve(name).toString())
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
                Thread.onSpinWait();
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
