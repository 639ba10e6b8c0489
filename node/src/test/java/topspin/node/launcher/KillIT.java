package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Kill -9 of either node under load: it opens again, catches up, and nothing that it showed as
 * confirmed is gone.
 */
final class KillIT {
    /** To start, open and catch up; whoever takes longer, on a machine that is busy too, hangs. */
    private static final Duration CATCH_UP_MAX = Duration.ofMinutes(3);

    /** For a follower that is at the latest block but one. */
    private static final Duration ENOUGH_TO_FOLLOW = Duration.ofSeconds(10);

    /** Of one node, while one generator runs against the other. */
    private static final int KILLS_A_PHASE = 10;

    @TempDir Path temporary;

    @Test
    void eitherNodeSurvivesKillUnderLoad() throws Exception {
        try (Launcher.Network network =
                Launcher.Network.up(temporary.resolve("net"), "--blocks", "interval:500ms")) {
            var nodes = new RunningNodes(network, temporary, CATCH_UP_MAX);
            Process load = load(nodes, 1, "first", "--duration", "10s");
            killAndRestart(nodes, network, 2, 4);
            assertThat(load.waitFor(3, TimeUnit.MINUTES)).as("the generator ends").isTrue();
            assertThat(load.exitValue()).as("node 1 never stopped: all is confirmed").isZero();

            Process second = load(nodes, 2, "second", "--duration", "10s");
            killAndRestart(nodes, network, 1, 4);
            assertThat(second.waitFor(3, TimeUnit.MINUTES)).as("the generator ends").isTrue();

            assertSameState(nodes, network);
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
    void eitherNodeSurvivesManyKillsAtRandomMoments(int kills, long seed) throws Exception {
        Random random = new Random(seed);
        try (Launcher.Network network =
                Launcher.Network.up(temporary.resolve("net"), "--blocks", "interval:500ms")) {
            var nodes = new RunningNodes(network, temporary, CATCH_UP_MAX);
            ProcessHandle[] processes = {network.process(1), network.process(2)};
            int whileOpening = 0;
            for (int done = 0, phase = 0; done < kills; phase++) {
                int node = 1 + phase % 2;
                int other = 3 - node;
                long before = nodes.transactions(other, nodes.round(other));
                Process load =
                        load(nodes, other, "load" + phase, "--duration", "30m", "--warmup", "1s");
                try {
                    for (int i = 0; i < KILLS_A_PHASE && done < kills; i++) {
                        nodes.await(node, nodes.round(node) + 1);
                        RunningNodes.runFor(processes[node - 1], random.nextInt(2_000));
                        long shown = nodes.round(node);
                        String hash = nodes.hash(node, shown);
                        RunningNodes.kill(processes[node - 1]);
                        done++;
                        processes[node - 1] = nodes.start(node).toHandle();
                        while (done < kills && random.nextInt(4) == 0) {
                            RunningNodes.runFor(processes[node - 1], random.nextInt(2_500));
                            RunningNodes.kill(processes[node - 1]);
                            done++;
                            whileOpening++;
                            processes[node - 1] = nodes.start(node).toHandle();
                        }
                        // It catches up before it is killed again, else it falls behind for good.
                        nodes.assertAgree(Math.max(shown + 1, nodes.round(other)));
                        assertHolds(nodes, node, shown, hash);
                    }
                    Path said = temporary.resolve("load" + phase + ".err");
                    assertThat(load.isAlive())
                            .as(
                                    () ->
                                            "the generator runs to the end; it said "
                                                    + contentOf(said.toFile()))
                            .isTrue();
                } finally {
                    load.destroyForcibly();
                    load.waitFor(10, TimeUnit.SECONDS);
                }
                long after = nodes.transactions(other, nodes.round(other));
                assertThat(after).as("transactions under kills").isGreaterThan(before);
                Figures.keep(
                        "%d kills, %d while opening; last of node %d; %d transactions"
                                .formatted(done, whileOpening, node, after));
            }
            assertSameState(nodes, network);
        }
    }

    /**
     * The producer stops first, so that the follower can reach the very same round. Where the
     * producer stops between a block and the telling of it, it is started and stopped once more.
     */
    private static void assertSameState(RunningNodes nodes, Launcher.Network network)
            throws Exception {
        long last = stop(network, 1);
        for (int tries = 0; tries < 5 && !nodes.reaches(2, last, ENOUGH_TO_FOLLOW); tries++) {
            nodes.start(1);
            nodes.await(2, last + 1);
            last = stop(network, 1);
        }
        nodes.await(2, last);
        assertThat(stop(network, 2)).isEqualTo(last);
        assertThat(digest(network, 2)).isEqualTo(digest(network, 1));
    }

    /**
     * Kills a node when it has seen some rounds more, starts it again, and checks what it had
     * shown.
     */
    private static void killAndRestart(
            RunningNodes nodes, Launcher.Network network, int node, int rounds) throws Exception {
        long start = nodes.round(node);
        nodes.await(node, start + rounds);
        long shown = nodes.round(node);
        String hash = nodes.hash(node, shown);
        RunningNodes.kill(network.process(node));
        nodes.start(node);
        nodes.await(node, shown + rounds);
        assertHolds(nodes, node, shown, hash);
        nodes.assertAgree(shown + rounds);
    }

    private static void assertHolds(RunningNodes nodes, int node, long round, String hash)
            throws Exception {
        assertThat(nodes.hash(node, round))
                .as("block " + round + " of node " + node + " after kill -9")
                .isEqualTo(hash);
    }

    private static Process load(RunningNodes nodes, int node, String name, String... more)
            throws IOException {
        List<String> options = new ArrayList<>(List.of("--seed", String.valueOf(node)));
        options.addAll(List.of(more));
        return nodes.load(node, name, 400, options.toArray(String[]::new));
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
}
