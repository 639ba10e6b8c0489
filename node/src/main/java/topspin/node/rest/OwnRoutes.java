package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;
import static io.netty.handler.codec.http.HttpMethod.POST;

import topspin.ledger.BlockTimes;
import topspin.node.ingest.FirstSeen;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** What algod does not have: below {@code /topspin}. */
final class OwnRoutes {
    private final NodeParts node;

    OwnRoutes(NodeParts node) {
        this.node = node;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                                POST,
                                "/topspin/recording/start",
                                Access.ADMIN,
                                "Starts to record where the process allocates.",
                                this::startRecording)
                        .onWorker(),
                Route.of(
                                POST,
                                "/topspin/recording/stop",
                                Access.ADMIN,
                                "Stops recording and tells the top sites.",
                                this::stopRecording)
                        .onWorker(),
                Route.of(
                                GET,
                                "/topspin/first-seen",
                                Access.PUBLIC,
                                "When this node first met some of the transactions, and worked on blocks.",
                                this::firstSeen)
                        .onWorker());
    }

    private void startRecording(Exchange exchange) {
        node.recordings().start();
        exchange.json().beginObject().endObject();
        exchange.send(200);
    }

    private void stopRecording(Exchange exchange) {
        Recordings.Result result;
        try {
            result = node.recordings().stop();
        } catch (IOException e) {
            throw new UncheckedIOException("the recording cannot be kept", e);
        }
        JsonWriter json = exchange.json().beginObject();
        json.name("file").string(result.file().toString());
        json.name("millis").uint(result.millis());
        json.name("top_allocations").beginArray();
        for (Recordings.Site site : result.topAllocations()) {
            json.beginObject().name("site").string(site.site());
            json.name("bytes").uint(site.bytes());
            json.name("share").decimal(site.share()).endObject();
        }
        json.endArray().endObject();
        exchange.send(200);
    }

    private void firstSeen(Exchange exchange) {
        JsonWriter json = exchange.json().beginObject().name("seen").beginArray();
        for (FirstSeen.Sample sample : node.ingest().firstSeen().samples()) {
            json.beginObject().name("id").digest(sample.id());
            json.name("at_ns_wall").uint(sample.epochMicros() * 1000).endObject();
        }
        json.endArray().name("block_work").beginArray();
        long now = node.ingest().firstSeen().nowEpochMicros() * 1000;
        for (BlockTimes.Span span : node.ledger().blockTimes().spans()) {
            json.beginObject().name("from_ns_wall").uint(now - span.fromNanosAgo());
            json.name("to_ns_wall").uint(now - span.toNanosAgo()).endObject();
        }
        json.endArray().endObject();
        exchange.send(200);
    }
}
