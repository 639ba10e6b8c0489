package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.txn.TransactionEncoder;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerView;
import topspin.ledger.LedgerView.AssetHolding;
import topspin.ledger.account.Account;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.Resources;

import java.util.ArrayList;
import java.util.List;

/** Accounts and assets at the latest round (rest.md section 3). */
final class AccountRoutes {
    /** algod's MaxAPIResourcesPerAccount: an account with more is told by its parts only. */
    static final int RESOURCES_MAX = 100_000;

    private static final int PAGE_MAX = 1000;

    private final Ledger ledger;
    private final int resourcesMax;

    /**
     * @param resourcesMax most holdings and assets of its own that an account is told with
     */
    AccountRoutes(Ledger ledger, int resourcesMax) {
        this.ledger = ledger;
        this.resourcesMax = resourcesMax;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                                GET,
                                "/v2/accounts/{address}",
                                Access.PUBLIC,
                                "An account with all it holds.",
                                this::account)
                        .reads("exclude", "format")
                        .onWorker(),
                Route.of(
                                GET,
                                "/v2/accounts/{address}/assets",
                                Access.PUBLIC,
                                "What an account holds, by pages.",
                                this::assets)
                        .reads("limit", "next")
                        .onWorker(),
                Route.of(
                                GET,
                                "/v2/accounts/{address}/assets/{asset-id}",
                                Access.PUBLIC,
                                "What an account has to do with an asset.",
                                this::accountAsset)
                        .reads("format")
                        .onWorker(),
                Route.of(GET, "/v2/assets/{asset-id}", Access.PUBLIC, "An asset.", this::asset)
                        .onWorker());
    }

    private void account(Exchange exchange) {
        Address address = exchange.address(0, "address");
        List<String> excluded = exchange.query().list("exclude");
        boolean msgpack = Exchange.isMsgpack(exchange.formatText());
        Exclusion exclusion = Exclusion.parse(excluded);
        LedgerView view = ledger.view();
        Account account = view.account(address);
        boolean bare = exclusion == Exclusion.ALL;
        if (!bare && isTooLarge(account.resources())) {
            tooLarge(account.resources(), exchange);
            return;
        }
        List<AccountForm.Held> held = bare ? null : held(view, address, 0, Integer.MAX_VALUE);
        AccountForm form =
                new AccountForm(
                        address,
                        account,
                        held,
                        view.round(),
                        view.header().rewardsLevel(),
                        view.params());
        if (msgpack) {
            CanonicalWriter out = new CanonicalWriter();
            if (held == null) {
                form.writeBareRecord(out);
            } else {
                form.writeRecord(held, out);
            }
            exchange.sendMsgpack(out);
        } else {
            form.writeJson(exclusion == Exclusion.NONE, exchange.json());
            exchange.send(200);
        }
    }

    private boolean isTooLarge(Resources resources) {
        // Each count is bounded by money, so the sum cannot overflow.
        return resources.assets()
                        + resources.createdAssets()
                        + resources.createdApps()
                        + resources.optedInApps()
                > resourcesMax;
    }

    private void tooLarge(Resources resources, Exchange exchange) {
        JsonWriter json = exchange.json().beginObject();
        json.name("data").beginObject();
        json.name("max-results").uint(resourcesMax);
        json.name("total-apps-opted-in").uint(resources.optedInApps());
        json.name("total-assets-opted-in").uint(resources.assets());
        json.name("total-created-apps").uint(resources.createdApps());
        json.name("total-created-assets").uint(resources.createdAssets()).endObject();
        json.name("message").string("Result limit exceeded").endObject();
        exchange.send(400);
    }

    /** What an account holds, in order of asset, as {@link LedgerView#holdings} pages it. */
    static List<AccountForm.Held> held(LedgerView view, Address address, long after, int max) {
        List<AccountForm.Held> held = new ArrayList<>();
        for (AssetHolding each : view.holdings(address, after, max)) {
            held.add(new AccountForm.Held(each.asset(), each.holding(), view.asset(each.asset())));
        }
        return held;
    }

    private void assets(Exchange exchange) {
        Address address = exchange.address(0, "address");
        long limit = exchange.queryNumber("limit", PAGE_MAX);
        String next = exchange.query("next");
        if (limit == 0) {
            throw new RequestFault(400, "limit parameter must be a positive integer");
        }
        if (Long.compareUnsigned(limit, PAGE_MAX) > 0) {
            throw new RequestFault(
                    400,
                    "limit "
                            + Long.toUnsignedString(limit)
                            + " exceeds max assets single batch limit "
                            + PAGE_MAX);
        }
        long after = next == null ? 0 : parseToken(next);
        LedgerView view = ledger.view();
        List<AccountForm.Held> page = held(view, address, after, (int) limit + 1);
        JsonWriter json = exchange.json().beginObject().name("asset-holdings").beginArray();
        int shown = Math.min(page.size(), (int) limit);
        for (AccountForm.Held each : page.subList(0, shown)) {
            json.beginObject().name("asset-holding");
            AssetForm.holding(each.asset(), each.holding(), json);
            if (each.record() != null) {
                json.name("asset-params");
                AssetForm.params(each.record(), json);
            }
            json.endObject();
        }
        json.endArray();
        if (page.size() > shown) {
            json.name("next-token").string(Long.toUnsignedString(page.get(shown - 1).asset()));
        }
        json.name("round").uint(view.round()).endObject();
        exchange.send(200);
    }

    private static long parseToken(String next) {
        try {
            return GoText.parseUint("next", next);
        } catch (RequestFault fault) {
            // Another sentence around the same reason.
            String text = fault.text();
            throw new RequestFault(
                    400, "unable to parse next token: " + text.substring(text.indexOf("strconv.")));
        }
    }

    private void accountAsset(Exchange exchange) {
        Address address = exchange.address(0, "address");
        long asset = exchange.number(1, "asset-id");
        boolean msgpack = Exchange.isMsgpack(exchange.formatText());
        LedgerView view = ledger.view();
        Holding holding = view.holding(address, asset);
        AssetRecord record = view.asset(asset);
        AssetRecord created = record != null && record.creator().equals(address) ? record : null;
        if (holding == null && created == null) {
            throw new RequestFault(404, "account asset info not found");
        }
        if (msgpack) {
            CanonicalWriter out = new CanonicalWriter();
            writeParts(holding, created, out);
            exchange.sendMsgpack(out);
            return;
        }
        JsonWriter json = exchange.json().beginObject();
        if (holding != null) {
            json.name("asset-holding");
            AssetForm.holding(asset, holding, json);
        }
        if (created != null) {
            json.name("created-asset");
            AssetForm.params(created, json);
        }
        json.name("round").uint(view.round()).endObject();
        exchange.send(200);
    }

    private static void writeParts(
            @Nullable Holding holding, @Nullable AssetRecord created, CanonicalWriter out) {
        // What is zero is left out, an empty holding too.
        boolean holds = holding != null && (holding.amount() != 0 || holding.frozen());
        boolean defines = created != null && !created.params().isZero();
        out.writeMapHeader((holds ? 1 : 0) + (defines ? 1 : 0));
        if (holding != null && holds) {
            out.writeText("asset-holding");
            AccountForm.writeRecord(holding, out);
        }
        if (created != null && defines) {
            out.writeText("asset-params");
            TransactionEncoder.encode(created.params(), out);
        }
    }

    private void asset(Exchange exchange) {
        long asset = exchange.number(0, "asset-id");
        if (asset < 0) {
            throw new RequestFault(500, "failed to retrieve information from the ledger");
        }
        AssetRecord record = ledger.view().asset(asset);
        if (record == null) {
            throw new RequestFault(404, "asset does not exist");
        }
        JsonWriter json = exchange.json().beginObject().name("index").uint(asset);
        json.name("params");
        AssetForm.params(record, json);
        json.endObject();
        exchange.send(200);
    }

    /** What a request wants left out of an account. */
    private enum Exclusion {
        NONE,
        CREATED_PARAMS,
        ALL;

        /** Applications have no parameters here, so leaving only those out changes nothing. */
        static Exclusion parse(@Nullable List<String> parts) {
            if (parts == null || parts.equals(List.of(""))) {
                return NONE;
            }
            if (parts.size() == 1 && parts.getFirst().equals("all")) {
                return ALL;
            }
            if (parts.size() == 1 && parts.getFirst().equals("none")) {
                return NONE;
            }
            Exclusion found = NONE;
            for (String part : parts) {
                switch (part) {
                    case "created-assets-params" -> found = CREATED_PARAMS;
                    case "created-apps-params" -> {}
                    default -> throw new RequestFault(400, "failed to parse exclude");
                }
            }
            return found;
        }
    }
}
