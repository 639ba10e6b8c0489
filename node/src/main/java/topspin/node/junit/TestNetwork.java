package topspin.node.junit;

import topspin.ledger.Ledger;
import topspin.ledger.store.FolderTree;
import topspin.node.HostPort;
import topspin.node.LocalNetwork;
import topspin.node.LocalNetwork.Member;
import topspin.node.NetworkTemplate;
import topspin.node.NetworkTemplate.Wallet;
import topspin.node.Node;
import topspin.node.NodeConfig;
import topspin.node.NodeFault;
import topspin.node.RunningNode;
import topspin.node.WalletFile;
import topspin.node.devmode.BlockMode;
import topspin.node.devmode.BlockPacer;
import topspin.node.devmode.SnapshotFolder;
import topspin.node.devmode.Snapshots;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A network of nodes in this JVM, on free ports of loopback, in a temporary folder that goes with
 * it. The first node makes the blocks. {@link TopspinNetwork} makes one for a test; without JUnit,
 * {@link #start} does. Any thread.
 */
public final class TestNetwork implements AutoCloseable {
    private static final int ACCOUNTS = 10;
    private static final Duration WAIT_MAX = Duration.ofSeconds(30);
    private static final long POLL_NANOS = 1_000_000;

    /** Ports are found free and then taken; another test may be faster. */
    private static final int STARTS_MAX = 3;

    private final Path folder;
    private final LocalNetwork network;
    private volatile List<RunningNode> nodes = List.of();
    private final List<Account> accounts;
    private final NetworkClock clock;

    /**
     * Starts a network; returns when all its nodes serve and are connected.
     *
     * @param nodes 1 to 16
     * @param blocks any mode but agreement
     * @throws IllegalArgumentException for another number or mode
     * @throws IllegalStateException if it does not start, with the reason
     */
    public static TestNetwork start(int nodes, BlockMode blocks) {
        if (blocks instanceof BlockMode.Agreement) {
            throw new IllegalArgumentException("a test's network makes blocks at will");
        }
        for (int attempt = 1; ; attempt++) {
            try {
                return new TestNetwork(nodes, blocks);
            } catch (NodeFault fault) {
                if (attempt == STARTS_MAX) {
                    throw new IllegalStateException(fault.line(), fault);
                }
            }
        }
    }

    private TestNetwork(int count, BlockMode blocks) throws NodeFault {
        folder = temporary();
        boolean done = false;
        try {
            LocalNetwork.Plan plan = new LocalNetwork.Plan(count, blocks, LocalNetwork.Plan.V42, 0);
            Path home = folder.resolve("network");
            network = LocalNetwork.create(home, template(), plan, folder);
            startNodes();
            accounts =
                    network.wallet().entries().stream()
                            .map(
                                    (WalletFile.Entry entry) ->
                                            new Account(
                                                    entry.address().toString(), entry.mnemonic()))
                            .toList();
            clock = new NetworkClock(this::pacer, this::latestTime);
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private void startNodes() throws NodeFault {
        for (Member member : network.members()) {
            Path data = member.folder();
            NodeConfig config = NodeConfig.read(data.resolve("config.json"));
            List<RunningNode> more = new ArrayList<>(nodes);
            more.add(RunningNode.start(data, config, InstantSource.system()));
            nodes = List.copyOf(more); // One by one, so that a failure closes those before it.
        }
        awaitConnected();
    }

    /** The one that makes the blocks goes last, so that no other knows more of them. */
    private void closeNodes() {
        nodes.reversed().forEach(RunningNode::close);
        nodes = List.of();
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("topspin");
        } catch (IOException refused) {
            throw new UncheckedIOException("no temporary folder", refused);
        }
    }

    /** Ten accounts with a tenth of the money each. */
    private static NetworkTemplate template() {
        List<Wallet> wallets =
                IntStream.rangeClosed(1, ACCOUNTS)
                        .mapToObj(
                                number ->
                                        new Wallet(
                                                "wallet%02d".formatted(number),
                                                BigDecimal.valueOf(100 / ACCOUNTS),
                                                false))
                        .toList();
        return new NetworkTemplate("topspin", "v42", wallets, "");
    }

    /** What is submitted anywhere reaches all: each node has those it passes transactions on to. */
    private void awaitConnected() {
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i).node();
            int wanted = nodes.size() == 1 ? 0 : i == 0 ? nodes.size() - 1 : 1;
            long end = System.nanoTime() + WAIT_MAX.toNanos();
            while (node.gossip().meshSize() < wanted) {
                if (System.nanoTime() - end > 0) {
                    throw new IllegalStateException(
                            "node " + (i + 1) + " is not connected after " + WAIT_MAX);
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    /** Where each node serves, in order. */
    public List<Endpoint> endpoints() {
        return nodes.stream().map(running -> endpoint(running.node())).toList();
    }

    private static Endpoint endpoint(Node node) {
        String address = new HostPort("127.0.0.1", node.restAddress().getPort()).toString();
        return new Endpoint(URI.create("http://" + address), node.tokens().api().orElseThrow());
    }

    /** The funded accounts. */
    public List<Account> accounts() {
        return accounts;
    }

    /** The time of blocks. */
    public NetworkClock clock() {
        return clock;
    }

    /** The latest round of the node that makes the blocks. */
    public long round() {
        return nodes.getFirst().node().ledger().view().round();
    }

    /**
     * Makes blocks of what waits.
     *
     * @param count at least 1
     * @return the round of the last one, which every node has by then
     * @throws IllegalStateException if they are not there within half a minute
     */
    public long makeBlocks(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("at least one block is made, not " + count);
        }
        long round = 0;
        try {
            for (int i = 0; i < count; i++) {
                round = pacer().makeBlock().get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS);
            }
            for (RunningNode running : nodes) {
                Ledger ledger = running.node().ledger();
                var unused = ledger.reached(round).get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS);
            }
            return round;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted before the block was made", stop);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException("no block after round " + round, failed);
        }
    }

    /**
     * Keeps how all nodes are now: ledgers, pools and the clock. A snapshot of the same name is
     * replaced; there are {@value SnapshotFolder#SNAPSHOTS_MAX} at most.
     *
     * @param name 1 to 64 letters, digits, {@code _} or {@code -}
     * @throws IllegalArgumentException for another name, or when there are too many
     */
    public synchronized void snapshot(String name) {
        SnapshotFolder.checkName(name);
        try {
            // The one that makes the blocks goes last, so that no other knows more of them.
            for (RunningNode node : nodes.reversed()) {
                var unused = snapshots(node).take(name);
            }
        } catch (IOException refused) {
            throw new UncheckedIOException("no snapshot", refused);
        }
    }

    /**
     * Goes back to a snapshot: ledgers, pools and the clock, as often as wanted. The nodes stop for
     * it and start again at the same addresses; what they remember of earlier requests is gone.
     *
     * @throws IllegalArgumentException for a bad name
     * @throws NoSuchElementException if there is none of that name
     * @throws IllegalStateException if a node does not start again, with the reason
     */
    public synchronized void revert(String name) {
        try {
            for (RunningNode node : nodes) {
                node.revert(name);
            }
            for (RunningNode node : nodes) {
                snapshots(node).resume();
            }
            awaitConnected();
        } catch (IOException refused) {
            throw new UncheckedIOException("no way back", refused);
        } catch (NodeFault fault) {
            throw new IllegalStateException(fault.line(), fault);
        }
    }

    private static Snapshots snapshots(RunningNode node) {
        return node.node().snapshots().orElseThrow();
    }

    private BlockPacer pacer() {
        return nodes.getFirst().node().pacer().orElseThrow();
    }

    private Instant latestTime() {
        return Instant.ofEpochSecond(nodes.getFirst().node().ledger().view().header().timestamp());
    }

    /** Closes all nodes and deletes their folder. Idempotent. */
    @Override
    public synchronized void close() {
        closeNodes();
        try {
            FolderTree.delete(folder);
        } catch (IOException refused) {
            throw new UncheckedIOException(folder + " stays behind", refused);
        }
    }
}
