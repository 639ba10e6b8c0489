package topspin.node.junit;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.txn.SignedTransaction;
import topspin.node.HostPort;
import topspin.node.LocalNetwork;
import topspin.node.LocalNetwork.Member;
import topspin.node.NetworkTemplate;
import topspin.node.NetworkTemplate.Wallet;
import topspin.node.Node;
import topspin.node.NodeConfig;
import topspin.node.NodeFault;
import topspin.node.WalletFile;
import topspin.node.devmode.BlockMode;
import topspin.node.devmode.BlockPacer;
import topspin.node.ingest.Submission;
import topspin.node.ingest.TransactionTrace.Step;
import topspin.node.ingest.TransactionTrace.Story;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
    private final Map<String, Saved> snapshots = new HashMap<>();
    private volatile List<Node> nodes = List.of();
    private final List<Account> accounts;
    private final NetworkClock clock;

    /**
     * What a snapshot holds beside the folders.
     *
     * @param pools for each node the groups that waited, each as the bytes it came in
     */
    private record Saved(List<List<byte[]>> pools, BlockPacer.Time time) {}

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
            network = LocalNetwork.create(running(), template(), plan, folder);
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

    private Path running() {
        return folder.resolve("network");
    }

    private Path kept(String name) {
        return folder.resolve("snapshot-" + name);
    }

    private void startNodes() throws NodeFault {
        for (Member member : network.members()) {
            Path data = member.folder();
            NodeConfig config = NodeConfig.read(data.resolve("config.json"));
            List<Node> more = new ArrayList<>(nodes);
            more.add(Node.start(data, config, InstantSource.system()));
            nodes = List.copyOf(more); // One by one, so that a failure closes those before it.
        }
        awaitConnected();
    }

    /** The one that makes the blocks goes last, so that no other knows more of them. */
    private void closeNodes() {
        nodes.reversed().forEach(Node::close);
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
            Node node = nodes.get(i);
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
        return nodes.stream().map(TestNetwork::endpoint).toList();
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
        return nodes.getFirst().ledger().view().round();
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
            for (Node node : nodes) {
                var unused =
                        node.ledger().reached(round).get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS);
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
     * Keeps how all nodes are now: ledgers, pools and the clock. The nodes stop for it and start
     * again at the same addresses; what they remember of earlier requests is gone. A snapshot of
     * the same name is replaced.
     *
     * @param name 1 to 64 letters, digits, {@code _} or {@code -}
     * @throws IllegalStateException if a node does not start again, with the reason
     */
    public synchronized void snapshot(String name) {
        if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
            throw new IllegalArgumentException(
                    "a snapshot's name has 1 to 64 letters, digits, _ or -, not '" + name + "'");
        }
        Saved saved = new Saved(nodes.stream().map(TestNetwork::groups).toList(), clock.time());
        swap(
                () -> {
                    deleteTree(kept(name));
                    copyTree(running(), kept(name));
                },
                saved);
        snapshots.put(name, saved);
    }

    /**
     * Goes back to a snapshot: ledgers, pools and the clock, as often as wanted.
     *
     * @throws IllegalArgumentException if there is none of that name
     * @throws IllegalStateException if a node does not start again, with the reason
     */
    public synchronized void revert(String name) {
        Saved saved = snapshots.get(name);
        if (saved == null) {
            throw new IllegalArgumentException(
                    "no snapshot '" + name + "'; there are " + snapshots.keySet());
        }
        swap(
                () -> {
                    deleteTree(running());
                    copyTree(kept(name), running());
                },
                saved);
    }

    /** Something done to the folders of nodes that do not run. */
    @FunctionalInterface
    private interface Swap {
        void run() throws IOException;
    }

    private void swap(Swap change, Saved saved) {
        closeNodes();
        try {
            change.run();
            startNodes();
        } catch (IOException refused) {
            throw new UncheckedIOException("a snapshot cannot be copied", refused);
        } catch (NodeFault fault) {
            throw new IllegalStateException(fault.line(), fault);
        }
        pacer().setTime(saved.time);
        for (int i = 0; i < nodes.size(); i++) {
            for (byte[] group : saved.pools.get(i)) {
                fill(nodes.get(i), group);
            }
        }
    }

    /** What waits in a node's pool, group by group. */
    private static List<byte[]> groups(Node node) {
        List<byte[]> groups = new ArrayList<>();
        Digest last = Digest.ZERO;
        for (SignedTransaction member : node.pool().pending()) {
            Digest group = member.txn().group();
            byte[] bytes = member.toBytes();
            if (!group.isZero() && group.equals(last)) {
                byte[] before = groups.removeLast();
                byte[] both = Arrays.copyOf(before, before.length + bytes.length);
                System.arraycopy(bytes, 0, both, before.length, bytes.length);
                groups.add(both);
            } else {
                groups.add(bytes);
            }
            last = group;
        }
        return groups;
    }

    /**
     * Brings a group back into a pool, without a block for it; one that a block has is left out.
     */
    private static void fill(Node node, byte[] group) {
        if (!(node.ingest().submitAsync(group) instanceof Submission.Accepted(Digest first))) {
            throw new IllegalStateException("a group that waited is not taken again");
        }
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (!isSettled(node.ingest().trace().story(first))) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("a group that waited is not pooled again");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static boolean isSettled(@Nullable Story story) {
        return story != null
                && (story.end() != null
                        || story.moments().stream()
                                .anyMatch(moment -> moment.step() == Step.POOLED));
    }

    private BlockPacer pacer() {
        return nodes.getFirst().pacer().orElseThrow();
    }

    private Instant latestTime() {
        return Instant.ofEpochSecond(nodes.getFirst().ledger().view().header().timestamp());
    }

    /** Closes all nodes and deletes their folder. Idempotent. */
    @Override
    public synchronized void close() {
        closeNodes();
        try {
            deleteTree(folder);
        } catch (IOException refused) {
            throw new UncheckedIOException(folder + " stays behind", refused);
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Files.copy(
                        path,
                        to.resolve(from.relativize(path)),
                        StandardCopyOption.COPY_ATTRIBUTES,
                        LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    private static void deleteTree(Path root) throws IOException {
        if (Files.exists(root)) {
            try (Stream<Path> all = Files.walk(root)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}
