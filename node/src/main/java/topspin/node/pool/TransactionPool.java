package topspin.node.pool;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.SignedTransaction;
import topspin.ledger.RoundState;
import topspin.ledger.StateDelta;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.VerifiedGroup;
import topspin.ledger.store.SnapshotClosed;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Groups that wait for a block, each evaluated once on the state that all before it leave behind
 * (validation.md, section 8).
 *
 * <p>The pool thread owns everything here; what others may read is {@link #pending}, {@link
 * #lookup} and the counters. Its duty cycle, in order of urgency: take rounds that became durable,
 * answer who wants a block, evaluate again what a round left, take in what is offered. When a block
 * has been handed out nothing more is taken in until its round is there, since it would be
 * evaluated twice; offers wait meanwhile. Where blocks compete the pool is told to go on at once
 * ({@link Assembly#release}), and what is offered from then on is for the round after, whichever
 * block wins this one.
 *
 * <p>Evaluating again takes long when much waits. A round whose transactions all waited here, as
 * most do, takes them from before the rest and leaves the state behind all of it what it was.
 * Meanwhile newcomers are judged on that former state: who can follow is in, and is evaluated again
 * in his turn; who cannot waits, with all behind him, to be judged on the new one.
 */
public final class TransactionPool implements AutoCloseable {
    /** Offers that may wait for the pool thread; then whoever offers waits. */
    private static final int OFFERS_MAX = 1024;

    /** Rounds that may wait for it; then the ledger does. */
    private static final int ROUNDS_MAX = 16;

    private static final int REQUESTS_MAX = 16;

    /** How many groups are taken or evaluated again before the more urgent is looked at. */
    private static final int SLICE = 64;

    /**
     * How many newcomers may follow a slice that was evaluated again: few enough that the end comes
     * nearer.
     */
    private static final int NEWCOMERS = 16;

    /** How often who waits for room looks whether the pool is still open. */
    private static final int PATIENCE_MILLIS = 100;

    private static final int GROUPS_FIRST = 1024;

    private final PoolConfig config;
    private final ConsensusVersions versions;
    private final LongSupplier nanoTime;
    private final Consumer<Throwable> fault;
    private final Thread thread;

    private final BlockingQueue<Offer> offers = new ArrayBlockingQueue<>(OFFERS_MAX);
    private final BlockingQueue<Round> rounds = new ArrayBlockingQueue<>(ROUNDS_MAX);
    private final BlockingQueue<Request> requests = new ArrayBlockingQueue<>(REQUESTS_MAX);
    private volatile boolean open = true;
    private volatile boolean asleep;
    private volatile boolean wantedByHand;

    private final ConcurrentHashMap<Digest, SignedTransaction> index = new ConcurrentHashMap<>();
    private final Evictions evictions;
    private final PoolCounters counters = new PoolCounters();
    private volatile Pending pending = Pending.NONE;
    private volatile long feePerByte;

    // From here on the pool thread's alone.
    private RoundState base;
    private Backlog backlog;
    private long feeMultiplier;
    private Waiter[] waiters = new Waiter[GROUPS_FIRST];
    private int groupCount;
    private int transactionCount;

    /** What a round left and is not evaluated again yet: {@code left[leftNext..leftCount)}. */
    private Waiter[] left = new Waiter[0];

    private int leftNext;
    private int leftCount;

    /** Of those how many were there when the round came; newcomers are behind them. */
    private int leftPassedOver;

    /** The state behind all that waits, as it was before the round; null if it does not hold. */
    private @Nullable Backlog former;

    /** A newcomer that could not follow {@link #former}: the next to be judged. */
    private @Nullable Offer postponed;

    private boolean blockWanted;
    private @Nullable Request request;

    /** Of what a block was handed out whose round is awaited; null if none is. Any thread. */
    private final AtomicReference<@Nullable Backlog> awaited = new AtomicReference<>();

    private record Offer(VerifiedGroup group, boolean wantsBlock, PoolSink sink) {}

    private record Round(RoundState state, StateDelta delta) {}

    /** Somebody wants a block: by {@code deadline}, or (null) as soon as an offer wants one. */
    private record Request(@Nullable Long deadline, CompletableFuture<Assembly> answer) {}

    /**
     * A pool on the newest state; {@link #start} sets it going.
     *
     * @param base the state of the latest round
     * @param versions protocol versions that this node knows
     * @param nanoTime a clock for deadlines, as {@link System#nanoTime}
     * @param fault told when the pool thread dies of an error of ours
     */
    public TransactionPool(
            PoolConfig config,
            RoundState base,
            ConsensusVersions versions,
            LongSupplier nanoTime,
            Consumer<Throwable> fault) {
        this.config = config;
        this.versions = versions;
        this.base = base;
        this.nanoTime = nanoTime;
        this.fault = fault;
        this.evictions = new Evictions(config.evictedMax());
        this.backlog = new Backlog(base, versions);
        this.thread = Thread.ofPlatform().name("pool").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /**
     * Offers a group; what becomes of it is told to {@code sink}. Waits while the pool thread is
     * behind. A closed pool drops it.
     *
     * @param wantsBlock whether nothing may share its block that comes after it; only where
     *     somebody calls {@link #assembleWhenWanted}
     */
    public void offer(VerifiedGroup group, boolean wantsBlock, PoolSink sink)
            throws InterruptedException {
        put(offers, new Offer(group, wantsBlock, sink));
    }

    /**
     * A round became durable: its groups leave, the rest is evaluated again on {@code state}. Waits
     * while the pool is rounds behind.
     */
    public void committed(RoundState state, StateDelta delta) {
        boolean interrupted = false;
        boolean done = false;
        while (!done) { // No round may be left out, so an interrupt has to wait.
            try {
                put(rounds, new Round(state, delta));
                done = true;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for room, but not for a pool that is closed or dead. */
    private <T> void put(BlockingQueue<T> queue, T element) throws InterruptedException {
        boolean done = false;
        while (open && !done) {
            done = queue.offer(element, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }
        wake();
    }

    /**
     * Asks for a block of what waits, at once when all of it is evaluated, else when a block is
     * full or the deadline (of the pool's clock) has come. The pool then holds until a round
     * becomes durable, or {@link Assembly#release}.
     */
    public CompletableFuture<Assembly> assemble(long deadlineNanos) {
        return ask(new Request(deadlineNanos, new CompletableFuture<>()));
    }

    /**
     * Asks for a block as soon as a group that wants one is in the pool; otherwise as {@link
     * #assemble}.
     */
    public CompletableFuture<Assembly> assembleWhenWanted() {
        return ask(new Request(null, new CompletableFuture<>()));
    }

    /** Wants a block as a group may, without a group; for {@link #assembleWhenWanted}. */
    public void wantBlock() {
        wantedByHand = true;
        wake();
    }

    private CompletableFuture<Assembly> ask(Request wish) {
        if (!open || !requests.offer(wish)) {
            wish.answer.cancel(false);
        }
        wake();
        if (!open) { // It may have closed in between, with nobody left to answer.
            wish.answer.cancel(false);
        }
        return wish.answer;
    }

    /** What waits now; the value never changes. Any thread. */
    public Pending pending() {
        return pending;
    }

    /** What the pool knows of a transaction; null if nothing. Any thread. */
    public @Nullable PoolEntry lookup(Digest id) {
        SignedTransaction waiting = index.get(id);
        return waiting != null ? new PoolEntry.Waiting(waiting) : evictions.find(id);
    }

    /** Whether a transaction waits. Any thread. */
    public boolean contains(Digest id) {
        return index.containsKey(id);
    }

    /**
     * What the last group was asked to pay for each byte, in microAlgos; 0 when idle. Any thread.
     */
    public long feePerByte() {
        return feePerByte;
    }

    public PoolCounters counters() {
        return counters;
    }

    /** Stops the pool thread. Offers and requests that wait get no answer but cancellation. */
    @Override
    public void close() {
        open = false;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException waitOn) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake() {
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        try {
            while (open) {
                boolean worked = takeRounds();
                worked |= answerRequest();
                if (!isHeld()) {
                    worked |= leftNext < leftCount ? catchUp() : takeOffers();
                }
                if (!worked) {
                    sleep();
                }
            }
        } catch (RuntimeException | Error ours) {
            fault.accept(ours);
        } finally {
            open = false;
            cancelRequests();
        }
    }

    /** The round of a block is awaited, or a group wants a block to itself. */
    private boolean isHeld() {
        return blockWanted || awaited.get() != null;
    }

    /** Whoever has a block does not want its round awaited. Another may have come meanwhile. */
    private void goOn(Backlog handedOut) {
        if (awaited.compareAndSet(handedOut, null)) {
            wake();
        }
    }

    private void cancelRequests() {
        if (request != null) {
            request.answer.cancel(false);
        }
        for (Request wish = requests.poll(); wish != null; wish = requests.poll()) {
            wish.answer.cancel(false);
        }
    }

    private void sleep() {
        asleep = true;
        boolean nothing =
                rounds.isEmpty()
                        && requests.isEmpty()
                        && (isHeld() || !hasOffers() && leftNext == leftCount)
                        && !(wantedByHand && request != null)
                        && open;
        if (nothing) {
            LockSupport.park(this);
        }
        asleep = false;
    }

    // Rounds.

    private boolean takeRounds() {
        boolean any = false;
        boolean goesOn = leftNext == leftCount;
        for (Round round = rounds.poll(); round != null; round = rounds.poll()) {
            if (round.state.round() > base.round()) {
                base = round.state;
                goesOn &= dropCommitted(round.delta) == round.delta.ids().size();
                any = true;
            }
        }
        if (any) {
            adaptFeeMultiplier();
            Backlog before = backlog;
            backlog = new Backlog(base, versions);
            awaited.set(null);
            former = goesOn && leftCount > 0 && before.hasRulesOf(backlog) ? before : null;
            if (former != null) {
                former.leaveBlocks();
            }
        }
        return any;
    }

    /**
     * Lets go of what a block holds; all else is to be evaluated again, in the order it had.
     *
     * @return how many of the block's transactions waited here
     */
    private int dropCommitted(StateDelta delta) {
        int waited = index.size();
        Set<Digest> ids = HashSet.newHashSet(delta.ids().size());
        delta.ids().forEach(committed -> ids.add(committed.id()));
        Waiter[] rest = new Waiter[groupCount + leftCount - leftNext];
        int count = 0;
        for (int i = 0; i < groupCount; i++) {
            if (stays(waiters[i], ids, delta.round())) {
                rest[count++] = waiters[i];
            }
        }
        for (int i = leftNext; i < leftCount; i++) {
            if (stays(left[i], ids, delta.round())) {
                rest[count++] = left[i];
            }
        }
        left = rest;
        leftNext = 0;
        leftCount = count;
        leftPassedOver = count;
        waiters = new Waiter[Math.max(GROUPS_FIRST, count)];
        groupCount = 0;
        transactionCount = index.size();
        pending = new Pending(left, leftCount, transactionCount);
        return waited - transactionCount;
    }

    private boolean stays(Waiter waiter, Set<Digest> committed, long round) {
        if (!committed.contains(waiter.group().group().first().id())) {
            return true;
        }
        forget(waiter);
        counters.committed(waiter.size());
        waiter.sink().committed(round);
        return false;
    }

    /** More than a block's worth waited: dearer. Less than one: cheaper. */
    private void adaptFeeMultiplier() {
        if (backlog.wholeBlocks() == 0) {
            feeMultiplier /= 2;
        } else if (backlog.wholeBlocks() > 1) {
            feeMultiplier = feeMultiplier == 0 ? 1 : Math.min(feeMultiplier * 2, Integer.MAX_VALUE);
        }
    }

    /** A slice of what a round left, and a few newcomers behind it. */
    private boolean catchUp() {
        evaluateLeft();
        if (leftNext < leftCount) {
            takeNewcomers();
        } else {
            left = new Waiter[0];
            leftNext = 0;
            leftCount = 0;
            former = null;
            transactionCount = index.size();
            pending = new Pending(waiters, groupCount, transactionCount);
        }
        return true;
    }

    /** What no longer applies is evicted with its reason. */
    private void evaluateLeft() {
        for (int i = 0; i < SLICE && leftNext < leftCount; i++) {
            boolean passedOver = leftNext < leftPassedOver;
            Waiter waiter = left[leftNext++];
            Refusal refusal = backlog.add(waiter.group());
            if (refusal != null) {
                evict(waiter, refusal);
                continue;
            }
            append(waiter);
            if (passedOver) {
                waiter.sink().passedOver(base.round());
            }
        }
    }

    private void takeNewcomers() {
        Backlog behind = former;
        for (int i = 0; i < NEWCOMERS && behind != null; i++) {
            Offer offer = nextOffer();
            if (offer == null) {
                return;
            } else if (!isAdmitted(offer, behind)) {
                postponed = offer;
                former = null;
                return;
            }
            if (leftCount == left.length) {
                left = Arrays.copyOf(left, leftCount + SLICE + leftCount / 2);
            }
            left[leftCount++] = new Waiter(offer.group, offer.sink);
            accept(offer, left, leftCount);
        }
    }

    /** Only a group that can follow; whatever else there is to say is said on the new state. */
    private boolean isAdmitted(Offer offer, Backlog behind) {
        try {
            return !offer.wantsBlock && check(offer.group, behind) == null;
        } catch (SnapshotClosed tooOld) { // The round before is read no longer.
            return false;
        }
    }

    private void evict(Waiter waiter, Refusal refusal) {
        forget(waiter);
        counters.evicted(waiter.size());
        String error = refusal.text();
        for (SignedTransaction member : waiter.group().group()) {
            evictions.add(new PoolEntry.Evicted(member, error));
        }
        waiter.sink().evicted(refusal);
    }

    private void forget(Waiter waiter) {
        for (SignedTransaction member : waiter.group().group()) {
            index.remove(member.id(), member);
        }
    }

    // Offers.

    private boolean hasOffers() {
        return postponed != null || !offers.isEmpty();
    }

    private @Nullable Offer nextOffer() {
        Offer next = postponed != null ? postponed : offers.poll();
        postponed = null;
        return next;
    }

    private boolean takeOffers() {
        boolean any = false;
        for (int i = 0; i < SLICE && !isHeld(); i++) {
            Offer offer = nextOffer();
            if (offer == null) {
                break;
            }
            any = true;
            PoolRefusal refusal = check(offer.group, backlog);
            if (refusal == null) {
                append(new Waiter(offer.group, offer.sink));
                accept(offer, waiters, groupCount);
                blockWanted |= offer.wantsBlock;
            } else {
                counters.refused(refusal);
                offer.sink.refused(refusal);
            }
        }
        return any;
    }

    /** It waits with the others, as the last of {@code queue[0..count)}. */
    private void accept(Offer offer, Waiter[] queue, int count) {
        int size = offer.group.group().size();
        for (SignedTransaction member : offer.group.group()) {
            index.put(member.id(), member);
        }
        transactionCount += size;
        pending = new Pending(queue, count, transactionCount);
        counters.accepted(size);
        offer.sink.accepted();
    }

    /** Cheapest rule first; null when the group is in the backlog. */
    private @Nullable PoolRefusal check(VerifiedGroup group, Backlog behind) {
        if (transactionCount + group.group().size() > config.transactionsMax()) {
            return new PoolRefusal.Full();
        }
        PoolRefusal tooCheap = checkFeePerByte(group, behind.wholeBlocks());
        if (tooCheap != null) {
            return tooCheap;
        }
        Refusal refusal = checkOutlivesQueue(group, behind.wholeBlocks());
        if (refusal == null) {
            refusal = behind.add(group);
        }
        return refusal == null ? null : new PoolRefusal.Inapplicable(refusal);
    }

    private @Nullable PoolRefusal checkFeePerByte(VerifiedGroup group, int wholeBlocks) {
        long perByte = wholeBlocks > 1 && feeMultiplier == 0 ? 1 : feeMultiplier;
        perByte <<= Math.clamp(wholeBlocks - 1L, 0, 31); // Twice for each block beyond the first.
        feePerByte = perByte;
        if (perByte > 0) {
            for (SignedTransaction member : group.group()) {
                var below =
                        new PoolRefusal.FeeBelowThreshold(
                                member.txn().fee(), perByte, member.length());
                if (below.isBelow()) {
                    return below;
                }
            }
        }
        return null;
    }

    private @Nullable Refusal checkOutlivesQueue(VerifiedGroup group, int wholeBlocks) {
        long round = base.round() + 1 + wholeBlocks;
        for (SignedTransaction member : group.group()) {
            long last = member.txn().lastValid();
            if (Long.compareUnsigned(last, round) < 0) {
                return Reason.DEAD.refusal(round, member.txn().firstValid(), last);
            }
        }
        return null;
    }

    private void append(Waiter waiter) {
        if (groupCount == waiters.length) {
            waiters = Arrays.copyOf(waiters, groupCount * 2);
        }
        waiters[groupCount++] = waiter;
    }

    // Blocks.

    private boolean answerRequest() {
        if (request == null) {
            request = requests.poll();
        }
        Request wish = request;
        // Whoever asks after a round wants the block that follows it.
        if (wish == null || !rounds.isEmpty() || !isReady(wish)) {
            return false;
        }
        request = null;
        blockWanted = false;
        wantedByHand = false;
        Backlog handedOut = backlog;
        awaited.set(handedOut);
        wish.answer.complete(handedOut.assembly(() -> goOn(handedOut)));
        return true;
    }

    private boolean isReady(Request wish) {
        if (awaited.get() != null || (wish.deadline == null && !blockWanted && !wantedByHand)) {
            return false;
        }
        return leftNext == leftCount
                || backlog.hasFullBlock()
                || (wish.deadline != null && nanoTime.getAsLong() - wish.deadline >= 0);
    }
}
