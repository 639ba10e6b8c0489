package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;

import java.util.ArrayList;
import java.util.List;

/** All paths that a node answers. */
public final class Routes {
    private Routes() {}

    /** The table for a node, by what its configuration offers. */
    public static RouteTable of(RestConfig config, NodeParts node) {
        Blocks blocks = new Blocks(node.ledger());
        List<Route> routes = new ArrayList<>();
        routes.addAll(new CommonRoutes(node).routes());
        routes.addAll(new StatusRoutes(node, config.limits()).routes());
        routes.addAll(new TransactionRoutes(node, config, blocks).routes());
        routes.addAll(new SimulateRoutes(node, config).routes());
        routes.addAll(new AccountRoutes(node.ledger(), AccountRoutes.RESOURCES_MAX).routes());
        routes.addAll(new BlockRoutes(node.ledger(), blocks).routes());
        routes.addAll(new LedgerRoutes(node.ledger()).routes());
        routes.addAll(new DeltaRoutes(node.deltas()).routes());
        if (node.sync() != null) {
            routes.addAll(new SyncRoutes(node.sync(), node.deltas()).routes());
        }
        routes.addAll(
                new ParticipationRoutes(node.keys(), node.keyGenerator(), config.followMode())
                        .routes());
        routes.addAll(new ControlRoutes(node, config).routes());
        routes.addAll(new OwnRoutes(node).routes());
        routes.add(new TraceRoute(node).route());
        routes.addAll(new Dashboard(node).routes());
        routes.addAll(new DevmodeRoutes(node).routes());
        routes.addAll(new SnapshotRoutes(node).routes());
        routes.addAll(new ImpairmentRoutes(node.impairment()).routes());
        routes.addAll(LegacyRoutes.routes());
        routes.add(
                Route.of(
                        GET,
                        "/swagger.json",
                        Access.OPEN,
                        "This description.",
                        exchange -> {
                            ApiDescription.write(routes, node.version(), exchange.json());
                            exchange.send(200);
                        }));
        return new RouteTable(routes);
    }
}
