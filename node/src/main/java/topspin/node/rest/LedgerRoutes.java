package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;

import topspin.ledger.Ledger;
import topspin.ledger.LedgerView;
import topspin.ledger.account.AccountTotals;

import java.util.List;

/** Sums over the ledger, and what a ledger without applications knows of them. */
final class LedgerRoutes {
    private final Ledger ledger;

    LedgerRoutes(Ledger ledger) {
        this.ledger = ledger;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                                GET,
                                "/v2/ledger/supply",
                                Access.PUBLIC,
                                "How much money there is, and how much of it takes part.",
                                this::supply)
                        .onWorker(),
                Route.of(
                        GET,
                        "/v2/applications/{application-id}",
                        Access.PUBLIC,
                        "An application: there are none.",
                        this::application),
                Route.of(
                                GET,
                                "/v2/applications/{application-id}/boxes",
                                Access.PUBLIC,
                                "The boxes of an application: there are none.",
                                this::boxes)
                        .reads("max", "limit", "next", "prefix", "include", "round"),
                Route.of(
                                GET,
                                "/v2/applications/{application-id}/box",
                                Access.PUBLIC,
                                "A box of an application: there are none.",
                                this::box)
                        .reads("name"),
                Route.of(
                                GET,
                                "/v2/accounts/{address}/applications",
                                Access.PUBLIC,
                                "The applications of an account: there are none.",
                                this::accountApplications)
                        .reads("limit", "next", "include"),
                Route.of(
                                GET,
                                "/v2/accounts/{address}/applications/{application-id}",
                                Access.PUBLIC,
                                "An account's part in an application: there are none.",
                                this::accountApplication)
                        .reads("format"));
    }

    private void supply(Exchange exchange) {
        LedgerView view = ledger.view();
        AccountTotals totals = view.totals();
        // What agreement counts when it decides on the latest round.
        long lookback = Math.max(0, view.round() - view.params().balanceLookback());
        JsonWriter json = exchange.json().beginObject();
        json.name("current_round").uint(view.round());
        json.name("online-money").uint(totals.online().money());
        json.name("online-stake").uint(view.circulation(lookback, view.round()));
        json.name("total-money").uint(totals.online().money() + totals.offline().money());
        json.endObject();
        exchange.send(200);
    }

    private void application(Exchange exchange) {
        exchange.number(0, "application-id");
        throw new RequestFault(404, "application does not exist");
    }

    private void boxes(Exchange exchange) {
        exchange.number(0, "application-id");
        exchange.json().beginObject().name("boxes").beginArray().endArray().endObject();
        exchange.send(200);
    }

    private void box(Exchange exchange) {
        exchange.number(0, "application-id");
        String name = exchange.query("name");
        if (name == null) {
            throw RequestFault.parameter("name", "query parameter 'name' is required");
        }
        if (name.indexOf(':') < 0) {
            throw new RequestFault(
                    400, "all arguments and box names should be of the form 'encoding:value'");
        }
        throw new RequestFault(404, "box not found");
    }

    private void accountApplications(Exchange exchange) {
        exchange.address(0, "address");
        if (exchange.queryNumber("limit", 1) == 0) {
            throw new RequestFault(400, "limit parameter must be a positive integer");
        }
        JsonWriter json = exchange.json().beginObject();
        json.name("application-resources").beginArray().endArray();
        json.name("round").uint(ledger.view().round()).endObject();
        exchange.send(200);
    }

    private void accountApplication(Exchange exchange) {
        exchange.address(0, "address");
        exchange.number(1, "application-id");
        Exchange.isMsgpack(exchange.formatText());
        throw new RequestFault(404, "account application info not found");
    }
}
