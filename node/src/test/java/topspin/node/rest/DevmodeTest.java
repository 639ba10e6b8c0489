package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.block.BlockHeader;
import topspin.codec.txn.SignedTransaction;
import topspin.net.multiaddr.Multiaddr;
import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Blocks and time at will, over REST, on two nodes of which one makes the blocks. */
@Timeout(120)
final class DevmodeTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration QUARTER = Duration.ofMillis(250);

    private final Funds funds = new Funds(3);
    private volatile Duration ahead = Duration.ZERO;
    private final InstantSource clock = () -> Instant.now().plus(ahead);
    private Path folder;
    private RestNode producer;
    private RestNode follower;

    @BeforeEach
    void folder(@TempDir Path temporary) {
        folder = temporary;
    }

    private void start(BlockMode mode) throws Exception {
        NodeConfig config = NodeConfig.DEFAULT.withBlocks(mode);
        String genesis = funds.genesis().json();
        producer = new RestNode(folder.resolve("a"), genesis, config, clock);
        Multiaddr address = Multiaddr.parse(producer.node().gossipAddress().orElseThrow());
        follower = new RestNode(folder.resolve("b"), genesis, config.withProducer(address), clock);
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
    void blocksComeWhenAskedForAndBothHaveThem() throws Exception {
        start(new BlockMode.Manual());
        SignedTransaction payment = funds.payment(0, 1, 5);
        assertThat(follower.post("/v2/transactions", payment.toBytes()).status()).isEqualTo(200);
        awaitPooled(payment);

        assertThat(post(producer, "/topspin/blocks").path("round").asLong()).isEqualTo(1);
        assertThat(post(producer, "/topspin/blocks?count=100").path("round").asLong())
                .isEqualTo(101);

        for (RestNode node : List.of(producer, follower)) {
            node.node().ledger().reached(101).get(30, TimeUnit.SECONDS);
            JsonNode found = get(node, "/v2/transactions/pending/" + payment.id() + "?format=json");
            assertThat(found.path("confirmed-round").asLong()).isEqualTo(1);
        }
        assertThat(producer.post("/topspin/blocks?count=0", new byte[0]).status()).isEqualTo(400);
        assertThat(producer.post("/topspin/blocks?count=1001", new byte[0]).status())
                .isEqualTo(400);
    }

    @Test
    void blocksComeWhenAskedForInEveryMode() throws Exception {
        for (BlockMode mode :
                List.of(new BlockMode.Instant(), new BlockMode.Interval(Duration.ofHours(1)))) {
            start(mode);
            assertThat(post(producer, "/topspin/blocks?count=3").path("round").asLong())
                    .isEqualTo(3);
            follower.node().ledger().reached(3).get(30, TimeUnit.SECONDS);
            stop();
            folder = folder.resolve("next");
        }
        start(new BlockMode.Manual());
    }

    @Test
    void theNextBlocksTimeIsExactAndLaterOnesGoOnFromThere() throws Exception {
        start(new BlockMode.Manual());
        post(producer, "/topspin/blocks");
        long then = header(producer).timestamp() + 10_000_000;

        JsonNode set = post(producer, "/topspin/clock/next/" + then);
        assertThat(set.path("next").asLong()).isEqualTo(then);
        post(producer, "/topspin/blocks");
        assertThat(header(producer).timestamp()).isEqualTo(then);
        ahead = Duration.ofSeconds(20);
        post(producer, "/topspin/blocks");
        assertThat(header(producer).timestamp()).isBetween(then + 19, then + 25);

        follower.node().ledger().reached(3).get(30, TimeUnit.SECONDS);
        assertThat(header(follower)).isEqualTo(header(producer));
        assertThat(get(producer, "/topspin/clock").has("next")).isFalse();
    }

    @Test
    void timeIsAdvancedAndGoesOn() throws Exception {
        start(new BlockMode.Manual());
        post(producer, "/topspin/blocks");
        long before = header(producer).timestamp();

        post(producer, "/topspin/clock/advance/3600");
        post(producer, "/topspin/blocks");
        assertThat(header(producer).timestamp()).isBetween(before + 3600, before + 3625);
        ahead = Duration.ofSeconds(20);
        post(producer, "/topspin/blocks");

        assertThat(header(producer).timestamp()).isBetween(before + 3619, before + 3650);
        assertThat(get(producer, "/topspin/clock").path("shift").asLong()).isEqualTo(3600);
    }

    @Test
    void anOffsetIsTheStepFromEachBlockToTheNext() throws Exception {
        start(new BlockMode.Manual());
        assertThat(producer.get("/v2/devmode/blocks/offset").status()).isEqualTo(404);
        post(producer, "/topspin/blocks");
        long before = header(producer).timestamp();

        assertThat(producer.post("/v2/devmode/blocks/offset/7200", new byte[0]).status())
                .isEqualTo(200);
        post(producer, "/topspin/blocks?count=3");

        assertThat(get(producer, "/v2/devmode/blocks/offset").path("offset").asLong())
                .isEqualTo(7200);
        assertThat(header(producer).timestamp()).isEqualTo(before + 3 * 7200);
        follower.node().ledger().reached(4).get(30, TimeUnit.SECONDS);
        assertThat(header(follower)).isEqualTo(header(producer));
        assertThat(follower.post("/v2/devmode/blocks/offset/1", new byte[0]).status())
                .isEqualTo(400);
    }

    @Test
    void timeNeverRunsBackwards() throws Exception {
        start(new BlockMode.Manual());
        post(producer, "/topspin/blocks");
        long latest = header(producer).timestamp();

        RawClient.Answer refused =
                producer.post("/topspin/clock/next/" + (latest - 1), new byte[0]);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).contains("never runs backwards");
        assertThat(producer.post("/topspin/clock/advance/-1", new byte[0]).status()).isEqualTo(400);
        assertThat(
                        producer.post("/topspin/clock/advance/9223372036854775807", new byte[0])
                                .status())
                .isEqualTo(400);
    }

    @Test
    void whoMakesNoBlocksSaysSo() throws Exception {
        start(new BlockMode.Manual());
        for (String path : List.of("/topspin/blocks", "/topspin/clock/advance/1")) {
            RawClient.Answer refused = follower.post(path, new byte[0]);
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.text()).contains("another node");
        }
    }

    @Test
    void atOnceNobodyWaitsForWhatDoesNotCome() throws Exception {
        start(new BlockMode.Instant());
        for (RestNode node : List.of(producer, follower)) {
            // A wait that lasted would break off with the client's ten seconds.
            JsonNode status = get(node, "/v2/status/wait-for-block-after/1000");
            assertThat(status.path("last-round").asLong()).isZero();
        }
        SignedTransaction payment = funds.payment(0, 1, 5);
        assertThat(follower.post("/v2/transactions", payment.toBytes()).status()).isEqualTo(200);
        assertThat(get(follower, "/v2/status/wait-for-block-after/0").path("last-round").asLong())
                .isEqualTo(1);
    }

    @Test
    void aClockThatIsSetForwardAndBackStopsNoRounds() throws Exception {
        start(new BlockMode.Interval(Duration.ofMillis(20)));
        rounds(20);
        long now = header(producer).timestamp();
        ahead = Duration.ofHours(8);
        rounds(100);
        // A block is at most 25 seconds later than the one before it.
        assertThat(header(producer).timestamp()).isLessThanOrEqualTo(now + 102 * 25);
        ahead = Duration.ZERO;
        rounds(100);

        long last = producer.node().ledger().view().round();
        long before = 0;
        for (long round = 1; round <= last; round++) {
            long timestamp =
                    get(producer, "/v2/blocks/" + round + "?header-only=true")
                            .path("block")
                            .path("ts")
                            .asLong();
            assertThat(timestamp).isGreaterThanOrEqualTo(before);
            before = timestamp;
        }
        follower.node().ledger().reached(last).get(30, TimeUnit.SECONDS);
    }

    @Test
    void blocksOfAQuarterSecondKeepRealTime() throws Exception {
        keepsRealTime(20);
    }

    @Test
    @Tag("long")
    void blocksOfAQuarterSecondKeepRealTimeForAMinute() throws Exception {
        keepsRealTime(240);
    }

    private void keepsRealTime(int rounds) throws Exception {
        start(new BlockMode.Interval(QUARTER));
        for (int i = 0; i < rounds; i++) {
            rounds(1);
            // The block is of this second or the one before: a tick lies between reading and now.
            long age = Instant.now().getEpochSecond() - header(producer).timestamp();
            assertThat(age).as("round " + i).isBetween(0L, 1L);
        }
    }

    private void rounds(int count) throws Exception {
        long round = producer.node().ledger().view().round() + count;
        producer.node().ledger().reached(round).get(60, TimeUnit.SECONDS);
    }

    private void awaitPooled(SignedTransaction payment) {
        while (!producer.node().pool().contains(payment.id())) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static BlockHeader header(RestNode node) {
        return node.node().ledger().view().header();
    }

    private static JsonNode get(RestNode node, String path) throws Exception {
        RawClient.Answer answer = node.get(path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private static JsonNode post(RestNode node, String path) throws Exception {
        RawClient.Answer answer = node.post(path, new byte[0]);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }
}
