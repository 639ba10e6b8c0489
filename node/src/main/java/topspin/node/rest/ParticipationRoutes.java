package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.DELETE;
import static io.netty.handler.codec.http.HttpMethod.GET;
import static io.netty.handler.codec.http.HttpMethod.POST;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.node.keys.KeyFault;
import topspin.node.keys.KeyGenerator;
import topspin.node.keys.KeyStore;
import topspin.node.keys.KeyUse;
import topspin.node.keys.ParticipationKeys;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The keys that this node takes part with (rest.md section 4). */
final class ParticipationRoutes {
    private static final Logger LOG = System.getLogger(ParticipationRoutes.class.getName());
    private static final String NOT_FOUND = "the participation ID was not found";
    private static final String KEYS = "/v2/participation";
    private static final String ONE_KEY = "/v2/participation/{participation-id}";

    private final KeyStore store;
    private final KeyGenerator generator;
    private final boolean followMode;
    private final AtomicBoolean generating = new AtomicBoolean();

    ParticipationRoutes(KeyStore store, KeyGenerator generator, boolean followMode) {
        this.store = store;
        this.generator = generator;
        this.followMode = followMode;
    }

    List<Route> routes() {
        return List.of(
                Route.of(GET, KEYS, Access.ADMIN, "All participation keys.", this::list),
                Route.of(POST, KEYS, Access.ADMIN, "Installs a file of keys.", this::install)
                        .onWorker(),
                Route.of(GET, ONE_KEY, Access.ADMIN, "Participation keys by id.", this::get),
                Route.of(DELETE, ONE_KEY, Access.ADMIN, "Deletes participation keys.", this::delete)
                        .onWorker(),
                Route.of(
                        POST,
                        ONE_KEY,
                        Access.ADMIN,
                        "State-proof keys, which this node does not keep.",
                        this::append),
                Route.of(
                                POST,
                                "/v2/participation/generate/{address}",
                                Access.ADMIN,
                                "Makes participation keys in the background.",
                                this::generate)
                        .reads("dilution", "first", "last")
                        .onWorker());
    }

    private void list(Exchange exchange) {
        List<ParticipationKeys> all = followMode ? List.of() : store.list();
        JsonWriter json = exchange.json();
        if (all.isEmpty()) {
            json.nul();
        } else {
            json.beginArray();
            all.forEach(keys -> write(keys, json));
            json.endArray();
        }
        exchange.send(200);
    }

    private void get(Exchange exchange) {
        Digest id = id(exchange);
        refuseToFollow(500, "get");
        ParticipationKeys keys = store.find(id);
        if (keys == null) {
            throw new RequestFault(500, NOT_FOUND);
        }
        write(keys, exchange.json());
        exchange.send(200);
    }

    private void write(ParticipationKeys keys, JsonWriter json) {
        KeyUse use = store.uses().of(keys.id());
        json.beginObject().name("address").string(keys.account().toString());
        if (use.lastEffective() != 0) {
            json.name("effective-first-valid").uint(use.firstEffective());
            json.name("effective-last-valid").uint(use.lastEffective());
        }
        json.name("id").digest(keys.id());
        json.name("key").beginObject();
        json.name("selection-participation-key").base64(keys.selectionKey().toBytes());
        if (!keys.stateProofKey().isEmpty()) {
            json.name("state-proof-key").base64(keys.stateProofKey().toArray());
        }
        json.name("vote-first-valid").uint(keys.firstValid());
        json.name("vote-key-dilution").uint(keys.dilution());
        json.name("vote-last-valid").uint(keys.lastValid());
        json.name("vote-participation-key").base64(keys.voteKey().toBytes());
        json.endObject();
        // No last-state-proof: this node signs no state proofs.
        if (use.lastProposal() != 0) {
            json.name("last-block-proposal").uint(use.lastProposal());
        }
        if (use.lastVote() != 0) {
            json.name("last-vote").uint(use.lastVote());
        }
        json.endObject();
    }

    private void install(Exchange exchange) {
        byte[] file = exchange.bodyBytes();
        if (file.length == 0) {
            throw new RequestFault(400, "payload was of zero length");
        }
        refuseToFollow(400, "install");
        Digest id;
        try {
            id = store.install(file).id();
        } catch (KeyFault wrong) {
            throw new RequestFault(400, wrong.reason());
        }
        exchange.json().beginObject().name("partId").digest(id).endObject();
        exchange.send(200);
    }

    private void delete(Exchange exchange) {
        Digest id = id(exchange);
        refuseToFollow(500, "remove");
        if (!store.remove(id)) {
            throw new RequestFault(404, "participation id not found");
        }
        exchange.empty(200);
    }

    private void append(Exchange exchange) {
        id(exchange);
        byte[] keys = exchange.bodyBytes();
        if (keys.length == 0) {
            throw new RequestFault(400, "unable to parse keys from body: EOF");
        }
        boolean none = keys[0] == (byte) 0x90 || keys[0] == (byte) 0xc0;
        if (none) {
            throw new RequestFault(400, "empty request, please attach keys to request body");
        }
        refuseToFollow(500, "append");
        throw new RequestFault(501, "state-proof keys are not supported by this node");
    }

    private void generate(Exchange exchange) {
        Address address = exchange.address(0, "address");
        long dilution = exchange.queryNumber("dilution", 0);
        long first = exchange.requiredNumber("first");
        long last = exchange.requiredNumber("last");
        if (!generating.compareAndSet(false, true)) {
            throw new RequestFault(400, "participation key generation already in progress");
        }
        exchange.bytes(ResponseHead.TEXT).writeCharSequence("{}", StandardCharsets.UTF_8);
        exchange.sendAsIs(200);
        try {
            refuseToFollow(500, "install");
            ParticipationKeys made =
                    store.install(generator.generate(address, first, last, dilution));
            LOG.log(Level.INFO, "made participation keys {0}", made.id());
        } catch (KeyFault | RequestFault refused) {
            LOG.log(Level.WARNING, "no participation keys made: {0}", refused.getMessage());
        } finally {
            generating.set(false);
        }
    }

    private void refuseToFollow(int status, String verb) {
        if (followMode) {
            String plural = verb.equals("append") ? "keys" : "key";
            throw new RequestFault(
                    status, "cannot " + verb + " participation " + plural + " in follower mode");
        }
    }

    private static Digest id(Exchange exchange) {
        String text = exchange.segment(0);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!(c >= 'A' && c <= 'Z') && !(c >= '2' && c <= '7')) {
                throw new RequestFault(400, "illegal base32 data at input byte " + i);
            }
        }
        try {
            return Digest.parse(text);
        } catch (IllegalArgumentException e) {
            throw new RequestFault(
                    400, "Attempted to decode a string which was not a Digest: \"" + text + "\"");
        }
    }
}
