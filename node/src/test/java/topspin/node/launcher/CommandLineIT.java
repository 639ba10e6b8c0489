package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Bad input gets one clear line and its exit status; a good command prints its result and nothing
 * else.
 */
final class CommandLineIT {
    @TempDir Path temporary;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "frobnicate | frobnicate",
                "network up --blocs instant | --blocs",
                "network up --blocks sometimes --dir %s/a | instant",
                "network up --nodes 99 --dir %s/b | 16",
                "network up --port 70000 --dir %s/c | 70000",
                "network up --profile slow --dir %s/d | v42",
                "network up --template %s/none.json --dir %s/e | none.json",
                "network down --dir %s/nowhere | nowhere",
                "network snapshot x --dir %s/nowhere | nowhere",
                "network revert x --dir %s/nowhere | nowhere",
                "send --from wallet01 --to X --amount 1 --dir %s/nowhere | nowhere",
                "status --dir %s/nowhere | nowhere",
                "status --data %s/nowhere | nowhere",
                "status --node first | first' is not a whole number from 1 to 16",
                "node run --data %s --keep-rounds few | at least 1001",
                "node run --data %s/nowhere | nowhere",
                "inspect %s/none.bin | none.bin",
                "keys install %s/none.partkey --data %s | none.partkey",
                "keys generate X --last 9 --out %s/x | X",
                "pingpong --tps many | many",
                "account import --mnemonic-file %s/none.txt | none.txt"
            })
    void aBadArgumentIsNamedInOneLine(String command, String named) {
        Launcher.Outcome outcome =
                Launcher.topspin(command.replace("%s", temporary.toString()).split(" "));
        assertThat(outcome.status()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.err().lines()).as(outcome.err()).hasSize(1);
        assertThat(outcome.err())
                .startsWith("topspin: ")
                .contains(named)
                .doesNotContain("Exception");
        assertThat(outcome.out()).isEmpty();
    }

    @Test
    void aTakenPortIsNamedWithWhatToDo() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Launcher.Outcome outcome =
                    Launcher.topspin(
                            "network",
                            "up",
                            "--port",
                            String.valueOf(taken.getLocalPort()),
                            "--dir",
                            temporary.resolve("net").toString());
            assertThat(outcome.status()).as(outcome.err()).isEqualTo(3);
            assertThat(outcome.err())
                    .contains(String.valueOf(taken.getLocalPort()))
                    .contains("--port 0");
        }
    }

    @Test
    void helpGoesToStdoutAndNothingToStderr() {
        for (List<String> command :
                List.of(
                        List.of("--help"),
                        List.of("network", "up", "--help"),
                        List.of("pingpong", "--help"),
                        List.of("node", "run", "--help"),
                        List.of("keys", "generate", "--help"),
                        List.of("inspect", "--help"))) {
            Launcher.Outcome outcome = Launcher.topspin(command.toArray(String[]::new));
            assertThat(outcome.status()).as(outcome.err()).isZero();
            assertThat(outcome.out()).contains("Usage:").containsIgnoringCase("example");
            assertThat(outcome.err()).isEmpty();
        }
    }

    @Test
    void aShellCompletesCommandsAndOptions() {
        assertThat(completed("network", "sna")).containsExactly("snapshot");
        assertThat(completed("network", "up", "--bl")).containsExactly("--blocks");
        assertThat(completed("tra")).containsExactly("trace");
    }

    /** What bash offers for the last word, by the script as a user has it. */
    private static List<String> completed(String... words) {
        String line = "topspin " + String.join(" ", words);
        // Bash refuses compopt where no completion is under way; it only sets how words are shown.
        String script =
                "compopt() { :; }; source <(\"$0\" completion); COMP_WORDS=("
                        + line
                        + "); COMP_CWORD="
                        + words.length
                        + "; COMP_LINE='"
                        + line
                        + "'; COMP_POINT="
                        + line.length()
                        + "; _complete_topspin; printf '%s\\n' \"${COMPREPLY[@]}\"";
        Launcher.Outcome outcome =
                Launcher.run(
                                Launcher.root(),
                                Map.of(),
                                List.of("bash", "-c", script, Launcher.path().toString()))
                        .expectSuccess();
        assertThat(outcome.err()).isEmpty();
        return outcome.out().lines().map(String::strip).toList();
    }

    @Test
    void benchMeasuresAGroupInJvmsOfItsOwn() {
        Launcher.Outcome outcome =
                Launcher.topspin("bench", "--quick", "--json", "vrf").expectSuccess();
        assertThat(outcome.json())
                .hasSize(2)
                .allSatisfy(
                        result ->
                                assertThat(result.path("primaryMetric").path("score").asDouble())
                                        .isPositive());
        assertThat(outcome.err()).doesNotContain("WARNING");
    }

    @Test
    void aNetworkTakesEveryKindOfTheLoadWithLeasesAndRekeying() {
        String options =
                "pingpong --json --no-recording --tps 200 --duration 3s --warmup 1s --accounts 100"
                        + " --group-size 4 --lease --rekey"
                        + " --mix pay=20,axfer=20,acfg=20,afrz=20,keyreg=20 --report "
                        + temporary.resolve("report");
        Launcher.Outcome outcome = Launcher.topspin(options.split(" ")).expectSuccess();
        JsonNode report = outcome.json();
        assertThat(report.path("offered").asInt()).isEqualTo(600);
        assertThat(report.path("confirmed").asInt()).isEqualTo(600);
        assertThat(report.path("rejected")).isEmpty();
    }

    @Test
    void aBenchmarkThatIsNoneNamesThoseOfEveryModule() {
        Launcher.Outcome outcome = Launcher.topspin("bench", "nope");
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.err())
                .contains("no benchmark is called nope")
                .contains("txid", "evaluate", "rpc-batch", "trace", "vote");
    }

    @Test
    void anOldJdkThatAVariableNamesIsNeverRun() throws IOException {
        // A folder that looks like a JDK 21 and would end with 99.
        Path old = temporary.resolve("jdk-21");
        Files.createDirectories(old.resolve("bin"));
        Files.writeString(old.resolve("release"), "JAVA_VERSION=\"21.0.1\"\n");
        Path java = Files.writeString(old.resolve("bin/java"), "#!/bin/sh\nexit 99\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Launcher.Outcome outcome =
                Launcher.topspin(Map.of("TOPSPIN_JAVA_HOME", old.toString()), "--version");
        // A newer JDK elsewhere on the machine is taken instead of the old one that the variable
        // names.
        assertThat(outcome.status()).as(outcome.err()).isIn(0, 3);
        assertThat(outcome.status()).isNotEqualTo(99);
    }

    @Test
    void aNetworkGoesBackToASnapshotAsOftenAsWanted() {
        Path folder = temporary.resolve("net");
        try (Launcher.Network network = Launcher.Network.up(folder, "--blocks", "interval:250ms")) {
            String address = network.description.path("accounts").path(1).path("address").asText();
            Launcher.Outcome taken = ofNetwork("snapshot", "start", folder).expectSuccess();
            long round = taken.json().path("nodes").path(0).path("round").asLong();
            assertThat(taken.json().path("nodes")).hasSize(2);
            long before = amount(address, folder);
            for (int turn = 0; turn < 2; turn++) {
                Launcher.topspin("fund", address, "--dir", folder.toString()).expectSuccess();
                assertThat(amount(address, folder)).isGreaterThan(before);

                Launcher.Outcome back = ofNetwork("revert", "start", folder).expectSuccess();
                assertThat(back.json().path("nodes").path(0).path("round").asLong())
                        .isEqualTo(round);
                assertThat(back.err()).isEmpty();
                assertThat(amount(address, folder)).isEqualTo(before);
            }
            // Both are in step again, and go on.
            Launcher.topspin("fund", address, "--dir", folder.toString(), "--node", "2")
                    .expectSuccess();

            refused(
                    2,
                    "has no snapshot 'other'; it has start",
                    ofNetwork("revert", "other", folder));
            refused(2, "1 to 64 letters", ofNetwork("snapshot", "a/b", folder));
        }
        refused(3, "node1 does not run", ofNetwork("revert", "start", folder));
        Launcher.topspin("network", "reset", "--dir", folder.toString()).expectSuccess();
    }

    private static Launcher.Outcome ofNetwork(String command, String name, Path folder) {
        return Launcher.topspin("network", command, name, "--json", "--dir", folder.toString());
    }

    private static long amount(String address, Path folder) {
        return Launcher.topspin("account", "show", address, "--json", "--dir", folder.toString())
                .expectSuccess()
                .json()
                .path("amount")
                .asLong();
    }

    private static void refused(int status, String text, Launcher.Outcome outcome) {
        assertThat(outcome.status()).as(outcome.err()).isEqualTo(status);
        assertThat(outcome.err()).contains(text);
        assertThat(outcome.err().lines()).hasSize(1);
    }

    @Test
    void aNetworkServesPaysAndStopsWithNothingOnStderr() throws IOException {
        Path folder = temporary.resolve("net");
        try (Launcher.Network network = Launcher.Network.up(folder)) {
            Launcher.Outcome fresh = Launcher.topspin("account", "new", "--json").expectSuccess();
            String address = fresh.json().path("address").asText();
            Path words =
                    Files.writeString(
                            temporary.resolve("words"), fresh.json().path("mnemonic").asText());

            Launcher.Outcome funded =
                    Launcher.topspin("fund", address, "--dir", folder.toString(), "--json")
                            .expectSuccess();
            assertThat(funded.json().path("round").asLong()).isPositive();
            assertThat(funded.err()).isEmpty();

            Launcher.topspin(
                            "account",
                            "import",
                            "--mnemonic-file",
                            words.toString(),
                            "--name",
                            "alice",
                            "--dir",
                            folder.toString())
                    .expectSuccess();
            Launcher.topspin(
                            "send",
                            "--from",
                            "alice",
                            "--to",
                            address,
                            "--amount",
                            "1",
                            "--dir",
                            folder.toString(),
                            "--node",
                            "2")
                    .expectSuccess();
            Launcher.Outcome shown =
                    Launcher.topspin(
                                    "account",
                                    "show",
                                    "alice",
                                    "--dir",
                                    folder.toString(),
                                    "--json")
                            .expectSuccess();
            assertThat(shown.json().path("amount").asLong()).isEqualTo(10_000_000L - 1000);

            Launcher.Outcome status =
                    Launcher.topspin("status", "--dir", folder.toString(), "--json")
                            .expectSuccess();
            assertThat(status.json().path("round").asLong()).isPositive();
            assertThat(status.json().path("peers").asInt()).isEqualTo(1);
            assertThat(status.json().path("rss_mib").asInt()).isPositive();

            Launcher.Outcome keys =
                    Launcher.topspin("keys", "list", "--dir", folder.toString(), "--json")
                            .expectSuccess();
            assertThat(keys.json().path("keys")).hasSize(1);
            Path file = temporary.resolve("mine.partkey");
            Launcher.topspin(
                            "keys", "generate", address, "--last", "1000", "--out", file.toString())
                    .expectSuccess();
            Launcher.topspin(
                            "keys",
                            "install",
                            file.toString(),
                            "--dir",
                            folder.toString(),
                            "--node",
                            "2")
                    .expectSuccess();
            assertThat(
                            Launcher.topspin("keys", "list", "--data", network.data(2).toString())
                                    .expectSuccess()
                                    .out())
                    .contains(address);

            refused(2, "agree on blocks", ofNetwork("snapshot", "x", folder));

            Launcher.Outcome second =
                    Launcher.topspin("node", "run", "--data", network.data(1).toString());
            assertThat(second.status()).as("a folder in use: " + second.err()).isEqualTo(3);
            assertThat(second.err().lines()).hasSize(1);

            Launcher.Outcome overspent =
                    Launcher.topspin(
                            "send",
                            "--from",
                            "alice",
                            "--to",
                            address,
                            "--amount",
                            "999999999",
                            "--dir",
                            folder.toString());
            assertThat(overspent.status()).isEqualTo(1);
            assertThat(overspent.err()).contains("overspend");
        }
        assertThat(Files.exists(folder.resolve("node1/algod.pid")))
                .as("a clean stop takes algod.pid away")
                .isFalse();
        assertThat(Files.readString(folder.resolve("node1/node.err")))
                .as("stderr of a node")
                .isEmpty();
        Launcher.topspin("network", "reset", "--dir", folder.toString()).expectSuccess();
        assertThat(Files.exists(folder.resolve("wallet.json"))).isFalse();
    }
}
