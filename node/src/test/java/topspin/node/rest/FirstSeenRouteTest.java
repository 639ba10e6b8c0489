package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.txn.SignedTransaction;
import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;
import topspin.node.ingest.FirstSeen;

import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** {@code GET /topspin/first-seen}: what pingpong takes propagation from. */
@Timeout(90)
final class FirstSeenRouteTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000, 123_456_000);
    private static final long NOW_NANOS = 1_800_000_000_123_456_000L;

    private final Funds funds = new Funds(3);

    private SignedTransaction payment(boolean sampled) {
        return IntStream.range(1, 10_000)
                .mapToObj(amount -> funds.payment(0, 1, amount))
                .filter(payment -> FirstSeen.isSampled(payment.id()) == sampled)
                .findFirst()
                .orElseThrow();
    }

    private static JsonNode ask(RestNode node) throws Exception {
        RawClient.Answer answer = node.get("/topspin/first-seen");
        assertThat(answer.status()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    @Test
    void tellsTheSampledIdsAndWhenBlocksWereWorkedOn(@TempDir Path folder) throws Exception {
        long begun = System.nanoTime();
        NodeConfig config = NodeConfig.DEFAULT.withBlocks(new BlockMode.Manual());
        try (RestNode node =
                new RestNode(folder, funds.genesis().json(), config, InstantSource.fixed(NOW))) {
            JsonNode fresh = ask(node);
            assertThat(fresh.path("seen").isArray()).isTrue();
            assertThat(fresh.path("seen")).isEmpty();
            assertThat(fresh.path("block_work")).isEmpty();

            SignedTransaction sampled = payment(true);
            for (SignedTransaction each : new SignedTransaction[] {sampled, payment(false)}) {
                assertThat(node.post("/v2/transactions", each.toBytes()).status()).isEqualTo(200);
            }
            node.node().pacer().orElseThrow().makeBlock().get(30, TimeUnit.SECONDS);
            JsonNode told = ask(node);

            assertThat(told.path("seen")).hasSize(1);
            assertThat(told.path("seen").get(0).path("id").asText())
                    .isEqualTo(sampled.id().toString());
            assertThat(told.path("seen").get(0).path("at_ns_wall").asLong()).isEqualTo(NOW_NANOS);
            assertThat(told.path("block_work")).isNotEmpty();
            long earliest = NOW_NANOS - (System.nanoTime() - begun);
            for (JsonNode span : told.path("block_work")) {
                long from = span.path("from_ns_wall").asLong();
                long to = span.path("to_ns_wall").asLong();
                assertThat(from).isBetween(earliest, to);
                assertThat(to).isLessThanOrEqualTo(NOW_NANOS);
            }
        }
    }
}
