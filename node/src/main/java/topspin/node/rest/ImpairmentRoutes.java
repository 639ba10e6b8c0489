package topspin.node.rest;

import topspin.net.Impairment;

import java.time.Duration;
import java.util.List;

/** A network that is not well, for trials: what hinders this node's connections to others. */
final class ImpairmentRoutes {
    private final Impairment impairment;

    ImpairmentRoutes(Impairment impairment) {
        this.impairment = impairment;
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                        "/topspin/impairment",
                        Access.ADMIN,
                        "What hinders this node's connections.",
                        this::tell),
                Route.post(
                        "/topspin/impairment/slow/{milliseconds}",
                        Access.ADMIN,
                        "Hands on what peers send so much later.",
                        this::slow),
                Route.post(
                        "/topspin/impairment/partition",
                        Access.ADMIN,
                        "Ends all connections to peers, and lets none come about.",
                        exchange -> {
                            impairment.cutOff();
                            tell(exchange);
                        }),
                Route.post(
                        "/topspin/impairment/end",
                        Access.ADMIN,
                        "Hinders nothing any more.",
                        exchange -> {
                            impairment.end();
                            tell(exchange);
                        }));
    }

    private void slow(Exchange exchange) {
        long millis = exchange.number(0, "milliseconds");
        try {
            impairment.slow(Duration.ofMillis(millis));
        } catch (IllegalArgumentException refused) {
            throw new RequestFault(400, String.valueOf(refused.getMessage()));
        }
        tell(exchange);
    }

    private void tell(Exchange exchange) {
        JsonWriter json = exchange.json().beginObject();
        json.name("delay_ms").uint(impairment.delayNanos() / 1_000_000);
        json.name("partitioned").bool(impairment.isCutOff());
        json.endObject();
        exchange.send(200);
    }
}
