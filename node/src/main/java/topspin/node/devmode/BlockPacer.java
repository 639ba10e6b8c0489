package topspin.node.devmode;

import topspin.codec.block.BlockHeader;
import topspin.codec.block.Certificate;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.Ledger;
import topspin.node.pool.Assembly;
import topspin.node.pool.TransactionPool;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Makes the blocks of a network without agreement, on a thread of its own: asks the pool for what
 * is evaluated, completes the block and adds it to the ledger, which makes it durable before
 * anybody hears of it. The pace follows a clock that only moves forward, so that setting the
 * machine's time stops nothing; only timestamps follow the latter, within what the previous block
 * allows.
 */
public final class BlockPacer implements AutoCloseable {
    /** How long the pool may still evaluate for a block that is due (validation.md, section 10). */
    private static final long ASSEMBLY_NANOS_MAX = 500_000_000;

    private static final int ASKED_MAX = 1024;

    /** A hundred years. */
    private static final long ADVANCE_SECONDS_MAX = 3_155_760_000L;

    private final BlockMode mode;
    private final TransactionPool pool;
    private final Ledger ledger;
    private final ConsensusVersions versions;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final Consumer<Throwable> fault;
    private final Thread thread;
    private final BlockingQueue<CompletableFuture<Long>> asked =
            new ArrayBlockingQueue<>(ASKED_MAX);

    /**
     * Held while a block is completed and added, so that whoever closes the pacer or looks at the
     * node between two blocks does so before or after one only.
     */
    private final Object adding = new Object();

    private volatile boolean open = true;

    /** Guards that what was set for one block is spent by one, and not lost to another setting. */
    private final Object setting = new Object();

    private volatile Time time = Time.REAL;

    /**
     * What block time follows.
     *
     * @param offset seconds from each block to the next; empty: the machine's time, shifted
     * @param shift seconds by which block time is ahead of the machine's, or behind it
     * @param next what the next block has, whatever else holds
     * @param jump seconds that the next block is later than it would be
     */
    public record Time(OptionalLong offset, long shift, OptionalLong next, long jump) {
        /** The machine's time as it is. */
        public static final Time REAL = new Time(OptionalLong.empty(), 0, OptionalLong.empty(), 0);

        private Time spent() {
            return new Time(offset, shift, OptionalLong.empty(), 0);
        }
    }

    /**
     * A pacer at rest; {@link #start} sets it going.
     *
     * @param mode any but {@link BlockMode.Agreement}
     * @param clock what timestamps follow
     * @param nanoTime what the pace and the pool's deadlines follow, as {@link System#nanoTime}
     * @param fault told when the ledger refuses a block or the thread dies of an error of ours
     */
    public BlockPacer(
            BlockMode mode,
            TransactionPool pool,
            Ledger ledger,
            ConsensusVersions versions,
            InstantSource clock,
            LongSupplier nanoTime,
            Consumer<Throwable> fault) {
        if (mode instanceof BlockMode.Agreement) {
            throw new IllegalArgumentException("agreement has no pacer");
        }
        this.mode = mode;
        this.pool = pool;
        this.ledger = ledger;
        this.versions = versions;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.fault = fault;
        this.thread = Thread.ofPlatform().name("block-pacer").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    public BlockMode mode() {
        return mode;
    }

    /**
     * Asks for a block now, with or without transactions; in every mode.
     *
     * @return its round, when it is durable; cancelled when the pacer closes, or when too many ask
     */
    public CompletableFuture<Long> makeBlock() {
        var answer = new CompletableFuture<Long>();
        if (!open || !asked.offer(answer)) {
            answer.cancel(false);
        } else if (mode instanceof BlockMode.Instant) {
            pool.wantBlock();
        }
        return answer;
    }

    /** Seconds from one block to the next, if they were set; else the machine's time counts. */
    public OptionalLong offset() {
        return time.offset;
    }

    /** What block time follows. */
    public Time time() {
        return time;
    }

    /** Follows another time from the next block on; for one who goes back to an earlier state. */
    public void setTime(Time other) {
        synchronized (setting) {
            time = other;
        }
    }

    /** Does something between two blocks; none is added until it is done. */
    <T, X extends Exception> T betweenBlocks(Work<T, X> work) throws X {
        synchronized (adding) {
            return work.run();
        }
    }

    /** What {@link #betweenBlocks} does. */
    @FunctionalInterface
    interface Work<T, X extends Exception> {
        T run() throws X;
    }

    /**
     * The next block gets this timestamp, later ones go on from there at the pace of the machine's
     * time, or by the offset that was set.
     *
     * @param seconds since 1970
     * @throws IllegalArgumentException if that is before the latest block
     */
    public void setNext(long seconds) {
        long latest = ledger.view().header().timestamp();
        if (seconds < latest) {
            throw new IllegalArgumentException(
                    "block time never runs backwards: the latest block is of " + latest);
        }
        long shift = seconds - clock.instant().getEpochSecond();
        synchronized (setting) {
            Time was = time;
            time = new Time(was.offset, shift, OptionalLong.of(seconds), 0);
        }
    }

    /**
     * The next block is so much later than it would be, and so are all that follow.
     *
     * @param seconds not negative
     */
    public void advance(long seconds) {
        if (seconds < 0 || seconds > ADVANCE_SECONDS_MAX) {
            throw new IllegalArgumentException(
                    "block time is advanced by 0 to " + ADVANCE_SECONDS_MAX + " seconds at once");
        }
        synchronized (setting) {
            Time was = time;
            time = new Time(was.offset, was.shift + seconds, was.next, was.jump + seconds);
        }
    }

    /**
     * From now on each block's timestamp is its predecessor's and so many seconds; it cannot be
     * unset.
     *
     * @param seconds not negative
     */
    public void setOffset(long seconds) {
        if (seconds < 0) {
            throw new IllegalArgumentException(
                    "block timestamp offset cannot be larger than max int64 value");
        }
        synchronized (setting) {
            Time was = time;
            time = new Time(OptionalLong.of(seconds), was.shift, was.next, was.jump);
        }
    }

    private void run() {
        try {
            switch (mode) {
                case BlockMode.Instant() -> makeWhenWanted();
                case BlockMode.Interval(var period) -> makeEach(period.toNanos());
                case BlockMode.Manual() -> makeWhenAsked();
                case BlockMode.Agreement() -> throw new IllegalStateException("refused above");
            }
        } catch (InterruptedException | CancellationException closing) {
            Thread.currentThread().interrupt();
        } catch (Exception | Error failed) {
            fault.accept(failed);
        } finally {
            open = false;
            for (CompletableFuture<Long> rest : drainAsked()) {
                rest.cancel(false);
            }
        }
    }

    /** A tick that was missed is not made up for: two blocks in a row would help nobody. */
    private void makeEach(long periodNanos) throws Exception {
        long tick = nanoTime.getAsLong() + periodNanos;
        while (open) {
            long left = tick - nanoTime.getAsLong();
            CompletableFuture<Long> first =
                    left > 0 ? asked.poll(left, TimeUnit.NANOSECONDS) : null;
            List<CompletableFuture<Long>> answers = drainAsked();
            if (first != null) {
                answers.addFirst(first);
            } else if (tick - nanoTime.getAsLong() > 0) {
                continue;
            } else {
                long late = nanoTime.getAsLong() - tick;
                tick += periodNanos * (1 + late / periodNanos);
            }
            make(assemble(), answers);
        }
    }

    private void makeWhenAsked() throws Exception {
        while (open) {
            CompletableFuture<Long> first = asked.take();
            List<CompletableFuture<Long>> answers = drainAsked();
            answers.addFirst(first);
            make(assemble(), answers);
        }
    }

    /** Whoever asks by hand wants a block like a group that waits for one. */
    private void makeWhenWanted() throws Exception {
        while (open) {
            Assembly assembly = pool.assembleWhenWanted().get();
            make(assembly, drainAsked());
        }
    }

    private Assembly assemble() throws Exception {
        return pool.assemble(nanoTime.getAsLong() + ASSEMBLY_NANOS_MAX).get();
    }

    private List<CompletableFuture<Long>> drainAsked() {
        List<CompletableFuture<Long>> all = new ArrayList<>();
        asked.drainTo(all);
        return all;
    }

    private void make(Assembly assembly, List<CompletableFuture<Long>> answers) throws Exception {
        long round;
        synchronized (adding) {
            if (!open) {
                throw new InterruptedException("closed before the block was added");
            }
            EvaluatedBlock made = assembly.complete(timestamp(assembly.base().header()));
            round = made.block().round();
            ledger.add(made.block(), Certificate.ofRound(round).encoding().toArray(), made.delta());
        }
        answers.forEach(answer -> answer.complete(round));
    }

    /**
     * What somebody asked for, else a set step from the previous block, else the machine's time
     * within what that block allows. Never before the previous block.
     */
    private long timestamp(BlockHeader previous) {
        Time now;
        synchronized (setting) {
            now = time;
            time = now.spent();
        }
        long latest = previous.timestamp();
        if (now.next.isPresent()) {
            return Math.max(latest, saturated(now.next.getAsLong(), now.jump));
        }
        if (now.offset.isPresent()) {
            return saturated(saturated(latest, now.offset.getAsLong()), now.jump);
        }
        long wanted = saturated(clock.instant().getEpochSecond(), now.shift);
        if (now.jump > 0) {
            return Math.max(latest, wanted);
        }
        return Objects.requireNonNull(versions.get(previous.protocol()))
                .nextTimestamp(wanted, latest);
    }

    /** The sum of a time and seconds, where the end of time is the last that is told. */
    private static long saturated(long seconds, long more) {
        long sum = seconds + more;
        return more > 0 && sum < seconds ? Long.MAX_VALUE : sum;
    }

    /** Ends the thread; a block that is being added is finished first. */
    @Override
    public void close() {
        open = false;
        synchronized (adding) {
            thread.interrupt();
        }
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
}
