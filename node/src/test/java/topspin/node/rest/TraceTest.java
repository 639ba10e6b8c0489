package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Digest;
import topspin.codec.txn.SignedTransaction;
import topspin.net.multiaddr.Multiaddr;
import topspin.node.DataFolder;
import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** {@code GET /topspin/trace/{txid}} on two nodes, of which one makes the blocks. */
@Timeout(90)
final class TraceTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Funds funds = new Funds(3);
    private RestNode producer;
    private RestNode follower;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        start(folder, funds, "{}");
    }

    private void start(Path folder, Funds money, String consensus) throws Exception {
        NodeConfig config = NodeConfig.DEFAULT.withBlocks(new BlockMode.Manual());
        for (String name : List.of("a", "b")) {
            DataFolder.create(folder.resolve(name), money.genesis().json(), config);
            DataFolder.writeConsensus(folder.resolve(name), consensus);
        }
        producer = new RestNode(folder.resolve("a"), config);
        Multiaddr address = Multiaddr.parse(producer.node().gossipAddress().orElseThrow());
        follower = new RestNode(folder.resolve("b"), config.withProducer(address));
        while (follower.node().gossip().meshSize() == 0
                || producer.node().gossip().meshSize() == 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @AfterEach
    void stop() throws Exception {
        follower.close();
        producer.close();
    }

    @Test
    void aConfirmedOneIsToldByBoth() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);
        assertThat(follower.post("/v2/transactions", payment.toBytes()).status()).isEqualTo(200);
        awaitPooled(producer, payment);
        makeBlock();

        JsonNode there = trace(follower, payment.id());
        assertThat(there.path("state").asText()).isEqualTo("confirmed");
        assertThat(there.path("round").asLong()).isEqualTo(1);
        assertThat(there.path("from").asText()).isEqualTo("rest");
        assertThat(steps(there))
                .containsExactly(
                        "received", "decoded", "verified", "pooled", "relayed", "in-block");

        JsonNode here = trace(producer, payment.id());
        assertThat(here.path("state").asText()).isEqualTo("confirmed");
        String peer = follower.node().gossipAddress().orElseThrow();
        assertThat(peer).endsWith("/" + here.path("from").asText());
        assertThat(steps(here))
                .containsExactly(
                        "received", "decoded", "verified", "pooled", "relayed", "in-block");
        assertThat(received(here)).isGreaterThan(received(there));
    }

    @Test
    void aRefusedOneSaysWhyWhereItWasRefused() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, Funds.BALANCE);
        assertThat(producer.post("/v2/transactions", payment.toBytes()).status()).isEqualTo(400);

        JsonNode here = trace(producer, payment.id());
        assertThat(here.path("state").asText()).isEqualTo("dropped");
        assertThat(here.path("reason").asText()).isEqualTo("overspend");
        assertThat(here.path("text").asText()).contains("overspend");
        assertThat(steps(here)).containsExactly("received", "decoded", "verified", "dropped");
        assertThat(trace(follower, payment.id()).path("state").asText()).isEqualTo("unseen");
    }

    @Test
    void aForgedSignatureIsToldThoughNobodyWaited() throws Exception {
        SignedTransaction forged = Funds.forged(funds.payment(0, 1, 5));
        var unused = producer.node().ingest().submitAsync(forged.toBytes());
        while (trace(producer, forged.id()).path("state").asText().equals("under-way")) {
            LockSupport.parkNanos(1_000_000);
        }

        assertThat(trace(producer, forged.id()).path("reason").asText()).contains("sig");
    }

    @Test
    void anExpiredOneSaysSoOnBoth() throws Exception {
        makeBlock();
        SignedTransaction late = funds.payment(0, 1, 1, 1);
        assertThat(producer.post("/v2/transactions", late.toBytes()).status()).isEqualTo(400);
        assertThat(follower.post("/v2/transactions", late.toBytes()).status()).isEqualTo(400);

        for (RestNode node : List.of(producer, follower)) {
            JsonNode answer = trace(node, late.id());
            assertThat(answer.path("state").asText()).isEqualTo("dropped");
            assertThat(answer.path("reason").asText()).isEqualTo("dead");
        }
    }

    @Test
    void oneThatExpiresWhileItWaitsIsToldByBoth(@TempDir Path other) throws Exception {
        stop();
        Path profiles = Path.of(System.getProperty("topspin.root", ".."), "config/consensus.json");
        String narrow =
                Files.readString(profiles)
                        .replaceFirst(
                                "\"MaxTxnBytesPerBlock\": \\d+", "\"MaxTxnBytesPerBlock\": 300");
        Funds money = new Funds(3, "fast");
        start(other, money, narrow);
        SignedTransaction first = money.payment(0, 1, 5);
        SignedTransaction late = money.payment(1, 2, 1, 1);
        for (SignedTransaction payment : List.of(first, late)) {
            assertThat(follower.post("/v2/transactions", payment.toBytes()).status())
                    .isEqualTo(200);
            awaitPooled(producer, payment);
        }
        assertThat(trace(follower, late.id()).path("state").asText()).isEqualTo("pooled");

        makeBlock(); // It has room for the first only.

        for (RestNode node : List.of(producer, follower)) {
            while (node.node().pool().contains(late.id())) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(trace(node, first.id()).path("state").asText()).isEqualTo("confirmed");
            JsonNode answer = trace(node, late.id());
            assertThat(answer.path("state").asText()).isEqualTo("dropped");
            assertThat(answer.path("reason").asText()).isEqualTo("dead");
            assertThat(answer.path("text").asText()).contains("txn dead: round 2 outside of 1--1");
            assertThat(steps(answer))
                    .containsExactly(
                            "received", "decoded", "verified", "pooled", "relayed", "dropped");
        }
    }

    @Test
    void aNeverSeenOneIsUnseenOnBoth() throws Exception {
        Digest id = funds.payment(0, 1, 5).id();
        for (RestNode node : List.of(producer, follower)) {
            JsonNode answer = trace(node, id);
            assertThat(answer.path("state").asText()).isEqualTo("unseen");
            assertThat(answer.path("steps")).isEmpty();
            assertThat(answer.has("from")).isFalse();
        }
    }

    @Test
    void whatIsNoIdIsRefused() throws Exception {
        assertThat(producer.get("/topspin/trace/abc").status()).isEqualTo(400);
    }

    private static void awaitPooled(RestNode node, SignedTransaction payment) {
        while (!node.node().pool().contains(payment.id())) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void makeBlock() throws Exception {
        long round = producer.node().pacer().orElseThrow().makeBlock().get(30, TimeUnit.SECONDS);
        follower.node().ledger().reached(round).get(30, TimeUnit.SECONDS);
    }

    private static JsonNode trace(RestNode node, Digest id) throws Exception {
        RawClient.Answer answer = node.get("/topspin/trace/" + id);
        assertThat(answer.status()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private static List<String> steps(JsonNode answer) {
        List<String> steps = new ArrayList<>();
        answer.path("steps").forEach(step -> steps.add(step.path("step").asText()));
        return steps;
    }

    private static long received(JsonNode answer) {
        return answer.path("steps").path(0).path("at_us").asLong();
    }
}
