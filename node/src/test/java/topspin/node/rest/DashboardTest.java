package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.txn.SignedTransaction;
import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The dashboard's page and its stream, without a browser. */
@Timeout(90)
final class DashboardTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Funds funds = new Funds(2);
    private final List<RawClient> clients = new ArrayList<>();
    private RestNode node;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        node =
                new RestNode(
                        folder,
                        funds.genesis().json(),
                        NodeConfig.DEFAULT.withBlocks(new BlockMode.Instant()));
    }

    @AfterEach
    void stop() throws Exception {
        for (RawClient client : clients) {
            client.close();
        }
        node.close();
    }

    @Test
    void thePageIsForAnyoneAndAsksOnlyItsNode() throws Exception {
        RawClient.Answer page = connect().send("GET / HTTP/1.1\r\nHost: node\r\n\r\n").read();

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(page.header("Content-Security-Policy"))
                .startsWith("default-src 'none'; script-src 'sha256-")
                .contains("connect-src 'self'");
        assertThat(page.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(page.text()).doesNotContain("{{").doesNotContain(node.apiToken());
    }

    @Test
    void theStreamWantsTheToken() throws Exception {
        RawClient.Answer answer =
                connect().send("GET /topspin/events HTTP/1.1\r\nHost: node\r\n\r\n").read();

        assertThat(answer.status()).isEqualTo(401);
    }

    @Test
    void theStreamTellsHowTheNodeIsAndEachBlockOnce() throws Exception {
        RawClient client = watch();
        assertThat(client.read().header("Content-Type")).isEqualTo("text/event-stream");
        JsonNode first = event(client);
        assertThat(first.path("round").asLong()).isZero();
        assertThat(first.path("mode").asText()).isEqualTo("instant");
        assertThat(first.path("peers")).isEmpty();
        assertThat(first.path("heap").asLong()).isPositive();
        assertThat(first.path("blocks")).isEmpty();

        SignedTransaction payment = funds.payment(0, 1, 5);
        assertThat(node.post("/v2/transactions", payment.toBytes()).status()).isEqualTo(200);
        JsonNode next = event(client);
        while (next.path("round").asLong() == 0) {
            next = event(client);
        }
        assertThat(next.path("confirmed").asLong()).isEqualTo(1);
        assertThat(next.path("blocks")).hasSize(1);
        assertThat(next.path("blocks").path(0).path("transactions").asInt()).isEqualTo(1);
        assertThat(next.path("blocks").path(0).path("bytes").asInt()).isEqualTo(payment.length());
        JsonNode shown = next.path("transactions").path(0);
        assertThat(shown.path("id").asText()).isEqualTo(payment.id().toString());
        assertThat(shown.path("to").asText()).isEqualTo(funds.address(1).toString());
        assertThat(shown.path("amount").asLong()).isEqualTo(5);
        assertThat(event(client).path("blocks")).isEmpty();
    }

    @Test
    void noMoreThanSixteenWatchAndWhoLeavesMakesRoom() throws Exception {
        for (int i = 0; i < Dashboard.STREAMS_MAX; i++) {
            RawClient client = watch();
            assertThat(client.read().status()).isEqualTo(200);
            event(client);
        }
        assertThat(watch().read().status()).isEqualTo(429);
        clients.removeFirst().close();

        int status = 429;
        while (status == 429) {
            LockSupport.parkNanos(5_000_000);
            status = watch().read().status();
        }
        assertThat(status).isEqualTo(200);
    }

    @Test
    void aClientThatSaysItIsDoneIsLeftAlone() throws Exception {
        RawClient client = watch();
        client.read();
        event(client);

        assertThat(client.endOutput().readToEnd()).doesNotContain("HTTP/1.1");
    }

    @Test
    void aNodeThatStopsEndsTheStreamAtOnce() throws Exception {
        RawClient client = watch();
        client.read();
        event(client);
        long start = System.nanoTime();
        node.node().rest().close();

        assertThat(client.readToEnd()).doesNotContain("HTTP/1.1");
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.MILLISECONDS.toNanos(1_500));
    }

    private RawClient connect() throws IOException {
        RawClient client = node.connect();
        clients.add(client);
        return client;
    }

    private RawClient watch() throws IOException {
        return connect().send(node.request("GET", "/topspin/events", new byte[0]));
    }

    private static JsonNode event(RawClient client) throws IOException {
        String line = client.line();
        assertThat(line).startsWith("data: ");
        assertThat(client.line()).isEmpty();
        return JSON.readTree(line.substring("data: ".length()));
    }
}
