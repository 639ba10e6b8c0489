package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.node.DataFolder;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;
import topspin.node.keys.ParticipationKeys;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The reference node's recorded answers, asked again of a node of ours: equal but for what {@link
 * #KNOWN} lists with its reason. Here are the sets of dev mode; {@link RecordedNetworkTest} and
 * {@link PoolScenarioTest} have those of other networks.
 */
@Timeout(300)
final class RecordedExchangesTest {
    private static final NodeConfig DEV =
            NodeConfig.DEFAULT
                    .withBlocks(new BlockMode.Instant())
                    .withDeveloperApis()
                    .withCorsOrigin("*");

    /** Why an answer may be another one than the reference's. */
    private enum Reason {
        /** This node runs no programs, and says so. */
        NO_PROGRAMS,
        /**
         * Keys come without state-proof keys, which the reference takes seconds to make: whoever
         * asks twice finds the first ones made.
         */
        NO_STATE_PROOF_KEYS,
        /** The reference installs the keys, and says that it does not; in net part it says so. */
        SAYS_BOTH,
        /** This node knows no catchpoints. */
        NO_CATCHPOINTS,
        /** Switches and settings of the reference's own program. */
        ITS_OWN_PROGRAM,
        /** It describes itself, and we ourselves. */
        DESCRIBES_ITSELF,
        /** It has no page for people, we a dashboard. */
        NO_DASHBOARD
    }

    /** Exchanges whose answers differ, by path or by net, number and name. */
    private record Known(Pattern path, Reason reason) {
        static Known of(String path, Reason reason) {
            return new Known(Pattern.compile(path), reason);
        }
    }

    private static final List<Known> KNOWN =
            List.of(
                    Known.of("/v2/teal/(compile|disassemble)(\\?.*)?", Reason.NO_PROGRAMS),
                    Known.of(".* generate while running", Reason.NO_STATE_PROOF_KEYS),
                    Known.of(".* participation post again", Reason.SAYS_BOTH),
                    Known.of("/v2/catchup/.*", Reason.NO_CATCHPOINTS),
                    Known.of("/debug/settings/(config|pprof)", Reason.ITS_OWN_PROGRAM),
                    Known.of("/swagger.json", Reason.DESCRIBES_ITSELF),
                    Known.of("/versions/", Reason.DESCRIBES_ITSELF),
                    Known.of("/", Reason.NO_DASHBOARD));

    /** The recording's, which shows in the headers of deltas of dev mode. */
    private InstantSource clock = InstantSource.fixed(Instant.ofEpochSecond(1_796_059_009));

    /** Those that do not depend on how fast this machine is. */
    private static final List<Known> SURE =
            KNOWN.stream().filter(known -> known.reason != Reason.NO_STATE_PROOF_KEYS).toList();

    private final ApiContract contract = ApiContract.read();
    private final Set<Known> met = new HashSet<>();
    private Path folder;

    @BeforeEach
    void folder(@TempDir Path temporary) {
        folder = temporary;
    }

    @Test
    void theScenarioAndWhatFollowsIt() throws Exception {
        try (RestNode node = start(DEV)) {
            List<String> differences = replay(node, Recorded.of("scenario.jsonl", "dev"));
            differences.addAll(replay(node, Recorded.of("rest.jsonl", "dev-after-scenario")));
            assertThat(differences).isEmpty();
            assertThat(met).as("no row of the table is out of date").containsAll(SURE);
            assertThat(contract.met()).hasSizeGreaterThan(40);
        }
    }

    @Test
    void aNodeWithoutOptions() throws Exception {
        NodeConfig plain = NodeConfig.DEFAULT.withBlocks(new BlockMode.Instant());
        try (RestNode node = start(plain)) {
            assertThat(replay(node, Recorded.of("rest.jsonl", "defaults"))).isEmpty();
        }
    }

    @Test
    void aNodeThatAsksForNoToken() throws Exception {
        NodeConfig open = NodeConfig.parse("{\"Blocks\": \"instant\", \"DisableAPIAuth\": true}");
        try (RestNode node = start(open)) {
            assertThat(replay(node, Recorded.of("rest.jsonl", "noauth"))).isEmpty();
        }
    }

    @Test
    void aNodeThatIsGivenKeys() throws Exception {
        NodeConfig plain = NodeConfig.DEFAULT.withBlocks(new BlockMode.Instant());
        try (RestNode node = start(plain)) {
            assertThat(replay(node, Recorded.of("rest.jsonl", "part"))).isEmpty();
        }
    }

    @Test
    void aNodeWithExperimentsOnly() throws Exception {
        NodeConfig half =
                NodeConfig.parse("{\"Blocks\": \"instant\", \"EnableExperimentalAPI\": true}");
        try (RestNode node = start(half)) {
            assertThat(replay(node, Recorded.of("rest.jsonl", "experimental"))).isEmpty();
        }
    }

    @Test
    void aNodeThatTellsWhatEachGroupChanged() throws Exception {
        clock = InstantSource.fixed(Instant.ofEpochSecond(1_796_058_657));
        NodeConfig tracing =
                NodeConfig.parse("{\"Blocks\": \"instant\", \"EnableTxnEvalTracer\": true}");
        try (RestNode node = start(tracing)) {
            node.post("/v2/devmode/blocks/offset/1700000000", new byte[0]); // As in the recording.
            assertThat(replay(node, Recorded.of("rest.jsonl", "tracer"))).isEmpty();
        }
    }

    private RestNode start(NodeConfig config) throws Exception {
        Path data = folder.resolve("node");
        DataFolder.create(data, Files.readString(Recorded.file("genesis-dev.json")), config);
        Path keys = Files.createDirectories(data.resolve("keys"));
        for (int wallet = 1; wallet <= 3; wallet++) {
            String name = "dev-Wallet" + wallet + ".partkey";
            Files.copy(Recorded.file("keys/" + name), keys.resolve(name));
        }
        return new RestNode(data, config, clock);
    }

    /** The differences that no row of the table explains. */
    private List<String> replay(RestNode node, List<Recorded> exchanges) throws IOException {
        List<String> differences = new ArrayList<>();
        String admin = node.node().tokens().admin();
        String api = node.node().tokens().api().orElse("");
        for (Recorded exchange : exchanges) {
            if (!exchange.isAnswered()) {
                continue;
            }
            if (exchange.step().endsWith("participation list empty")) {
                deleteKeys(node, admin); // As was done between, without being recorded.
            }
            if (exchange.step().endsWith("list after generate")) {
                awaitKeys(node, 4);
            }
            RawClient.Answer answer = node.ask(exchange.request(api, admin), exchange.isHead());
            for (String violation :
                    contract.violations(exchange.method(), exchange.path(), answer)) {
                differences.add(exchange.step() + ": " + violation);
            }
            String difference = exchange.difference(answer);
            if (!difference.isEmpty() && !isKnown(exchange)) {
                differences.add(exchange.step() + ": " + difference);
            }
            Recorded instead = exchange.instead();
            if (instead != null) {
                node.ask(instead.request(api, admin), false);
            }
        }
        return differences;
    }

    /** They are made in the background. */
    private static void awaitKeys(RestNode node, int count) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (node.node().keys().list().size() < count && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static void deleteKeys(RestNode node, String admin) throws IOException {
        for (ParticipationKeys keys : node.node().keys().list()) {
            String head =
                    "DELETE /v2/participation/%s HTTP/1.1\r\nHost: x\r\n%s: %s\r\n\r\n"
                            .formatted(keys.id(), RestConfig.TOKEN_HEADER, admin);
            node.ask(head.getBytes(StandardCharsets.US_ASCII), false);
        }
    }

    private boolean isKnown(Recorded exchange) {
        for (Known known : KNOWN) {
            if (known.path.matcher(exchange.path()).matches()
                    || known.path.matcher(exchange.step()).matches()) {
                met.add(known);
                return true;
            }
        }
        return false;
    }
}
