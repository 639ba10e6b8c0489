package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Digest;
import topspin.codec.block.BlockHeader;
import topspin.codec.txn.SignedTransaction;
import topspin.net.multiaddr.Multiaddr;
import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;
import topspin.node.devmode.SnapshotFolder;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Snapshots over REST, of two nodes of which one makes the blocks: ledgers, pools and clock. */
@Timeout(120)
final class SnapshotTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Funds funds = new Funds(3);
    private final List<RestNode> nodes = new ArrayList<>();
    private Path folder;

    @BeforeEach
    void folder(@TempDir Path temporary) {
        folder = temporary;
    }

    private void start(String mode) throws Exception {
        NodeConfig config =
                NodeConfig.DEFAULT.withDeveloperApis().withBlocks(BlockMode.parse(mode));
        String genesis = funds.genesis().json();
        nodes.add(new RestNode(folder.resolve("a"), genesis, config));
        Multiaddr address = Multiaddr.parse(producer().node().gossipAddress().orElseThrow());
        nodes.add(new RestNode(folder.resolve("b"), genesis, config.withProducer(address)));
        awaitMeshes();
    }

    private RestNode producer() {
        return nodes.getFirst();
    }

    private RestNode follower() {
        return nodes.getLast();
    }

    private void awaitMeshes() {
        for (RestNode node : nodes) {
            while (node.node().gossip().meshSize() == 0) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (RestNode node : nodes.reversed()) {
            node.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"manual", "instant", "interval:60m"})
    void allIsAsBeforeAsOftenAsWanted(String mode) throws Exception {
        start(mode);
        post(producer(), "/topspin/clock/advance/60");
        // At once a block is made of what a peer sends: whoever sent it to that one may wait for
        // it.
        RestNode entry = mode.equals("instant") ? producer() : follower();
        submitTo(entry, funds.payment(0, 1, 5));
        makeBlocks(2);
        long round = producer().node().ledger().view().round();
        BlockHeader header = header(producer());
        SignedTransaction waiting = funds.payment(1, 2, 7);
        submitTo(entry, waiting);
        Digest state = producer().node().ledger().digest();

        take("before");

        for (RestNode node : nodes) { // They go on.
            assertThat(pending(node)).containsExactly(waiting.id().toString());
        }
        for (int turn = 1; turn <= 2; turn++) {
            post(producer(), "/topspin/clock/advance/3600");
            submitTo(producer(), funds.payment(0, 2, 1000 + turn));
            makeBlocks(5);
            assertThat(header(follower()).timestamp()).isGreaterThan(header.timestamp() + 3500);
            submitTo(entry, funds.payment(2, 0, turn)); // Of a future that will not have been.

            revert("before", turn);

            for (RestNode node : nodes) {
                assertThat(node.node().ledger().view().round()).isEqualTo(round);
                assertThat(header(node)).isEqualTo(header);
                assertThat(node.node().ledger().digest()).isEqualTo(state);
                assertThat(pending(node)).containsExactly(waiting.id().toString());
            }
            assertThat(get(producer(), "/topspin/clock").path("shift").asLong()).isEqualTo(60);
        }

        makeBlocks(1);
        for (RestNode node : nodes) {
            assertThat(header(node).round()).isEqualTo(round + 1);
            assertThat(header(node).timestamp()).isLessThan(header.timestamp() + 1800);
            JsonNode found = get(node, "/v2/transactions/pending/" + waiting.id() + "?format=json");
            assertThat(found.path("confirmed-round").asLong()).isEqualTo(round + 1);
            assertThat(amount(node, 2)).isEqualTo(Funds.BALANCE + 7);
        }
    }

    @Test
    void aTimeThatWasSetForTheNextBlockIsKept() throws Exception {
        start("manual");
        makeBlocks(1);
        long then = header(producer()).timestamp() + 1_000_000;
        post(producer(), "/topspin/clock/next/" + then);
        post(producer(), "/topspin/clock/advance/10");
        post(producer(), "/v2/devmode/blocks/offset/5");
        take("set");
        for (int turn = 1; turn <= 2; turn++) {
            makeBlocks(2);
            assertThat(header(follower()).timestamp()).isEqualTo(then + 10 + 5);
            revert("set", turn);
        }
    }

    @Test
    void whatOneNodeHadInItsPoolReachesTheOneThatMakesBlocks() throws Exception {
        start("manual");
        makeBlocks(1);
        post(producer(), "/topspin/snapshots/x");
        SignedTransaction payment = funds.payment(0, 1, 5);
        submitTo(follower(), payment);
        post(follower(), "/topspin/snapshots/x");

        revert("x", 1);

        awaitPooled(producer(), payment);
        makeBlocks(1);
        assertThat(amount(follower(), 1)).isEqualTo(Funds.BALANCE + 5);
    }

    @Test
    void blocksThatComeMeanwhileSplitNothing() throws Exception {
        start("interval:10ms");
        for (int turn = 1; turn <= 3; turn++) {
            reach(producer().node().ledger().view().round() + 20);
            submitTo(follower(), funds.payment(0, 1, turn));
            take("running");
            reach(producer().node().ledger().view().round() + 20);
            revert("running", turn);
            reach(producer().node().ledger().view().round() + 20);
            long last = follower().node().ledger().view().round();
            assertThat(get(follower(), "/v2/blocks/" + last + "/hash"))
                    .isEqualTo(get(producer(), "/v2/blocks/" + last + "/hash"));
        }
        assertThat(amount(follower(), 1)).isGreaterThan(Funds.BALANCE);
    }

    @Test
    void whoIsHeldMakesNoBlockAndMeetsNobody() throws Exception {
        start("interval:10ms");
        reach(5);
        take("early");
        nodes.forEach(node -> goBack(node, "early", 1));

        for (RestNode node : nodes) {
            assertThat(get(node, "/topspin/snapshots").path("held").asBoolean()).isTrue();
            assertThat(node.node().gossip().peers()).isEmpty();
            assertThat(node.node().gossipAddress()).isEmpty();
        }
        refused(400, "waits to be told to go on", producer(), "/topspin/snapshots/other");
        nodes.forEach(node -> goBack(node, "early", 2)); // Again, from where it is held.
        for (RestNode node : nodes) {
            post(node, "/topspin/resume");
        }
        refused(400, "not held", producer(), "/topspin/resume");
        reach(producer().node().ledger().view().round() + 20);
    }

    @Test
    void oneLineSaysWhatIsRefused() throws Exception {
        start("manual");
        refused(404, "there is none yet", producer(), "/topspin/snapshots/absent/revert");
        for (int i = 0; i < SnapshotFolder.SNAPSHOTS_MAX; i++) {
            post(producer(), "/topspin/snapshots/s-" + i);
        }
        refused(400, "there are 16 snapshots", producer(), "/topspin/snapshots/one-more");
        post(producer(), "/topspin/snapshots/s-3"); // Takes the place of the old one.
        refused(404, "there are: s-0, s-1, s-10", producer(), "/topspin/snapshots/S-0/revert");
        for (String name : List.of("a.b", "..", "%2e%2e%2fx", "x".repeat(65), "%00")) {
            refused(400, "1 to 64 letters", producer(), "/topspin/snapshots/" + name);
            refused(400, "1 to 64 letters", producer(), "/topspin/snapshots/" + name + "/revert");
        }
        assertThat(get(producer(), "/topspin/snapshots").path("snapshots"))
                .hasSize(SnapshotFolder.SNAPSHOTS_MAX);
    }

    @Test
    void whereNodesAgreeThereAreNone() throws Exception {
        String genesis = funds.genesis().json().replaceAll("\"devmode\"\\s*:\\s*true\\s*,", "");
        NodeConfig config = NodeConfig.DEFAULT.withBlocks(new BlockMode.Agreement());
        nodes.add(new RestNode(folder.resolve("a"), genesis, config));
        for (String path :
                List.of("/topspin/snapshots/x", "/topspin/snapshots/x/revert", "/topspin/resume")) {
            refused(400, "other than agreement", producer(), path);
        }
        assertThat(producer().get("/topspin/snapshots").status()).isEqualTo(400);
    }

    /** As the command does it: the one that makes blocks is the last. */
    private void take(String name) throws Exception {
        for (RestNode node : nodes.reversed()) {
            JsonNode taken = post(node, "/topspin/snapshots/" + name);
            assertThat(taken.path("name").asText()).isEqualTo(name);
        }
    }

    private void revert(String name, int number) throws Exception {
        nodes.forEach(node -> goBack(node, name, number));
        for (RestNode node : nodes) {
            post(node, "/topspin/resume");
        }
        awaitMeshes();
    }

    private static void goBack(RestNode node, String name, int number) {
        try {
            JsonNode asked = post(node, "/topspin/snapshots/" + name + "/revert");
            assertThat(asked.path("reverts").asInt()).isEqualTo(number);
            node.awaitReverts(number);
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private void makeBlocks(int count) throws Exception {
        reach(post(producer(), "/topspin/blocks?count=" + count).path("round").asLong());
    }

    private void reach(long round) throws Exception {
        for (RestNode node : nodes) {
            node.node().ledger().reached(round).get(30, TimeUnit.SECONDS);
        }
    }

    /** Both have it in their pools then, and in no block. */
    private void submitTo(RestNode node, SignedTransaction payment) throws IOException {
        RawClient.Answer answer = node.post("/v2/transactions/async", payment.toBytes());
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        for (RestNode each : nodes) {
            awaitPooled(each, payment);
        }
    }

    private static void awaitPooled(RestNode node, SignedTransaction payment) {
        while (!node.node().pool().contains(payment.id())
                && node.node().ledger().view().committedRound(payment.id()) <= 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static List<String> pending(RestNode node) throws IOException {
        List<String> ids = new ArrayList<>();
        for (SignedTransaction member : node.node().pool().pending()) {
            ids.add(member.id().toString());
        }
        int told = get(node, "/v2/transactions/pending").path("total-transactions").asInt();
        assertThat(told).isEqualTo(ids.size());
        return ids;
    }

    private long amount(RestNode node, int account) throws IOException {
        return get(node, "/v2/accounts/" + funds.address(account)).path("amount").asLong();
    }

    private static BlockHeader header(RestNode node) {
        return node.node().ledger().view().header();
    }

    private static void refused(int status, String text, RestNode node, String path)
            throws IOException {
        RawClient.Answer answer = node.post(path, new byte[0]);
        assertThat(answer.status()).as(path + ": " + answer.text()).isEqualTo(status);
        assertThat(answer.text()).contains(text);
    }

    private static JsonNode get(RestNode node, String path) throws IOException {
        return read(node.get(path));
    }

    private static JsonNode post(RestNode node, String path) throws IOException {
        return read(node.post(path, new byte[0]));
    }

    private static JsonNode read(RawClient.Answer answer) throws IOException {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }
}
