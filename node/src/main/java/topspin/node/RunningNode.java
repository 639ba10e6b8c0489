package topspin.node;

import topspin.net.multiaddr.Multiaddr;
import topspin.node.devmode.SnapshotFolder;
import topspin.node.devmode.Snapshots;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * A node for as long as somebody wants it to run: when it goes back to a snapshot, the next one
 * takes its place, on the same folder, with the same settings and at the same addresses. Any
 * thread.
 */
public final class RunningNode implements AutoCloseable {
    /** How long a node may take to stop and start at a snapshot. */
    private static final long REVERT_SECONDS_MAX = 60;

    private final Path data;
    private final NodeConfig config;
    private final InstantSource clock;
    private final BooleanSupplier unwanted;
    private final SnapshotFolder snapshots;
    private final CompletableFuture<Optional<NodeFault>> stopped = new CompletableFuture<>();

    private volatile Node node;
    private volatile boolean closing;
    private long reverts;

    /** Completed with the next node, which is held, or with why there is none. */
    private volatile CompletableFuture<Node> next = new CompletableFuture<>();

    /**
     * Starts a node.
     *
     * @throws NodeFault as {@link Node#start} does
     */
    public static RunningNode start(Path data, NodeConfig config, InstantSource clock)
            throws NodeFault {
        return start(data, config, clock, () -> false);
    }

    /**
     * As above, given up where it stands once it is not wanted any more.
     *
     * @param unwanted asked before each part of the node, on the thread that starts it
     */
    public static RunningNode start(
            Path data, NodeConfig config, InstantSource clock, BooleanSupplier unwanted)
            throws NodeFault {
        return new RunningNode(data, config, clock, unwanted);
    }

    private RunningNode(Path data, NodeConfig config, InstantSource clock, BooleanSupplier unwanted)
            throws NodeFault {
        this.data = data;
        this.clock = clock;
        this.unwanted = unwanted;
        this.snapshots = new SnapshotFolder(data);
        this.node = Node.start(data, config, clock, unwanted);
        this.config = withPortsOf(node, config);
        watch(node);
    }

    /** Ports that were any free ones are kept, so that clients and peers find the next node. */
    private static NodeConfig withPortsOf(Node node, NodeConfig config) {
        int rest = node.restAddress().getPort();
        int gossip =
                node.gossipAddress()
                        .map(address -> Multiaddr.parse(address).socketAddress())
                        .map(InetSocketAddress::getPort)
                        .orElse(config.net().port());
        return config.withEndpoint(new HostPort(config.endpoint().host(), rest))
                .withNet(new HostPort(config.net().host(), gossip));
    }

    private void watch(Node running) {
        var unused = running.stopped().thenAccept(why -> ended(running, why));
    }

    private synchronized void ended(Node ended, Optional<NodeFault> why) {
        Optional<String> name = ended.goesBackTo();
        if (closing || name.isEmpty()) {
            stopped.complete(why);
            return;
        }
        CompletableFuture<Node> asked = next;
        next = new CompletableFuture<>();
        try {
            node = successor(name.get());
            watch(node);
            asked.complete(node);
        } catch (NodeFault | RuntimeException failed) {
            NodeFault fault =
                    failed instanceof NodeFault known
                            ? known
                            : NodeFault.stopped("an error of this program: " + failed, failed);
            stopped.complete(closing ? Optional.empty() : Optional.of(fault));
            asked.completeExceptionally(fault);
        }
    }

    private Node successor(String name) throws NodeFault {
        Snapshots.Return returned;
        try {
            snapshots.restore(name, data.resolve("ledger"));
            returned =
                    new Snapshots.Return(snapshots.find(name), snapshots.groups(name), ++reverts);
        } catch (IOException refused) {
            throw NodeFault.machine(
                    data
                            + ": snapshot "
                            + name
                            + " cannot be gone back to: "
                            + DataFolder.reason(refused),
                    refused);
        }
        return Node.startHeld(
                data, config, clock, () -> closing || unwanted.getAsBoolean(), returned);
    }

    /** The one that runs; after a revert another. */
    public Node node() {
        return node;
    }

    /**
     * Goes back to a snapshot; returns when the node serves again, held: {@link Snapshots#resume}
     * lets it go on.
     *
     * @throws NodeFault if it does not start again; then it has stopped
     * @throws java.util.NoSuchElementException if there is no snapshot of that name
     * @throws IllegalStateException on a network that agrees, which has none
     */
    public void revert(String name) throws NodeFault, IOException {
        CompletableFuture<Node> back = next;
        var unused =
                node.snapshots()
                        .orElseThrow(() -> new IllegalStateException("nodes agree here"))
                        .revert(name);
        try {
            back.get(REVERT_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw (NodeFault) Objects.requireNonNull(failed.getCause());
        } catch (TimeoutException slow) {
            throw NodeFault.stopped(
                    data + ": not back after " + REVERT_SECONDS_MAX + " seconds", slow);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stop);
        }
    }

    /** Completes when no node runs any more: empty if it was closed, else why it stopped. */
    public CompletableFuture<Optional<NodeFault>> stopped() {
        return stopped.copy();
    }

    /** Stops the node for good. Idempotent; returns when all is closed. */
    @Override
    public void close() {
        closing = true;
        Node last;
        synchronized (this) { // One that goes back is waited for, and closed.
            last = node;
        }
        last.close();
    }
}
