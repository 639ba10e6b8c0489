package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.net.multiaddr.Multiaddr;
import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A node in follow mode, which waits for whoever reads its changes. */
@Timeout(120)
final class FollowerTest {
    private final Funds funds = new Funds(2);
    private int payments;

    @Test
    void goesNoFurtherThanItsReader(@TempDir Path folder) throws Exception {
        NodeConfig instant = NodeConfig.DEFAULT.withBlocks(new BlockMode.Instant());
        try (RestNode producer =
                        new RestNode(folder.resolve("a"), funds.genesis().json(), instant);
                RestNode follower = follower(folder, instant, producer)) {
            assertThat(follower.get("/v2/ledger/sync").text()).isEqualTo("{\"round\":1}\n");
            makeBlocks(producer, 10);
            // Changes of rounds 1 to 4 are to be read, so it stops there.
            awaitRound(follower, 4);
            assertThat(follower.get("/v2/deltas/1").status()).isEqualTo(200);
            assertThat(follower.get("/v2/deltas/5").text())
                    .contains("round 5 too high: dbRound 0, deltas 4");

            assertThat(follower.post("/v2/ledger/sync/3", new byte[0]).status()).isEqualTo(200);
            awaitRound(follower, 6);
            assertThat(follower.get("/v2/deltas/3").status()).isEqualTo(200);
            assertThat(follower.get("/v2/deltas/2").text())
                    .contains("round 2 not in deltas: dbRound 2, deltas 4, offset 0");
            assertThat(follower.post("/v2/ledger/sync/2", new byte[0]).text())
                    .isEqualTo("{\"message\":\"failed to set sync round on the ledger\"}\n");
            assertThat(follower.get("/v2/ledger/sync").text()).isEqualTo("{\"round\":3}\n");

            assertThat(follower.post("/v2/ledger/sync/0", new byte[0]).status()).isEqualTo(200);
            awaitRound(follower, 10);
            assertThat(follower.get("/v2/ledger/sync").status()).isEqualTo(404);
            makeBlocks(producer, 1);
            awaitRound(follower, 11);
            assertThat(follower.node().ledger().digest())
                    .isEqualTo(producer.node().ledger().digest());
        }
    }

    @Test
    void itsReaderGoesOnAfterARestart(@TempDir Path folder) throws Exception {
        NodeConfig instant = NodeConfig.DEFAULT.withBlocks(new BlockMode.Instant());
        try (RestNode producer =
                new RestNode(folder.resolve("a"), funds.genesis().json(), instant)) {
            NodeConfig following = following(instant, producer);
            String header;
            try (RestNode follower =
                    new RestNode(folder.resolve("b"), funds.genesis().json(), following)) {
                makeBlocks(producer, 10);
                awaitRound(follower, 4);
                follower.post("/v2/ledger/sync/3", new byte[0]);
                awaitRound(follower, 6);
                header = follower.get("/v2/blocks/6/hash").text();
            }
            try (RestNode follower = new RestNode(folder.resolve("b/node"), following)) {
                // Nothing that a reader might not have seen is lost, and nothing goes past it.
                assertThat(follower.get("/v2/ledger/sync").text()).isEqualTo("{\"round\":3}\n");
                assertThat(follower.get("/v2/deltas/2").text())
                        .contains("round 2 not in deltas: dbRound 2, deltas 4, offset 0");
                for (int round = 3; round <= 6; round++) {
                    assertThat(follower.get("/v2/deltas/" + round).text())
                            .contains("\"MicroAlgos\":" + (Funds.BALANCE + sum(round)) + ",");
                }
                assertThat(follower.get("/v2/blocks/6/hash").text()).isEqualTo(header);
                follower.post("/v2/ledger/sync/5", new byte[0]);
                awaitRound(follower, 8);
                assertThat(follower.get("/v2/deltas/5").status()).isEqualTo(200);
                assertThat(follower.get("/v2/deltas/8").status()).isEqualTo(200);
            }
        }
    }

    /** What the receiver has got after so many payments of 1, 2, 3 … */
    private static long sum(int payments) {
        return payments * (payments + 1L) / 2;
    }

    @Test
    void refusesWhatAFollowerDoesNot(@TempDir Path folder) throws Exception {
        NodeConfig instant =
                NodeConfig.DEFAULT.withBlocks(new BlockMode.Instant()).withDeveloperApis();
        try (RestNode producer =
                        new RestNode(folder.resolve("a"), funds.genesis().json(), instant);
                RestNode follower = follower(folder, instant, producer)) {
            byte[] payment = funds.payment(0, 1, 1).toBytes();
            for (String path : new String[] {"/v2/transactions", "/v2/transactions/async"}) {
                assertThat(follower.post(path, payment).text())
                        .isEqualTo("{\"message\":\"cannot broadcast txns in follower mode\"}\n");
                assertThat(follower.post(path, new byte[] {'x'}).text())
                        .contains("msgpack decode error [pos 1]: only encoded map or array");
            }
            String id = "/v2/participation/" + "PB4HQ6DY".repeat(6) + "PB4A";
            assertThat(admin(follower, "GET", "/v2/participation")).isEqualTo("null\n");
            assertThat(admin(follower, "GET", id))
                    .contains("cannot get participation key in follower mode");
            assertThat(admin(follower, "DELETE", id))
                    .contains("cannot remove participation key in follower mode");
            assertThat(admin(follower, "POST", "/v2/participation"))
                    .contains("payload was of zero length");
            assertThat(follower.post("/v2/devmode/blocks/offset/3", new byte[0]).text())
                    .contains("cannot set block timestamp offset in follower mode");
        }
    }

    private RestNode follower(Path folder, NodeConfig config, RestNode producer) throws Exception {
        return new RestNode(
                folder.resolve("b"), funds.genesis().json(), following(config, producer));
    }

    private static NodeConfig following(NodeConfig config, RestNode producer) {
        Multiaddr address = Multiaddr.parse(producer.node().gossipAddress().orElseThrow());
        return NodeConfig.parse(
                config.withProducer(address)
                        .toJson()
                        .replaceFirst("\\{", "{\"EnableFollowMode\": true,"));
    }

    private void makeBlocks(RestNode producer, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            payments++;
            assertThat(
                            producer.post(
                                            "/v2/transactions",
                                            funds.payment(0, 1, payments).toBytes())
                                    .status())
                    .isEqualTo(200);
        }
    }

    private static void awaitRound(RestNode node, long round) throws Exception {
        node.node().ledger().reached(round).get(30, TimeUnit.SECONDS);
        assertThat(node.node().ledger().view().round()).isEqualTo(round);
    }

    private static String admin(RestNode node, String method, String path) throws IOException {
        String head =
                "%s %s HTTP/1.1\r\nHost: x\r\nX-Algo-API-Token: %s\r\nContent-Length: 0\r\n\r\n"
                        .formatted(method, path, node.node().tokens().admin());
        return node.ask(head.getBytes(StandardCharsets.US_ASCII), false).text();
    }
}
