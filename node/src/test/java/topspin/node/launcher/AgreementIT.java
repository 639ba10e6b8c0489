package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Real nodes of profile fast under load, one of which is killed or stands still: rounds go on, and
 * nobody votes twice.
 */
final class AgreementIT {
    /** Recovery takes so long at most (the bound asked for), and half of the times less than … */
    private static final Duration RECOVERY_MAX = Duration.ofSeconds(400);

    /** … this. */
    private static final Duration RECOVERY_MEDIAN_MAX = Duration.ofSeconds(40);

    /** Of one node, while one generator runs against the other. */
    private static final int KILLS_A_PHASE = 5;

    private static final String CERTIFIED = "topspin_agreement_certified_total";
    private static final String CERTIFY_SECONDS = "topspin_agreement_certify_seconds_total";

    @TempDir Path temporary;

    @Test
    void eitherNodeIsKilledAndRoundsGoOn() throws Exception {
        kill(2, 1, 20261201);
    }

    @Tag("long")
    @ParameterizedTest(name = "{0} kills, seed {1}")
    @CsvSource({"50, 20261202"})
    void eitherNodeIsKilledManyTimes(int kills, long seed) throws Exception {
        kill(kills, KILLS_A_PHASE, seed);
    }

    private void kill(int kills, int aPhase, long seed) throws Exception {
        Random random = new Random(seed);
        List<Long> recoveries = new ArrayList<>();
        try (Launcher.Network network = Launcher.Network.up(temporary.resolve("net"));
                VoteObserver observer = observer(network)) {
            var nodes = new RunningNodes(network, temporary, RECOVERY_MAX);
            ProcessHandle[] processes = {network.process(1), network.process(2)};
            for (int phase = 0; recoveries.size() < kills; phase++) {
                int node = 1 + phase % 2;
                int other = 3 - node;
                Process load = load(nodes, other, "load" + phase);
                try {
                    for (int i = 0; i < aPhase && recoveries.size() < kills; i++) {
                        nodes.await(other, nodes.round(other) + 1);
                        RunningNodes.runFor(processes[node - 1], random.nextInt(3_000));
                        long shown = nodes.round(node);
                        String hash = nodes.hash(node, shown);
                        long start = System.nanoTime();
                        RunningNodes.kill(processes[node - 1]);
                        long round = nodes.round(other);
                        processes[node - 1] = nodes.start(node).toHandle();
                        nodes.await(other, round + 2);
                        recoveries.add((System.nanoTime() - start) / 1_000_000);
                        nodes.await(node, round + 2);
                        assertThat(nodes.hash(node, shown))
                                .as("block " + shown + " of node " + node + " after kill -9")
                                .isEqualTo(hash);
                        nodes.assertAgree(round + 2);
                    }
                } finally {
                    load.destroyForcibly();
                    load.waitFor(10, TimeUnit.SECONDS);
                }
                Figures.keep(figures(recoveries) + ", " + observer.votes() + " votes");
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
            var nodes = new RunningNodes(network, temporary, RECOVERY_MAX);
            long before = nodes.round(1);
            nodes.await(1, before + 3);
            ProcessHandle second = network.process(2);
            signal("STOP", second);
            long stopped = nodes.round(1);
            RunningNodes.runFor(network.process(1), seconds * 1_000);
            // A vote may have been on its way, and no more.
            assertThat(nodes.round(1)).isLessThanOrEqualTo(stopped + 1);
            signal("CONT", second);
            nodes.await(1, stopped + 5);
            nodes.await(2, stopped + 5);
            nodes.assertAgree(stopped + 5);
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
    void aThousandRoundsUnderLoad() throws Exception {
        try (Launcher.Network network = Launcher.Network.up(temporary.resolve("net"));
                VoteObserver observer = observer(network)) {
            var nodes = new RunningNodes(network, temporary, RECOVERY_MAX);
            Process load = load(nodes, 1, "load");
            try {
                long start = nodes.round(1) + 20; // Funding is over by then.
                long transactions = 0;
                int empty = 0;
                for (long round = start; round < start + 1_000; round++) {
                    nodes.await(1, round);
                    long counter = nodes.transactions(1, round);
                    empty += counter == transactions ? 1 : 0;
                    transactions = counter;
                }
                assertThat(load.isAlive()).as("the generator runs to the end").isTrue();
                Figures.keep(
                        ("1,000 rounds, %d empty, latest period %d, %d votes, %.1f ms from"
                                        + " filter timeout to certificate (mean of %.0f)")
                                .formatted(
                                        empty,
                                        observer.periodMax(),
                                        observer.votes(),
                                        1_000
                                                * nodes.metric(1, CERTIFY_SECONDS)
                                                / nodes.metric(1, CERTIFIED),
                                        nodes.metric(1, CERTIFIED)));
                assertThat(empty).isZero();
                assertThat(observer.periodMax()).isLessThanOrEqualTo(2);
                assertThat(observer.conflicts()).isEmpty();
                nodes.assertAgree(start + 999);
            } finally {
                load.destroyForcibly();
                load.waitFor(10, TimeUnit.SECONDS);
            }
        }
    }

    private static Process load(RunningNodes nodes, int node, String name) throws IOException {
        return nodes.load(node, name, 200, "--duration", "40m", "--warmup", "1s");
    }

    private static VoteObserver observer(Launcher.Network network) throws IOException {
        List<String> addresses = new ArrayList<>();
        network.description
                .path("nodes")
                .forEach(node -> addresses.add(node.path("gossip").asText()));
        return new VoteObserver(network.data(1), addresses);
    }
}
