package topspin.loadgen;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;

import topspin.loadgen.client.Endpoint;
import topspin.loadgen.client.NodeClient;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What all runs against a network share: the event loop, the nodes, the rounds they reach. */
final class Session implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final Clock clock;
    private final InstantSource wall;
    private final List<NodeClient> nodes;
    private final Queries.Params params;
    private final Rounds rounds;
    private final OwnProcess own = new OwnProcess();

    private Session(
            MultiThreadIoEventLoopGroup group,
            Clock clock,
            InstantSource wall,
            List<NodeClient> nodes,
            Queries.Params params) {
        this.group = group;
        this.loop = group.next();
        this.clock = clock;
        this.wall = wall;
        this.nodes = nodes;
        this.params = params;
        this.rounds = new Rounds(nodes, params.lastRound());
    }

    /**
     * Connects to the nodes and begins to follow their rounds.
     *
     * @throws LoadFault if one does not answer, or they are not of one network
     */
    static Session open(List<Endpoint> endpoints, Clock clock, InstantSource wall) {
        var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        List<NodeClient> nodes =
                endpoints.stream()
                        .map(endpoint -> new NodeClient(endpoint, group.next(), clock::nanos))
                        .toList();
        try {
            Queries.Params params = Queries.params(nodes.getFirst());
            for (NodeClient node : nodes) {
                if (!Queries.params(node).genesisHash().equals(params.genesisHash())) {
                    throw new LoadFault(
                            LoadFault.BAD_ARGUMENT,
                            node.name() + " is of another network than " + nodes.getFirst().name());
                }
            }
            var session = new Session(group, clock, wall, nodes, params);
            session.rounds.start();
            return session;
        } catch (LoadFault e) {
            shutDown(group, nodes);
            throw e;
        }
    }

    EventLoop loop() {
        return loop;
    }

    Clock clock() {
        return clock;
    }

    InstantSource wall() {
        return wall;
    }

    List<NodeClient> nodes() {
        return nodes;
    }

    /** As they were when the session began. */
    Queries.Params params() {
        return params;
    }

    Rounds rounds() {
        return rounds;
    }

    OwnProcess own() {
        return own;
    }

    @Override
    public void close() {
        rounds.close();
        own.close();
        shutDown(group, nodes);
    }

    private static void shutDown(MultiThreadIoEventLoopGroup group, List<NodeClient> nodes) {
        nodes.forEach(NodeClient::close);
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3_000);
    }
}
