package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What is done to a node of a network that runs does what it says, is undone, and is noted. */
@Timeout(300)
final class FaultsIT {
    private static final long SECONDS_MAX = 60;

    @TempDir Path temporary;

    @Test
    void eachFaultDoesWhatItSaysAndResumeUndoesIt() throws IOException {
        Path folder = temporary.resolve("net");
        try (Launcher.Network network = Launcher.Network.up(folder, "--blocks", "interval:250ms")) {
            long first = network.process(2).pid();

            fault("pause", "2").expectSuccess();
            assertThat(node(2).path("running").asBoolean()).isTrue();
            assertThat(node(2).has("round")).as("a paused node answers").isFalse();
            Launcher.Outcome refused = fault("slow", "2");
            assertThat(refused.status()).isEqualTo(3);
            assertThat(refused.err()).contains("node2 does not answer").contains("resume 2");
            inStepAfter("resume", "node2");
            assertThat(network.process(2).pid()).isEqualTo(first);

            fault("partition", "2").expectSuccess();
            until("node 1 is alone", () -> peers(1) == 0);
            long cut = round(2);
            until("node 1 goes on", () -> round(1) > cut + 3);
            assertThat(round(2)).isEqualTo(cut);
            inStepAfter("resume", "2");
            assertThat(peers(1)).isEqualTo(1);

            fault("kill", "2").expectSuccess();
            assertThat(node(2).path("running").asBoolean()).isFalse();
            assertThat(fault("kill", "2").status()).isEqualTo(3);
            inStepAfter("resume", "2");
            assertThat(network.process(2).pid()).isNotEqualTo(first);

            fault("slow", "1", "--by", "50ms").expectSuccess();
            inStepAfter("resume", "1");

            assertThat(Files.readString(folder.resolve("events.jsonl")).lines())
                    .extracting(line -> Launcher.JSON.readTree(line).path("event").asText())
                    .containsExactly(
                            "pause",
                            "resume",
                            "partition",
                            "resume",
                            "kill",
                            "resume",
                            "slow by 50 ms",
                            "resume");
            for (List<String> wrong :
                    List.of(
                            List.of("kill", "3"),
                            List.of("pause", "first"),
                            List.of("slow", "1", "--by", "1h"))) {
                Launcher.Outcome outcome = fault(wrong.toArray(String[]::new));
                assertThat(outcome.status()).as(outcome.err()).isEqualTo(2);
                assertThat(outcome.err().lines()).hasSize(1);
            }
            fault("pause", "2").expectSuccess(); // Stops all the same.
        }
    }

    @Test
    void aLoadThatIsUnderWayHasThemInTheSeriesOfItsReport() throws Exception {
        Path folder = temporary.resolve("net");
        Path report = temporary.resolve("report");
        try (Launcher.Network network = Launcher.Network.up(folder)) {
            Process load =
                    new ProcessBuilder(
                                    Launcher.path().toString(),
                                    "pingpong",
                                    "--network=" + network.folder,
                                    "--report=" + report,
                                    "--tps=100",
                                    "--warmup=1s",
                                    "--duration=30s",
                                    "--min-confirmed=0",
                                    "--no-recording")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try (BufferedReader progress =
                    new BufferedReader(
                            new InputStreamReader(load.getErrorStream(), StandardCharsets.UTF_8))) {
                String line = progress.readLine();
                while (line != null && !line.contains("measured")) {
                    line = progress.readLine();
                }
                assertThat(line).as("the window opens").isNotNull();
                fault("pause", "node2").expectSuccess();
                fault("resume", "node2").expectSuccess();
                assertThat(progress.lines()).isNotEmpty(); // To its end.
            }
            assertThat(load.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        JsonNode events =
                Launcher.JSON.readTree(report.resolve("report.json").toFile()).at("/series/events");
        List<String> names = new ArrayList<>();
        events.forEach(event -> names.add(event.path("event").asText()));
        assertThat(names).containsExactly("pause", "resume");
        assertThat(events.path(0).path("t").asDouble())
                .isPositive()
                .isLessThan(events.path(1).path("t").asDouble());
    }

    private Launcher.Outcome fault(String... words) {
        List<String> command = new ArrayList<>(List.of("network"));
        command.addAll(List.of(words));
        command.addAll(List.of("--dir", temporary.resolve("net").toString()));
        return Launcher.topspin(command.toArray(String[]::new));
    }

    /** Both go on, at the same round. */
    private void inStepAfter(String... words) {
        fault(words).expectSuccess();
        long before = round(1);
        until("both are in step", () -> round(2) > before + 2);
    }

    private JsonNode node(int number) {
        return Launcher.topspin(
                        "network", "status", "--json", "--dir", temporary.resolve("net").toString())
                .expectSuccess()
                .json()
                .path("nodes")
                .path(number - 1);
    }

    private long round(int number) {
        return node(number).path("round").asLong();
    }

    private int peers(int number) {
        return Launcher.topspin(
                        "status",
                        "--json",
                        "--node",
                        String.valueOf(number),
                        "--dir",
                        temporary.resolve("net").toString())
                .expectSuccess()
                .json()
                .path("peers")
                .asInt();
    }

    private static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in vain: " + what).isLessThan(end);
        }
    }
}
