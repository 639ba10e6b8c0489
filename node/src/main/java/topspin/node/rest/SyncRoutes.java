package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.DELETE;
import static io.netty.handler.codec.http.HttpMethod.GET;
import static io.netty.handler.codec.http.HttpMethod.POST;

import topspin.node.catchup.SyncRound;

import java.util.List;

/** How far a follower may go ahead of who reads it (rest.md section 3); in follow mode only. */
final class SyncRoutes {
    private final SyncRound sync;
    private final RecentDeltas deltas;

    SyncRoutes(SyncRound sync, RecentDeltas deltas) {
        this.sync = sync;
        this.deltas = deltas;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                        GET,
                        "/v2/ledger/sync",
                        Access.PUBLIC,
                        "The round from which on changes are kept.",
                        this::get),
                Route.of(
                        DELETE,
                        "/v2/ledger/sync",
                        Access.PUBLIC,
                        "Lets the node go on without waiting for a reader.",
                        this::unset),
                Route.of(
                        POST,
                        "/v2/ledger/sync/{round}",
                        Access.PUBLIC,
                        "Keeps changes from a round on, and waits for its reader.",
                        this::set));
    }

    private void get(Exchange exchange) {
        long round = sync.get();
        if (round == 0) {
            throw new RequestFault(404, "failed retrieving sync round from ledger");
        }
        exchange.json().beginObject().name("round").uint(round).endObject();
        exchange.send(200);
    }

    private void unset(Exchange exchange) {
        sync.set(0);
        exchange.empty(200);
    }

    private void set(Exchange exchange) {
        long round = exchange.number(0, "round");
        if (round != 0 && Long.compareUnsigned(round, deltas.before()) <= 0) {
            throw new RequestFault(400, "failed to set sync round on the ledger");
        }
        sync.set(round);
        exchange.empty(200);
    }
}
