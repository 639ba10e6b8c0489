package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import topspin.codec.Address;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.Mnemonic;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

@Timeout(90)
final class CommandsTest {
    @TempDir private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final StubChain chain = new StubChain();

    @AfterEach
    void stop() {
        chain.close();
    }

    private int run(String... arguments) {
        return new CommandLine(new Commands())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--tps 0|--tps 0: expected 1 to 1000000, max, or ramp:FROM:TO:STEP",
                "--tps many|--tps many: expected",
                "--tps ramp:5:1:1|--tps ramp:5:1:1: expected",
                "--duration 60|--duration 60: expected a time such as 60s",
                "--duration 0s|more than nothing",
                "--warmup soon|--warmup soon: expected",
                "--duration 25h|--duration 25h: 24h at most",
                "--duration 999999999h|24h at most",
                "--warmup 61m|--warmup 61m: 1h at most",
                "--accounts 1|--accounts 1: expected a whole number from 2 to 100000",
                "--accounts some|--accounts some: expected a whole number from 2 to 100000",
                "--mix pay=50|weights add to 50",
                "--group-size 17|--group-size 17: expected a whole number from 1 to 16",
                "--note 4|--note 4: expected a whole number from 8 to 1024",
                "--note 99999999999|--note 99999999999: expected a whole number from 8 to 1024",
                "--seed one|--seed one: expected a whole number",
                "--amount 5..1|--amount 5..1",
                "--fee much|--fee much: expected min",
                "--min-confirmed 101|--min-confirmed 101: expected a number from 0 to 100",
                "--min-confirmed most|--min-confirmed most: expected a number from 0 to 100",
                "--min-confirmed NaN|--min-confirmed NaN: expected a number from 0 to 100",
                "--nodes 0|--nodes 0: expected a whole number from 1 to 16",
                "--nodes x|--nodes x: expected a whole number from 1 to 16",
                "--port 65536|--port 65536: expected a whole number from 0 to 65535",
                "--token x|--token goes with --url",
                "--network a --url http://b:1|exclude each other",
                "--url https://a:1 --mnemonic-file x|--url https://a:1: expected http://HOST:PORT",
                "--url http://a:1 --token x --token y|one for all",
                "--network a --blocks instant|for pingpong's own network",
                "--network /nowhere/at/all|no network runs there",
                "--colour red|Unknown option",
            })
    void refusesWithTheNameOfWhatIsWrong(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString()).contains(message);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void helpShowsAnExample() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("--tps").contains("topspin pingpong --tps 3000");
        assertThat(run("compare", "--help")).isZero();
    }

    /** A network folder whose nodes are stubs. */
    private StubNode networkOfOne() throws IOException {
        byte[] seed = new byte[32];
        seed[0] = 1;
        var keys = Ed25519.KeyPair.fromSeed(seed);
        Address rich = Address.fromBytes(keys.publicKey());
        chain.give(rich, 1_000_000_000_000L);
        Path node = Files.createDirectories(folder.resolve("net/node1"));
        Files.writeString(node.resolve("algod.token"), "a".repeat(64));
        Files.writeString(
                folder.resolve("net/wallet.json"),
                "{\"accounts\":[{\"address\":\""
                        + rich
                        + "\",\"mnemonic\":\""
                        + Mnemonic.fromSeed(seed)
                        + "\"}]}");
        chain.everyMillis(100);
        return StubNode.onUnix("node1", chain, node.resolve("topspin.sock"));
    }

    private String[] onNetwork(String... more) {
        var all = new java.util.ArrayList<String>();
        all.addAll(java.util.List.of("--network", folder.resolve("net").toString()));
        all.addAll(java.util.List.of("--report", folder.resolve("report").toString()));
        all.addAll(java.util.List.of("--accounts", "40", "--warmup", "300ms"));
        all.addAll(java.util.List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    void loadsANetworkAndReports() throws IOException {
        try (StubNode node = networkOfOne()) {
            int status = run(onNetwork("--tps", "300", "--duration", "2s"));
            assertThat(err.toString()).contains("funding 40 accounts").contains("measured");
            assertThat(status).as(err.toString()).isZero();
            assertThat(out.toString()).contains("confirmed       600").contains("held");
            JsonNode report = Report.read(folder.resolve("report"));
            assertThat(report.path("confirmed").longValue()).isEqualTo(600);
            assertThat(report.at("/options/tps").textValue()).isEqualTo("300");
            assertThat(report.path("options").has("token")).isFalse();
            assertThat(folder.resolve("report/index.html")).exists();
            assertThat(node.submissions()).isGreaterThan(600);
        }
    }

    @Test
    void printsJsonAndNothingElseWhenAsked() throws IOException {
        try (StubNode node = networkOfOne()) {
            assertThat(run(onNetwork("--tps", "200", "--duration", "1s", "--json"))).isZero();
            JsonNode report = JsonMapper.builder().build().readTree(out.toString());
            assertThat(report.path("schema_version").intValue()).isEqualTo(1);
            assertThat(node.submissions()).isPositive();
        }
    }

    @Test
    void mixesAreMadeReadyBeforehand() throws IOException {
        try (StubNode node = networkOfOne()) {
            String mix = "pay=40,axfer=30,acfg=20,keyreg=10";
            int status = run(onNetwork("--tps", "200", "--duration", "1s", "--mix", mix));
            assertThat(status).as(err.toString()).isZero();
            assertThat(out.toString()).contains("confirmed       200");
            assertThat(node.submissions()).isPositive();
        }
    }

    @Test
    void aKindThatTheNodeRefusesIsNamed() throws IOException {
        try (StubNode node = networkOfOne()) {
            node.policy(
                    (n, group) ->
                            group.first().txn().typeText().equals("keyreg")
                                    ? new StubNode.Action.Refuse(400, "not supported here")
                                    : new StubNode.Action.Accept());
            int status = run(onNetwork("--tps", "200", "--mix", "pay=90,keyreg=10"));
            assertThat(status).isEqualTo(2);
            assertThat(err.toString()).contains("--mix keyreg").contains("not supported here");
        }
    }

    @Test
    void aPoorWalletIsSaidToBePoor() throws IOException {
        try (StubNode node = networkOfOne()) {
            int status = run(onNetwork("--tps", "100000", "--duration", "10h"));
            assertThat(status).isEqualTo(2);
            assertThat(err.toString()).contains("this run needs");
            assertThat(node.submissions()).isZero();
        }
    }

    @Test
    void missingWhatWasAskedIsExitStatusOne() throws IOException {
        try (StubNode node = networkOfOne()) {
            node.policy(
                    (n, group) ->
                            n > 50 && n % 10 == 0
                                    ? new StubNode.Action.Refuse(400, "no")
                                    : new StubNode.Action.Accept());
            String[] load = {"--tps", "200", "--duration", "1s"};
            assertThat(run(onNetwork(load))).isEqualTo(1);
            assertThat(out.toString()).contains("node-limited");
            String[] content = {"--tps", "200", "--duration", "1s", "--min-confirmed", "80"};
            assertThat(run(onNetwork(content))).isZero();
        }
    }

    @Test
    void comparesReportsOnBothSidesOfTheMark() throws IOException {
        try (StubNode node = networkOfOne()) {
            assertThat(run(onNetwork("--tps", "200", "--duration", "1s"))).isZero();
            assertThat(node.submissions()).isPositive();
        }
        String report = folder.resolve("report").toString();
        assertThat(run("compare", report, report, "--", report))
                .withFailMessage(err::toString)
                .isZero();
        assertThat(out.toString())
                .contains("A, 2 runs")
                .contains("B, 1 runs")
                .contains("too few runs");
        assertThat(run("compare", report, report)).isEqualTo(2);
        assertThat(err.toString()).contains("parted by --");
    }
}
