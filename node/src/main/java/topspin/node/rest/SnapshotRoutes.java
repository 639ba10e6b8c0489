package topspin.node.rest;

import topspin.ledger.store.StoreFault;
import topspin.node.devmode.Snapshot;
import topspin.node.devmode.Snapshots;

import java.io.IOException;
import java.util.List;
import java.util.NoSuchElementException;

/** How the node was, and the way back, where nodes do not agree on blocks. */
final class SnapshotRoutes {
    private final NodeParts node;

    SnapshotRoutes(NodeParts node) {
        this.node = node;
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                                "/topspin/snapshots",
                                Access.PUBLIC,
                                "The snapshots there are; how often the node has gone back to one.",
                                exchange -> answer(exchange, this::list))
                        .onWorker(),
                Route.post(
                                "/topspin/snapshots/{name}",
                                Access.PUBLIC,
                                "Keeps ledger, pool and the time of blocks as they are.",
                                exchange -> answer(exchange, this::take))
                        .onWorker(),
                Route.post(
                                "/topspin/snapshots/{name}/revert",
                                Access.PUBLIC,
                                "Starts the node again as it was, held until it is told to go on.",
                                exchange -> answer(exchange, this::revert))
                        .onWorker(),
                Route.post(
                                "/topspin/resume",
                                Access.PUBLIC,
                                "Lets a node that has gone back meet its peers and make blocks.",
                                exchange -> answer(exchange, SnapshotRoutes::resume))
                        .onWorker());
    }

    /** Something to be done with snapshots. */
    @FunctionalInterface
    private interface Call {
        void of(Snapshots snapshots, Exchange exchange) throws IOException;
    }

    private void answer(Exchange exchange, Call call) {
        Snapshots snapshots = node.snapshots();
        if (snapshots == null) {
            throw new RequestFault(
                    400, "snapshots are for block modes other than agreement: nodes agree here");
        }
        try {
            call.of(snapshots, exchange);
        } catch (NoSuchElementException none) {
            throw new RequestFault(404, String.valueOf(none.getMessage()));
        } catch (IllegalArgumentException | IllegalStateException refused) {
            throw new RequestFault(400, String.valueOf(refused.getMessage()));
        } catch (IOException | StoreFault disk) {
            throw new RequestFault(500, "the disk refuses: " + disk.getMessage());
        }
    }

    private void list(Snapshots snapshots, Exchange exchange) throws IOException {
        JsonWriter json = exchange.json().beginObject();
        json.name("held").bool(snapshots.isHeld());
        json.name("reverts").uint(snapshots.reverts());
        json.name("snapshots").beginArray();
        for (Snapshot snapshot : snapshots.all()) {
            write(snapshot, json);
        }
        json.endArray().endObject();
        exchange.send(200);
    }

    private void take(Snapshots snapshots, Exchange exchange) throws IOException {
        Snapshot taken = snapshots.take(exchange.segment(0));
        write(taken, exchange.json());
        exchange.send(200);
    }

    private static void write(Snapshot snapshot, JsonWriter json) {
        json.beginObject();
        json.name("name").string(snapshot.name());
        json.name("round").uint(snapshot.round());
        json.name("timestamp").uint(snapshot.timestamp());
        json.name("waiting").uint(snapshot.waiting());
        json.endObject();
    }

    private void revert(Snapshots snapshots, Exchange exchange) throws IOException {
        long number = snapshots.revert(exchange.segment(0));
        exchange.json().beginObject().name("reverts").uint(number).endObject();
        exchange.send(200);
    }

    private static void resume(Snapshots snapshots, Exchange exchange) throws IOException {
        snapshots.resume();
        exchange.empty(200);
    }
}
