package topspin.loadgen;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A chain that takes anything: blocks in the network's own encoding, no rules. Any thread. */
final class StubChain implements AutoCloseable {
    private static final Key BLOCK = Key.of("block");
    private static final Key CERTIFICATE = Key.of("cert");

    static final String GENESIS_ID = "stub-v1";
    static final Digest GENESIS_HASH = Digest.fromBytes(bytes());

    private final ScheduledExecutorService ticker =
            Executors.newSingleThreadScheduledExecutor(
                    task -> Thread.ofPlatform().daemon().name("stub-chain").unstarted(task));
    private final List<TransactionGroup> pool = new ArrayList<>();
    private final List<byte[]> blocks = new ArrayList<>();
    private final Map<String, Long> confirmed = new HashMap<>();
    private final Map<String, String> poolErrors = new HashMap<>();
    private final Map<Address, Long> balances = new HashMap<>();
    private final Map<String, Long> assets = new HashMap<>();
    private long nextAsset = 1_001;
    private boolean emptyBlocks = true;

    StubChain() {
        produce(); // Round 1, so that there is one.
    }

    private static byte[] bytes() {
        var bytes = new byte[32];
        java.util.Arrays.fill(bytes, (byte) 7);
        return bytes;
    }

    /** A block every so often, until closed. */
    void everyMillis(long millis) {
        var unused = ticker.scheduleAtFixedRate(this::tick, millis, millis, TimeUnit.MILLISECONDS);
    }

    /**
     * From now on no round passes while nothing waits: on a machine that stands still for a while,
     * transactions do not grow old.
     */
    synchronized void noEmptyBlocks() {
        emptyBlocks = false;
    }

    private synchronized void tick() {
        if (emptyBlocks || !pool.isEmpty()) {
            produce();
        }
    }

    synchronized void give(Address address, long amount) {
        balances.merge(address, amount, Long::sum);
    }

    synchronized long balance(Address address) {
        return balances.getOrDefault(address, 0L);
    }

    synchronized void submit(TransactionGroup group) {
        pool.add(group);
    }

    /** Says of a transaction that it was thrown out. */
    synchronized void drop(Digest id, String error) {
        poolErrors.put(id.toString(), error);
    }

    /** Makes a block of all that waits. */
    synchronized void produce() {
        long round = blocks.size() + 1;
        var entries = new ArrayList<BlockTransaction>();
        for (TransactionGroup group : pool) {
            for (SignedTransaction transaction : group) {
                entries.add(BlockTransaction.of(transaction, ApplyData.ZERO));
                String id = transaction.id().toString();
                confirmed.put(id, round);
                if (transaction.txn() instanceof Payment payment) {
                    balances.merge(payment.receiver(), payment.amount(), Long::sum);
                } else if (transaction.txn() instanceof AssetConfig config && config.asset() == 0) {
                    assets.put(id, nextAsset++);
                }
            }
        }
        pool.clear();
        var header = new BlockHeader.Draft();
        header.round = round;
        header.genesisId = GENESIS_ID;
        header.genesisHash = GENESIS_HASH;
        var served = new CanonicalWriter();
        served.writeMapHeader(2);
        served.key(BLOCK);
        BlockEncoder.encode(new Block(header.build(), entries), served);
        served.key(CERTIFICATE);
        served.writeMapHeader(0);
        blocks.add(served.toByteArray());
        notifyAll();
    }

    synchronized long round() {
        return blocks.size();
    }

    /** The round reached, once it is past {@code round} or the time is up. */
    synchronized long awaitAfter(long round, long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (round() <= round && System.nanoTime() < deadline) {
            wait(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
        }
        return round();
    }

    synchronized byte[] block(long round) {
        return round >= 1 && round <= blocks.size() ? blocks.get((int) round - 1) : new byte[0];
    }

    synchronized int waiting() {
        return pool.stream().mapToInt(TransactionGroup::size).sum();
    }

    /** The body of a pending-transaction reply; empty if nothing is known. */
    synchronized String pending(String id) {
        if (confirmed.containsKey(id)) {
            return "{\"pool-error\":\"\",\"confirmed-round\":"
                    + confirmed.get(id)
                    + (assets.containsKey(id) ? ",\"asset-index\":" + assets.get(id) : "")
                    + "}";
        }
        String error = poolErrors.get(id);
        if (error != null) {
            return "{\"pool-error\":\"" + error + "\"}";
        }
        boolean waits = pool.stream().anyMatch(group -> group.first().id().toString().equals(id));
        return waits ? "{\"pool-error\":\"\"}" : "";
    }

    @Override
    public void close() {
        ticker.shutdownNow();
    }
}
