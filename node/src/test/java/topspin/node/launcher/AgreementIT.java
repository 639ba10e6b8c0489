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
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Real nodes of profile fast under load, one of which is killed or stands still: rounds go on, and
 * nobody votes twice.
 */
final class AgreementIT {
    private static final String TOKEN = "a".repeat(64);

    /** Recovery takes so long at most (the bound asked for), and half of the times less than … */
    private static final Duration RECOVERY_MAX = Duration.ofSeconds(400);

    /** … this. */
    private static final Duration RECOVERY_MEDIAN_MAX = Duration.ofSeconds(40);

    private static final long RETRY_NANOS = 20_000_000;

    /** Of one node, while one generator runs against the other. */
    private static final int KILLS_A_PHASE = 5;

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir Path temporary;

    @Test
    void eitherNodeIsKilledAndRoundsGoOn(TestReporter reporter) throws Exception {
        kill(2, 1, 20261201, reporter);
    }

    @Tag("long")
    @ParameterizedTest(name = "{0} kills, seed {1}")
    @CsvSource({"50, 20261202"})
    void eitherNodeIsKilledManyTimes(int kills, long seed, TestReporter reporter) throws Exception {
        kill(kills, KILLS_A_PHASE, seed, reporter);
    }

    private void kill(int kills, int aPhase, long seed, TestReporter reporter) throws Exception {
        Random random = new Random(seed);
        List<Long> recoveries = new ArrayList<>();
        try (Launcher.Network network = Launcher.Network.up(temporary.resolve("net"));
                VoteObserver observer = observer(network)) {
            ProcessHandle[] processes = {network.process(1), network.process(2)};
            for (int phase = 0; recoveries.size() < kills; phase++) {
                int node = 1 + phase % 2;
                int other = 3 - node;
                Process load = load(network, other, "load" + phase);
                try {
                    for (int i = 0; i < aPhase && recoveries.size() < kills; i++) {
                        await(network, other, round(network, other) + 1);
                        runFor(processes[node - 1], random.nextInt(3_000));
                        long shown = round(network, node);
                        String hash = hash(network, node, shown);
                        long start = System.nanoTime();
                        kill(processes[node - 1]);
                        long round = round(network, other);
                        processes[node - 1] = start(network, node).toHandle();
                        await(network, other, round + 2);
                        recoveries.add((System.nanoTime() - start) / 1_000_000);
                        await(network, node, round + 2);
                        assertThat(hash(network, node, shown))
                                .as("block " + shown + " of node " + node + " after kill -9")
                                .isEqualTo(hash);
                        assertAgree(network, round + 2);
                    }
                } finally {
                    load.destroyForcibly();
                    load.waitFor(10, TimeUnit.SECONDS);
                }
                reporter.publishEntry(figures(recoveries) + ", " + observer.votes() + " votes");
            }
            assertThat(observer.conflicts()).as("votes that exclude each other").isEmpty();
            assertThat(observer.votes()).isGreaterThan(kills * 4);
        }
        Collections.sort(recoveries);
        assertThat(recoveries.getLast()).isLessThanOrEqualTo(RECOVERY_MAX.toMillis());
        assertThat(recoveries.get(recoveries.size() / 2))
                .isLessThanOrEqualTo(RECOVERY_MEDIAN_MAX.toMillis());
    }

    /** How many recoveries took how long, in seconds. */
    private static String figures(List<Long> millis) {
        List<Long> sorted = new ArrayList<>(millis);
        Collections.sort(sorted);
        StringBuilder text = new StringBuilder(sorted.size() + " kills; seconds to two rounds:");
        for (long bound = 4; bound <= 512; bound *= 2) {
            long below = bound * 1_000;
            long above = bound == 4 ? 0 : below / 2;
            long count = sorted.stream().filter(each -> each >= above && each < below).count();
            if (count > 0) {
                text.append(" <").append(bound).append(": ").append(count);
            }
        }
        return text + "; median " + sorted.get(sorted.size() / 2) + " ms, most " + sorted.getLast();
    }

    @Test
    void aNodeThatStandsStillIsWaitedFor() throws Exception {
        standStill(5);
    }

    @Tag("long")
    @Test
    void aNodeThatStandsStillForAMinuteIsWaitedFor() throws Exception {
        standStill(60);
    }

    private void standStill(int seconds) throws Exception {
        try (Launcher.Network network = Launcher.Network.up(temporary.resolve("net"));
                VoteObserver observer = observer(network)) {
            long before = round(network, 1);
            await(network, 1, before + 3);
            ProcessHandle second = network.process(2);
            signal("STOP", second);
            long stopped = round(network, 1);
            runFor(network.process(1), seconds * 1_000);
            // A vote may have been on its way, and no more.
            assertThat(round(network, 1)).isLessThanOrEqualTo(stopped + 1);
            signal("CONT", second);
            await(network, 1, stopped + 5);
            await(network, 2, stopped + 5);
            assertAgree(network, stopped + 5);
            assertThat(observer.conflicts()).isEmpty();
        }
    }

    private static void signal(String name, ProcessHandle process) throws Exception {
        Process kill =
                new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .inheritIO()
                        .start();
        assertThat(kill.waitFor()).isZero();
    }

    /** Every round in period 0, or 1 where the machine was busy; no empty block while some wait. */
    @Tag("long")
    @Test
    void aThousandRoundsUnderLoad(TestReporter reporter) throws Exception {
        try (Launcher.Network network = Launcher.Network.up(temporary.resolve("net"));
                VoteObserver observer = observer(network)) {
            Process load = load(network, 1, "load");
            try {
                long start = round(network, 1) + 20; // Funding is over by then.
                long transactions = 0;
                int empty = 0;
                for (long round = start; round < start + 1_000; round++) {
                    await(network, 1, round);
                    long counter = transactions(network, round);
                    empty += counter == transactions ? 1 : 0;
                    transactions = counter;
                }
                assertThat(load.isAlive()).as("the generator runs to the end").isTrue();
                reporter.publishEntry(
                        "1,000 rounds, %d empty, latest period %d, %d votes"
                                .formatted(empty, observer.periodMax(), observer.votes()));
                assertThat(empty).isZero();
                assertThat(observer.periodMax()).isLessThanOrEqualTo(2);
                assertThat(observer.conflicts()).isEmpty();
                assertAgree(network, start + 999);
            } finally {
                load.destroyForcibly();
                load.waitFor(10, TimeUnit.SECONDS);
            }
        }
    }

    private static VoteObserver observer(Launcher.Network network) throws IOException {
        List<String> addresses = new ArrayList<>();
        network.description
                .path("nodes")
                .forEach(node -> addresses.add(node.path("gossip").asText()));
        return new VoteObserver(network.data(1), addresses);
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
                        "200",
                        "--accounts",
                        "50",
                        "--duration",
                        "40m",
                        "--warmup",
                        "1s",
                        "--report",
                        temporary.resolve(name).toString())
                .redirectOutput(temporary.resolve(name + ".out").toFile())
                .redirectError(temporary.resolve(name + ".err").toFile())
                .start();
    }

    private void assertAgree(Launcher.Network network, long round) throws Exception {
        await(network, 1, round);
        await(network, 2, round);
        assertThat(hash(network, 1, round))
                .as("block " + round + " of both nodes")
                .isEqualTo(hash(network, 2, round));
    }

    /** Waits on the node's own long poll; a node that does not serve yet is asked again. */
    private void await(Launcher.Network network, int node, long round) throws Exception {
        long deadline = System.nanoTime() + RECOVERY_MAX.toNanos();
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

    /** Transactions ever made by the end of a round. */
    private long transactions(Launcher.Network network, long round) throws Exception {
        return get(network, 1, "/v2/blocks/" + round + "?header-only=true")
                .path("block")
                .path("tc")
                .asLong();
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
