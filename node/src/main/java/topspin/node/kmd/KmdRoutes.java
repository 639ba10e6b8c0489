package topspin.node.kmd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import topspin.codec.Address;
import topspin.node.rest.Access;
import topspin.node.rest.Exchange;
import topspin.node.rest.JsonWriter;
import topspin.node.rest.Route;
import topspin.node.rest.RouteTable;

import java.io.IOException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** What dispensers ask of kmd: the wallet, a handle of it, its accounts, the key of one. */
public final class KmdRoutes {
    /** The header that its token stands in. */
    public static final String TOKEN_HEADER = "X-KMD-API-Token";

    private static final int BODY_BYTES_MAX = 64 << 10;

    /** Handles that may be open; the oldest makes room. */
    private static final int HANDLES_MAX = 1024;

    private static final int HANDLE_BYTES = 16;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final KmdWallet wallet;
    private final RandomGenerator random;

    private final Map<String, Boolean> handles =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                    return size() > HANDLES_MAX;
                }
            };

    /**
     * @param random for handles
     */
    public KmdRoutes(KmdWallet wallet, RandomGenerator random) {
        this.wallet = wallet;
        this.random = random;
    }

    /** The table of all paths. */
    public RouteTable table() {
        return new RouteTable(
                List.of(
                        Route.get("/versions", Access.OPEN, "API versions.", this::versions),
                        Route.get("/v1/wallets", Access.PUBLIC, "The wallets.", this::wallets),
                        post("/v1/wallet/init", "A handle of a wallet.", this::open),
                        post("/v1/wallet/release", "Gives a handle back.", this::release),
                        post("/v1/key/list", "The accounts of a wallet.", this::list),
                        post("/v1/key/export", "The key of an account.", this::export)));
    }

    /** What a call does with the body it came with. */
    @FunctionalInterface
    private interface Call {
        void answer(JsonNode request, Exchange exchange);
    }

    private static Route post(String path, String summary, Call call) {
        return Route.post(
                        path,
                        Access.PUBLIC,
                        summary,
                        exchange -> {
                            JsonNode request;
                            try {
                                request = JSON.readTree(exchange.bodyBytes());
                            } catch (IOException malformed) {
                                refuse("could not decode request body", exchange);
                                return;
                            }
                            call.answer(request, exchange);
                        })
                .withBody(BODY_BYTES_MAX);
    }

    private static void refuse(String message, Exchange exchange) {
        exchange.json()
                .beginObject()
                .name("error")
                .bool(true)
                .name("message")
                .string(message)
                .endObject();
        exchange.send(400);
    }

    private void versions(Exchange exchange) {
        exchange.json()
                .beginObject()
                .name("versions")
                .beginArray()
                .string("v1")
                .endArray()
                .endObject();
        exchange.send(200);
    }

    private void wallets(Exchange exchange) {
        JsonWriter json = exchange.json().beginObject().name("wallets").beginArray();
        json.beginObject().name("driver_name").string("sqlite");
        json.name("driver_version").uint(1);
        json.name("id").string(KmdWallet.ID);
        json.name("mnemonic_ux").bool(false);
        json.name("name").string(KmdWallet.NAME);
        json.name("supported_txs").beginArray().string("pay").string("keyreg").endArray();
        json.endObject().endArray().endObject();
        exchange.send(200);
    }

    private void open(JsonNode request, Exchange exchange) {
        if (!request.path("wallet_id").asText("").equals(KmdWallet.ID)) {
            refuse("wallet does not exist", exchange);
            return;
        }
        if (!request.path("wallet_password").asText("").isEmpty()) {
            refuse("wrong password", exchange);
            return;
        }
        byte[] id = new byte[HANDLE_BYTES];
        String handle;
        synchronized (handles) {
            random.nextBytes(id);
            handle = HexFormat.of().formatHex(id);
            handles.put(handle, true);
        }
        exchange.json().beginObject().name("wallet_handle_token").string(handle).endObject();
        exchange.send(200);
    }

    private void release(JsonNode request, Exchange exchange) {
        boolean known;
        synchronized (handles) {
            known = handles.remove(handle(request)) != null;
        }
        if (!known) {
            refuse("handle does not exist", exchange);
            return;
        }
        exchange.json().beginObject().endObject();
        exchange.send(200);
    }

    private void list(JsonNode request, Exchange exchange) {
        if (!isOpen(request)) {
            refuse("handle does not exist", exchange);
            return;
        }
        JsonWriter json = exchange.json().beginObject().name("addresses").beginArray();
        wallet.accounts().forEach(account -> json.string(account.toString()));
        json.endArray().endObject();
        exchange.send(200);
    }

    private void export(JsonNode request, Exchange exchange) {
        if (!isOpen(request)) {
            refuse("handle does not exist", exchange);
            return;
        }
        if (!request.path("wallet_password").asText("").isEmpty()) {
            refuse("wrong password", exchange);
            return;
        }
        byte[] secret;
        try {
            secret = wallet.secret(Address.parse(request.path("address").asText("")));
        } catch (IllegalArgumentException wrong) {
            refuse(String.valueOf(wrong.getMessage()), exchange);
            return;
        }
        if (secret == null) {
            refuse("key does not exist in this wallet", exchange);
            return;
        }
        exchange.json().beginObject().name("private_key").base64(secret).endObject();
        exchange.send(200);
    }

    private boolean isOpen(JsonNode request) {
        synchronized (handles) {
            return handles.containsKey(handle(request));
        }
    }

    private static String handle(JsonNode request) {
        return request.path("wallet_handle_token").asText("");
    }
}
