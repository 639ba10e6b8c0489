package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;
import static io.netty.handler.codec.http.HttpMethod.POST;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The routes of algod's first API, of which all that is left is a word about it. */
final class LegacyRoutes {
    private static final List<String> PATHS =
            List.of(
                    "/v1/account/{address}",
                    "/v1/account/{address}/transaction/{txid}",
                    "/v1/account/{address}/transactions",
                    "/v1/account/{address}/transactions/pending",
                    "/v1/asset/{index}",
                    "/v1/assets",
                    "/v1/block/{round}",
                    "/v1/ledger/supply",
                    "/v1/status",
                    "/v1/status/wait-for-block-after/{round}",
                    "/v1/transaction/{txid}",
                    "/v1/transactions/fee",
                    "/v1/transactions/params",
                    "/v1/transactions/pending",
                    "/v1/transactions/pending/{txid}");

    private LegacyRoutes() {}

    static List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        for (String path : PATHS) {
            routes.add(Route.of(GET, path, Access.PUBLIC, "Gone.", LegacyRoutes::gone));
        }
        routes.add(Route.of(POST, "/v1/transactions", Access.PUBLIC, "Gone.", LegacyRoutes::gone));
        return routes;
    }

    private static void gone(Exchange exchange) {
        exchange.bytes("text/plain; charset=utf-8")
                .writeCharSequence(
                        "v1 algod APIs are no longer available, please use the v2 algod API",
                        StandardCharsets.US_ASCII);
        exchange.sendAsIs(410);
    }
}
