package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;
import static io.netty.handler.codec.http.HttpMethod.POST;

import topspin.net.Peer;
import topspin.node.devmode.BlockPacer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/** The node itself: its clock in dev mode, its peers, its switches (rest.md section 4). */
final class ControlRoutes {
    private static final String GET_OFFSET = "failed retrieving timestamp offset from node: ";
    private static final String SET_OFFSET = "failed to set timestamp offset on the node: ";

    private final NodeParts node;
    private final RestConfig config;

    ControlRoutes(NodeParts node, RestConfig config) {
        this.node = node;
        this.config = config;
    }

    List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        routes.add(
                Route.of(
                        GET,
                        "/v2/devmode/blocks/offset",
                        Access.PUBLIC,
                        "Seconds from one block to the next.",
                        this::offset));
        routes.add(
                Route.of(
                        POST,
                        "/v2/devmode/blocks/offset/{offset}",
                        Access.PUBLIC,
                        "Sets the seconds from one block to the next.",
                        this::setOffset));
        if (config.experimentalApi()) {
            routes.add(
                    Route.of(
                            GET,
                            "/v2/experimental",
                            Access.PUBLIC,
                            "That experimental routes are there.",
                            exchange -> {
                                exchange.json().bool(true);
                                exchange.send(200);
                            }));
        }
        for (String path : List.of("/v2/shutdown", "/v2/node/shutdown")) {
            routes.add(
                    Route.of(
                                    POST,
                                    path,
                                    Access.ADMIN,
                                    "Does nothing; the reference answers so, too.",
                                    ControlRoutes::shutdown)
                            .reads("timeout"));
        }
        routes.add(Route.of(GET, "/v2/node/peers", Access.ADMIN, "Who is connected.", this::peers));
        for (String verb : List.of("compile", "disassemble")) {
            routes.add(
                    Route.of(
                                    POST,
                                    "/v2/teal/" + verb,
                                    Access.PUBLIC,
                                    "Programs are not supported.",
                                    exchange -> teal(verb, exchange))
                            .reads("sourcemap")
                            .withBody(512 << 10));
        }
        return routes;
    }

    private void offset(Exchange exchange) {
        BlockPacer pacer = node.pacer();
        if (pacer == null) {
            throw new RequestFault(
                    400,
                    GET_OFFSET
                            + "cannot get block timestamp offset because we are not in dev mode");
        }
        OptionalLong offset = pacer.offset();
        if (offset.isEmpty()) {
            throw new RequestFault(
                    404,
                    GET_OFFSET
                            + "block timestamp offset was never set, using real clock for"
                            + " timestamps");
        }
        exchange.json().beginObject().name("offset").uint(offset.getAsLong()).endObject();
        exchange.send(200);
    }

    private void setOffset(Exchange exchange) {
        long seconds = exchange.number(0, "offset");
        BlockPacer pacer = node.pacer();
        if (pacer == null) {
            throw new RequestFault(
                    400,
                    SET_OFFSET
                            + (config.followMode()
                                    ? "cannot set block timestamp offset in follower mode"
                                    : "cannot set block timestamp offset when not in dev mode"));
        }
        if (seconds < 0) {
            throw new RequestFault(
                    400,
                    SET_OFFSET + "block timestamp offset cannot be larger than max int64 value");
        }
        pacer.setOffset(seconds);
        exchange.empty(200);
    }

    private static void shutdown(Exchange exchange) {
        String timeout = exchange.query("timeout");
        if (timeout != null) {
            GoText.parseInt("timeout", timeout);
        }
        exchange.text(501, "Endpoint not implemented.");
    }

    private void peers(Exchange exchange) {
        List<Peer> sorted = new ArrayList<>(node.peers().get());
        sorted.sort(Comparator.comparing(Peer::outbound).thenComparing(Peer::address));
        JsonWriter json = exchange.json().beginObject().name("Peers").beginArray();
        for (Peer peer : sorted) {
            json.beginObject();
            json.name("connection-type").string(peer.outbound() ? "outbound" : "inbound");
            json.name("network-address").string(peer.address());
            json.name("network-type").string("p2p").endObject();
        }
        json.endArray().endObject();
        exchange.send(200);
    }

    private void teal(String verb, Exchange exchange) {
        if (config.developerApi()) {
            exchange.fault(501, "/teal/" + verb + " is not supported: this node runs no programs");
        } else {
            exchange.text(
                    404,
                    "/teal/"
                            + verb
                            + " was not enabled in the configuration file by setting the"
                            + " EnableDeveloperAPI to true");
        }
    }
}
