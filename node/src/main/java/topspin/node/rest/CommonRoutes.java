package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;

import io.netty.buffer.ByteBufOutputStream;

import topspin.ledger.Genesis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What needs no token: health, readiness, versions, genesis, metrics (rest.md section 2). */
final class CommonRoutes {
    /** A node whose last round is older than this is not ready. */
    private static final long ROUND_NANOS_MAX = TimeUnit.SECONDS.toNanos(17);

    private final NodeParts node;

    CommonRoutes(NodeParts node) {
        this.node = node;
    }

    List<Route> routes() {
        return List.of(
                Route.of(GET, "/health", Access.OPEN, "Answers as long as it runs.", this::health),
                Route.of(
                        GET,
                        "/ready",
                        Access.OPEN,
                        "Whether rounds are coming; before the first since the start, yes.",
                        this::ready),
                Route.of(GET, "/versions", Access.OPEN, "Program and network.", this::versions),
                Route.of(GET, "/genesis", Access.OPEN, "The genesis file.", this::genesis),
                Route.of(
                                GET,
                                "/metrics",
                                Access.OPEN,
                                "Figures in Prometheus's text format.",
                                this::metrics)
                        .onWorker());
    }

    private void health(Exchange exchange) {
        exchange.json().nul();
        exchange.send(200);
    }

    private void ready(Exchange exchange) {
        exchange.json().nul();
        exchange.send(node.waits().nanosSinceRound() < ROUND_NANOS_MAX ? 200 : 503);
    }

    private void versions(Exchange exchange) {
        Genesis genesis = node.ledger().genesis();
        String[] numbers = node.version().split("[.-]", -1);
        JsonWriter json = exchange.json().beginObject();
        json.name("versions").beginArray().string("v2").endArray();
        json.name("genesis_id").string(genesis.id());
        json.name("genesis_hash_b64").base64(genesis.hash().toBytes());
        json.name("build").beginObject();
        json.name("major").uint(Long.parseLong(numbers[0]));
        json.name("minor").uint(Long.parseLong(numbers[1]));
        json.name("build_number").uint(Long.parseLong(numbers[2]));
        json.name("commit_hash").string("");
        json.name("branch").string("");
        json.name("channel").string("topspin").endObject().endObject();
        exchange.send(200);
    }

    private void genesis(Exchange exchange) {
        exchange.bytes(ResponseHead.JSON)
                .writeCharSequence(node.ledger().genesis().json(), StandardCharsets.UTF_8);
        exchange.sendAsIs(200);
    }

    private void metrics(Exchange exchange) {
        try (ByteBufOutputStream out =
                new ByteBufOutputStream(exchange.bytes(MetricsPage.CONTENT_TYPE))) {
            node.metrics().writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        exchange.sendAsIs(200);
    }
}
