package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.Certificate;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.OnlineStake.RoundSums;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.StoredForm;
import topspin.ledger.store.Column;
import topspin.ledger.store.LedgerStore;
import topspin.ledger.store.Recovery;
import topspin.ledger.store.Recovery.Link;
import topspin.ledger.store.RocksStore;
import topspin.ledger.store.StoreFault;
import topspin.ledger.store.Witness;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The chain and the state it leads to. One thread adds blocks; any thread reads.
 *
 * <pre>
 *   add ─► one batch: block, certificate, changes, ids, stake ─► fsync ─► view() ─► listeners ─► reached()
 * </pre>
 *
 * <p>A round is durable before anybody sees it (I9). What it takes is bounded: the store by its
 * configuration, memory by the caches named in {@link LedgerConfig} and by {@link #VIEWS_MAX}.
 */
public final class Ledger implements AutoCloseable {
    /** How long a view that has been superseded can be read: longer than any request takes. */
    public static final long VIEW_NANOS = 10_000_000_000L;

    /** Views that can be read at most, since each keeps the store from forgetting. */
    public static final int VIEWS_MAX = 256;

    /** Views that can be read in any case, the latest aside. */
    public static final int VIEWS_MIN = 8;

    /** Futures of {@link #reached} that may be waiting. */
    public static final int WAITERS_MAX = 16_384;

    /** Rounds between two requests to free the space of pruned blocks. */
    private static final long RECLAIM_ROUNDS = 256;

    private record Retired(LedgerView view, long sinceNanos) {}

    private record Waiter(long round, long number) implements Comparable<Waiter> {
        @Override
        public int compareTo(Waiter that) {
            return round != that.round
                    ? Long.compareUnsigned(round, that.round)
                    : Long.compare(number, that.number);
        }
    }

    private final LedgerStore store;
    private final @Nullable Witness witness;
    private final LedgerConfig config;
    private final LongSupplier nanoTime;
    private final BlockTimes blockTimes;
    private final LedgerView.Shared shared;
    private final long genesisMoney;

    private final List<RoundListener> listeners = new CopyOnWriteArrayList<>();
    private final ConcurrentSkipListMap<Waiter, CompletableFuture<Long>> waiters =
            new ConcurrentSkipListMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waiterNumber = new AtomicLong();

    // The writer's.
    private final StoredForm form = new StoredForm();
    private final StoredDelta deltaForm = new StoredDelta();

    /** Where blocks are encoded; grows to the largest, some megabytes. */
    private final CanonicalWriter encoded = new CanonicalWriter();

    private final Deque<Retired> retired = new ArrayDeque<>();

    /** All that can be read, the latest too. */
    private final ConcurrentSkipListMap<Long, LedgerView> readable = new ConcurrentSkipListMap<>();

    private long first;
    private @Nullable StoreFault fault;

    /** Written by {@link #close}; also read by whoever is about to wait. */
    private volatile boolean closed;

    private final AtomicLong commitNanos = new AtomicLong();

    private volatile LedgerView view;

    /**
     * Opens the ledger in a folder, or makes it with round 0 of the genesis.
     *
     * @throws StoreFault with one line that says what is wrong and what to do: the folder is in
     *     use, damaged, of another network, of a later format, or the machine refuses
     * @throws IllegalArgumentException when no chain can start from the genesis, or its protocol is
     *     not known here
     */
    public static Ledger open(Path dir, Genesis genesis, LedgerConfig config) {
        RocksStore store = RocksStore.open(dir, config.store());
        Witness witness = null;
        try {
            witness = Witness.open(dir);
            return new Ledger(store, witness, genesis, config, System::nanoTime);
        } catch (RuntimeException refused) {
            if (witness != null) {
                witness.close();
            }
            store.close();
            throw refused;
        }
    }

    /**
     * A ledger over a store that is open already, and that it closes in the end; for simulations.
     *
     * @param nanoTime decides how long old views can be read, and times commits
     */
    public static Ledger over(
            LedgerStore store, Genesis genesis, LedgerConfig config, LongSupplier nanoTime) {
        return new Ledger(store, null, genesis, config, nanoTime);
    }

    private Ledger(
            LedgerStore store,
            @Nullable Witness witness,
            Genesis genesis,
            LedgerConfig config,
            LongSupplier nanoTime) {
        this.store = store;
        this.witness = witness;
        this.config = config;
        this.nanoTime = nanoTime;
        this.blockTimes = new BlockTimes(nanoTime);
        ConsensusParams params = params(genesis.protocol());
        StateDelta start = genesis.delta(params);
        this.genesisMoney = start.totals().money();
        Recovery.Found found =
                Recovery.check(
                        store,
                        genesis.hash(),
                        genesis.id(),
                        witness == null ? Witness.NOTHING : witness.round(),
                        Headers.KEPT);
        long round = found == null ? 0 : found.round();
        this.shared =
                new LedgerView.Shared(
                        genesis,
                        config.versions(),
                        new Headers(),
                        new RecordCache<>(config.cachedAccounts(), round),
                        new TxTail(round),
                        new OnlineStake());
        if (found == null) {
            Block block = genesis.block(params);
            Link link = link(block);
            byte[] certificate = Certificate.ofRound(0).encoding().toArray();
            RoundSums sums = commit(block, certificate, start, RoundSums.NONE, params);
            shared.headers().add(link);
            this.view = new LedgerView(shared, store.snapshot(), link, sums, first);
        } else {
            first = found.first();
            found.links().forEach(shared.headers()::add);
            Link link = found.links().getLast();
            params(link.header().protocol());
            LedgerStore.Snapshot snapshot = store.snapshot();
            this.view =
                    new LedgerView(
                            shared, snapshot, link, OnlineStake.sums(round, snapshot), first);
            if (witness != null) {
                witness.note(round);
            }
        }
        readable.put(view.round(), view);
        if (view.totals().money() != genesisMoney) {
            throw StoreFault.damaged(
                    "round "
                            + round
                            + " has "
                            + Long.toUnsignedString(view.totals().money())
                            + " microAlgos, genesis had "
                            + Long.toUnsignedString(genesisMoney),
                    null);
        }
    }

    private ConsensusParams params(String protocol) {
        ConsensusParams params = config.versions().get(protocol);
        if (params == null) {
            throw new IllegalArgumentException(
                    "protocol version " + protocol + " is not known to this node");
        }
        return params;
    }

    // Reading.

    /** The state at the end of the latest round. */
    public LedgerView view() {
        return view;
    }

    /**
     * The state at the end of a round, or null if it is not to be had: that lies ahead, or back by
     * more than {@link #VIEWS_MIN} rounds, or before this ledger was opened.
     */
    public @Nullable LedgerView view(long round) {
        return readable.get(round);
    }

    /** The earliest round that {@link #view(long)} has. */
    public long firstView() {
        return readable.firstKey();
    }

    public Genesis genesis() {
        return shared.genesis();
    }

    /** The protocol versions that this node knows. */
    public ConsensusVersions versions() {
        return config.versions();
    }

    LedgerConfig config() {
        return config;
    }

    /**
     * The encoded block of a round as it is served, or null when it is not here: ahead, or pruned.
     */
    public byte @Nullable [] blockBytes(long round) {
        return round < 0 ? null : store.get(Column.BLOCKS, Column.number(round));
    }

    /** The encoded certificate of a round as it is served, or null when it is not here. */
    public byte @Nullable [] certificateBytes(long round) {
        return round < 0 ? null : store.get(Column.CERTIFICATES, Column.number(round));
    }

    /**
     * What a round changed, or null where that is not kept: {@link LedgerConfig#keepDeltas} says
     * how far back it is.
     *
     * @throws StoreFault when the disk refuses, or what it gives back is damaged
     */
    public @Nullable StateDelta storedDelta(long round) {
        byte[] bytes = round < 0 ? null : store.get(Column.DELTAS, Column.number(round));
        if (bytes == null) {
            return null;
        }
        try {
            return new StoredDelta().decode(round, bytes);
        } catch (MalformedMessage malformed) {
            throw StoreFault.damaged("changes of round " + round, malformed);
        }
    }

    /**
     * Completes with the latest round as soon as that is {@code round} or later: at once, or on the
     * thread that adds blocks, so a dependent stage without an executor must be short. Whoever
     * loses interest cancels or times out the future; it is then forgotten.
     *
     * <p>Completes exceptionally when the ledger is closed, and with {@link
     * RejectedExecutionException} when {@link #WAITERS_MAX} are waiting.
     */
    public CompletableFuture<Long> reached(long round) {
        long latest = view.round();
        if (Long.compareUnsigned(round, latest) <= 0) {
            return CompletableFuture.completedFuture(latest);
        }
        if (waiting.incrementAndGet() > WAITERS_MAX) {
            waiting.decrementAndGet();
            return CompletableFuture.failedFuture(
                    new RejectedExecutionException("too many are waiting for a round"));
        }
        var future = new CompletableFuture<Long>();
        var waiter = new Waiter(round, waiterNumber.getAndIncrement());
        waiters.put(waiter, future);
        var unused =
                future.whenComplete(
                        (reached, failure) -> {
                            waiters.remove(waiter);
                            waiting.decrementAndGet();
                        });
        wake(view.round()); // It may have come between the look and the put.
        if (closed) { // Nobody looks through the waiters any more.
            future.completeExceptionally(gone());
        }
        return future;
    }

    private static IllegalStateException gone() {
        return new IllegalStateException("the ledger is closed");
    }

    private void wake(long latest) {
        for (Map.Entry<Waiter, CompletableFuture<Long>> first = waiters.firstEntry();
                first != null && Long.compareUnsigned(first.getKey().round, latest) <= 0;
                first = waiters.firstEntry()) {
            first.getValue().complete(latest);
            waiters.remove(first.getKey());
        }
    }

    /** Calls for every round from now on; see {@link RoundListener}. */
    public void addListener(RoundListener listener) {
        listeners.add(listener);
    }

    public void removeListener(RoundListener listener) {
        listeners.remove(listener);
    }

    /** SHA-512/256 over all state columns in key order. Reads all of them. */
    public Digest digest() {
        return view.digest();
    }

    // Writing.

    /**
     * Adds the next round. When this returns it is durable, and readers see it.
     *
     * @param certificate as it is served
     * @param delta what the block changes, by an evaluator on {@link #view}
     * @throws IllegalArgumentException when the block does not follow the latest, or the delta is
     *     not its own
     * @throws IllegalStateException when money would be made or lost
     * @throws StoreFault when the disk refuses; from then on every call throws it. The round may be
     *     there when the ledger is opened again
     */
    public synchronized void add(Block block, byte[] certificate, StateDelta delta) {
        if (fault != null) {
            throw fault;
        }
        if (closed) {
            throw gone();
        }
        LedgerView before = view;
        requireNext(before, block, delta);
        long begun = blockTimes.begin();
        try {
            append(before, block, certificate, delta);
        } finally {
            blockTimes.end(begun);
        }
    }

    /**
     * Writes blocks and state into a folder that is not there yet, for a ledger to be opened on; no
     * round is added meanwhile. Files that never change are shared with it, so it takes little time
     * and room.
     *
     * @return what is in it
     * @throws StoreFault when the disk refuses; this ledger goes on
     */
    public synchronized LedgerView copyTo(Path folder) {
        if (closed) {
            throw gone();
        }
        store.copyTo(folder);
        return view;
    }

    private void append(LedgerView before, Block block, byte[] certificate, StateDelta delta) {
        ConsensusParams params = params(block.header().protocol());
        Link link = link(block);
        RoundSums sums;
        try {
            sums = commit(block, certificate, delta, before.sums(), params);
        } catch (StoreFault refused) {
            fault = refused;
            throw refused;
        }
        shared.headers().add(link);
        shared.tail().remember(delta);
        shared.accounts().begin(delta.round());
        for (StateDelta.AccountChange change : delta.accounts()) {
            shared.accounts().change(change.address(), change.after());
        }
        LedgerView next = new LedgerView(shared, store.snapshot(), link, sums, first);
        readable.put(next.round(), next);
        view = next;
        retire(before);
        for (RoundListener listener : listeners) {
            listener.roundAdded(next, block, delta);
        }
        wake(next.round());
    }

    private void requireNext(LedgerView before, Block block, StateDelta delta) {
        long round = before.round() + 1;
        if (block.round() != round || delta.round() != round) {
            throw new IllegalArgumentException(
                    "round "
                            + round
                            + " is next, not block "
                            + block.round()
                            + " with the changes of "
                            + delta.round());
        }
        if (!block.header().previous().equals(before.headerHash())) {
            throw new IllegalArgumentException(
                    "block " + round + " does not follow " + before.headerHash());
        }
        if (delta.totals().money() != genesisMoney) {
            throw new IllegalStateException(
                    "round "
                            + round
                            + " would have "
                            + Long.toUnsignedString(delta.totals().money())
                            + " microAlgos, genesis had "
                            + Long.toUnsignedString(genesisMoney));
        }
    }

    private static Link link(Block block) {
        byte[] header = BlockEncoder.encodeHeader(block.header());
        // Kept for thousands of rounds, so without the arrays of the whole block.
        BlockHeader kept = block.header().compact();
        return new Link(kept, Digest.fromBytes(Sha512_256.digest(Domain.BH, header)));
    }

    /** Everything about a round, in one durable batch. Returns the sums after it. */
    private RoundSums commit(
            Block block,
            byte[] certificate,
            StateDelta delta,
            RoundSums previous,
            ConsensusParams params) {
        long start = nanoTime.getAsLong();
        long round = delta.round();
        RoundSums sums;
        try (LedgerStore.Snapshot before = store.snapshot();
                LedgerStore.Batch batch = store.batch()) {
            byte[] key = Column.number(round);
            BlockEncoder.encode(block, encoded.reset());
            batch.put(Column.BLOCKS, key, encoded.toByteArray());
            batch.put(Column.CERTIFICATES, key, certificate);
            batch.put(Column.HEADERS, key, BlockEncoder.encodeHeader(block.header()));
            putState(delta, batch);
            sums = shared.stake().write(delta, previous, params, before, batch);
            shared.tail().write(delta, before, batch);
            if (round == 0) {
                Recovery.mark(batch, genesis().hash(), genesis().id());
            }
            Recovery.markRound(batch, round);
            putDelta(delta, batch);
            prune(round, batch);
            batch.commit();
        }
        if (witness != null) {
            witness.note(round);
        }
        if (config.keepRounds() != LedgerConfig.ALL_ROUNDS && round % RECLAIM_ROUNDS == 0) {
            for (Column column : PRUNED) {
                store.reclaim(column, Column.number(0), Column.number(first));
            }
        }
        commitNanos.addAndGet(nanoTime.getAsLong() - start);
        return sums;
    }

    private void putState(StateDelta delta, LedgerStore.Batch batch) {
        for (StateDelta.AccountChange change : delta.accounts()) {
            byte[] key = Column.address(change.address());
            if (change.after().isEmpty()) {
                batch.delete(Column.ACCOUNTS, key);
            } else {
                batch.put(Column.ACCOUNTS, key, form.encode(change.after()));
            }
        }
        for (StateDelta.HoldingChange change : delta.holdings()) {
            byte[] key = Column.holding(change.address(), change.asset());
            Holding after = change.after();
            if (after == null) {
                batch.delete(Column.HOLDINGS, key);
            } else {
                batch.put(Column.HOLDINGS, key, form.encode(after));
            }
        }
        for (StateDelta.AssetChange change : delta.assets()) {
            byte[] key = Column.number(change.asset());
            AssetRecord after = change.after();
            if (after == null) {
                batch.delete(Column.ASSETS, key);
            } else {
                batch.put(Column.ASSETS, key, form.encode(after));
            }
        }
    }

    /** The changes themselves, and no more rounds of them than are wanted. */
    private void putDelta(StateDelta delta, LedgerStore.Batch batch) {
        long round = delta.round();
        if (config.keepDeltas() == 0 || round == 0) {
            return;
        }
        batch.put(Column.DELTAS, Column.number(round), deltaForm.encode(delta));
        long keepFrom = round - config.keepDeltas() + 1;
        if (keepFrom > 1) {
            batch.deleteRange(Column.DELTAS, Column.number(0), Column.number(keepFrom));
        }
    }

    private static final List<Column> PRUNED =
            List.of(Column.BLOCKS, Column.CERTIFICATES, Column.HEADERS);

    /** Takes blocks out that are older than what is kept. */
    private void prune(long round, LedgerStore.Batch batch) {
        long keepFrom = round - config.keepRounds() + 1;
        if (config.keepRounds() == LedgerConfig.ALL_ROUNDS || keepFrom <= first) {
            return;
        }
        for (Column column : PRUNED) {
            if (keepFrom == first + 1) {
                batch.delete(column, Column.number(first));
            } else { // The ledger was opened with a smaller number of rounds to keep.
                batch.deleteRange(column, Column.number(first), Column.number(keepFrom));
            }
        }
        Recovery.markFirst(batch, keepFrom);
        first = keepFrom;
    }

    /** Closes views that nobody should still be reading. */
    private void retire(LedgerView superseded) {
        long now = nanoTime.getAsLong();
        retired.addLast(new Retired(superseded, now));
        while (retired.size() > VIEWS_MIN
                && (retired.size() >= VIEWS_MAX
                        || now - retired.getFirst().sinceNanos > VIEW_NANOS)) {
            LedgerView oldest = retired.removeFirst().view;
            readable.remove(oldest.round());
            oldest.close();
        }
    }

    // Agreement's journal.

    private static final byte[] JOURNAL = Column.name("agreement");

    /**
     * Replaces what agreement keeps about its own votes; durable when this returns. Apart from
     * rounds, so any thread may call it.
     *
     * @param state all of it but what is large and stays for several writes
     * @param added of that, what is new, by names that no two have in common
     * @param dropped the names of what is no longer wanted
     * @throws StoreFault when the disk refuses; then nothing has changed
     */
    public void writeJournal(byte[] state, Map<Digest, Bytes> added, Set<Digest> dropped) {
        try (LedgerStore.Batch batch = store.batch()) {
            batch.put(Column.JOURNAL, JOURNAL, state);
            for (Map.Entry<Digest, Bytes> entry : added.entrySet()) {
                byte[] value = entry.getValue().compact().array();
                batch.put(Column.JOURNAL, Column.digest(entry.getKey()), value);
            }
            for (Digest name : dropped) {
                batch.delete(Column.JOURNAL, Column.digest(name));
            }
            batch.commit();
        }
    }

    /** What agreement wrote last, or null. */
    public byte @Nullable [] readJournal() {
        return store.get(Column.JOURNAL, JOURNAL);
    }

    /** What agreement wrote under a name and has not dropped, or null. */
    public byte @Nullable [] readJournal(Digest name) {
        return store.get(Column.JOURNAL, Column.digest(name));
    }

    // Figures.

    /** Native memory and disk in use. */
    public LedgerStore.Usage usage() {
        return store.usage();
    }

    /** When blocks were added; whoever evaluates one for this ledger notes that here too. */
    public BlockTimes blockTimes() {
        return blockTimes;
    }

    /** Time spent on making rounds durable since opening. */
    public long commitNanos() {
        return commitNanos.get();
    }

    /** Account records found in memory, and looked for there in vain, since opening. */
    public long cacheHits() {
        return shared.accounts().hits();
    }

    public long cacheMisses() {
        return shared.accounts().misses();
    }

    /** Futures of {@link #reached} that wait. */
    public int waiters() {
        return waiting.get();
    }

    /** Lets go of everything; views can no longer be read. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (CompletableFuture<Long> waiter : waiters.values()) {
            waiter.completeExceptionally(gone());
        }
        retired.forEach(old -> old.view.close());
        retired.clear();
        view.close();
        if (witness != null) {
            witness.close();
        }
        store.close();
    }
}
