package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;

import topspin.codec.Digest;

import java.util.List;

/** What rounds and groups changed (rest.md section 3, Blocks and ledger). */
final class DeltaRoutes {
    private static final String FAILED = "failed retrieving State Delta: ";
    private static final String NO_TRACER = "failed retrieving the expected tracer from ledger";

    private final RecentDeltas deltas;

    DeltaRoutes(RecentDeltas deltas) {
        this.deltas = deltas;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                                GET,
                                "/v2/deltas/{round}",
                                Access.PUBLIC,
                                "All that a round changed.",
                                this::ofRound)
                        .reads("format")
                        .onWorker(),
                Route.of(
                                GET,
                                "/v2/deltas/{round}/txn/group",
                                Access.PUBLIC,
                                "What each group of a round changed.",
                                this::groupsOfRound)
                        .reads("format")
                        .onWorker(),
                Route.of(
                                GET,
                                "/v2/deltas/txn/group/{id}",
                                Access.PUBLIC,
                                "What the group with an id, or with a member of that id, changed.",
                                this::ofGroup)
                        .reads("format")
                        .onWorker());
    }

    private void ofRound(Exchange exchange) {
        long number = exchange.number(0, "round");
        boolean msgpack = Exchange.isMsgpack(exchange.formatText());
        RecentDeltas.Round round = deltas.round(number);
        if (round == null) {
            throw new RequestFault(404, FAILED + notKept(number));
        }
        exchange.send(msgpack, out -> round.form().write(msgpack, round.previousTimestamp(), out));
    }

    private String notKept(long round) {
        long before = deltas.before();
        int count = deltas.count();
        String number = Long.toUnsignedString(round);
        if (Long.compareUnsigned(round, before) < 0) {
            return "round %s before dbRound %d".formatted(number, before);
        }
        return round == before
                ? "round %s not in deltas: dbRound %d, deltas %d, offset 0"
                        .formatted(number, before, count)
                : "round %s too high: dbRound %d, deltas %d".formatted(number, before, count);
    }

    private void groupsOfRound(Exchange exchange) {
        long number = exchange.number(0, "round");
        boolean msgpack = Exchange.isMsgpack(exchange.formatText());
        requireTracer();
        RecentDeltas.Round round = deltas.round(number);
        List<RecentDeltas.Group> groups = round == null ? null : round.groups();
        if (groups == null) {
            throw new RequestFault(
                    404,
                    FAILED
                            + "round "
                            + Long.toUnsignedString(number)
                            + " not found in txnGroupDeltaTracer");
        }
        exchange.send(
                msgpack,
                out -> {
                    out.map(1).name("Deltas").list(groups.size());
                    for (RecentDeltas.Group group : groups) {
                        out.map(2).name("Delta");
                        group.form().writeSubset(msgpack, group.first(), out);
                        out.name("Ids").list(1).text(group.id().toString()).endList().endMap();
                    }
                    out.endList().endMap();
                });
    }

    private void ofGroup(Exchange exchange) {
        boolean msgpack = Exchange.isMsgpack(exchange.formatText());
        Digest id = exchange.transactionId(0);
        requireTracer();
        RecentDeltas.Group group = deltas.group(id);
        if (group == null) {
            throw new RequestFault(404, FAILED + "unable to find delta for id: " + id);
        }
        exchange.send(msgpack, out -> group.form().writeSubset(msgpack, group.first(), out));
    }

    private void requireTracer() {
        if (!deltas.isTraced()) {
            throw new RequestFault(501, NO_TRACER);
        }
    }
}
