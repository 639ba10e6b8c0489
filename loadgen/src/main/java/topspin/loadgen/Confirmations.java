package topspin.loadgen;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.loadgen.client.Body;
import topspin.loadgen.client.NodeClient;
import topspin.loadgen.client.Reply;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Finds our transactions in blocks. Every round's block is fetched, once, from the node that had it
 * first; a transaction is confirmed when the node that it was sent to has that round, too, and its
 * latency ends there. One thread owns all of it; others hand it events.
 */
final class Confirmations implements Rounds.Listener, AutoCloseable {
    /**
     * A round that has been looked at.
     *
     * @param atNanos when the first node had it
     * @param transactions all in the block
     * @param ours those that this run sent
     * @param bytes that all of them take in the block
     */
    record Round(long round, long atNanos, int transactions, int ours, long bytes) {}

    /**
     * What became of the window's transactions that no block holds.
     *
     * @param expired accepted, and their last valid round has passed
     * @param dropped accepted, and thrown out by the node, by its reason
     * @param lost accepted, and none of these; or in a block that the node asked never got
     * @param unanswered never answered, and in no block
     */
    record Settlement(long expired, Map<String, Long> dropped, long lost, long unanswered) {}

    private sealed interface Event {
        record Reached(int node, long round, long atNanos) implements Event {}

        record Task(Runnable work) implements Event {}
    }

    /** A slot whose segment is gone before it was settled. */
    private static final class Straggler {
        final byte answer;
        final long lastValid;
        final byte[] ids;
        int confirmedMembers;

        Straggler(Segment segment, long slot) {
            answer = segment.answer(slot);
            lastValid = segment.lastValid();
            ids = segment.ids(slot);
            confirmedMembers = segment.confirmedMembers(slot);
        }
    }

    /** A round between its first node and its last. */
    private static final class Pending {
        final long[] reachedNanos;
        final SlotList[] unsettled; // By the node that was asked.

        Pending(int nodes) {
            reachedNanos = new long[nodes];
            Arrays.fill(reachedNanos, Long.MIN_VALUE);
            unsettled = new SlotList[nodes];
            Arrays.setAll(unsettled, i -> new SlotList());
        }
    }

    /** Slots, one entry for each confirmed member. */
    private static final class SlotList {
        long[] slots = new long[64];
        int size;

        void add(long slot) {
            if (size == slots.length) {
                slots = Arrays.copyOf(slots, 2 * size);
            }
            slots[size++] = slot;
        }
    }

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final int EVENTS_MAX = 100_000;
    private static final int FETCH_ATTEMPTS_MAX = 5;
    private static final Duration FETCH_TIME_MAX = Duration.ofSeconds(10);
    private static final long TIDY_NANOS = 1_000_000_000;

    /** A segment is kept so long after its last slot was due: most confirm within. */
    private static final long KEEP_NANOS = 5_000_000_000L;

    /** Lookups of what is missing at the end; past it, what is left is lost. */
    private static final int LOOKUPS_MAX = 100_000;

    /** Rounds that some node has and another has not; beyond, the other counts as gone. */
    private static final int PENDING_MAX = 1_000;

    private static final Duration LOOKUP_TIME_MAX = Duration.ofSeconds(30);

    private final List<NodeClient> nodes;
    private final Segments segments;
    private final Schedule schedule;
    private final Window window;
    private final int groupSize;
    private final Clock clock;
    private final LongSupplier dueEnd;
    private final BlockIds blockIds;
    private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(EVENTS_MAX);
    private final Thread thread;

    private final IdTable table = new IdTable(1 << 16);
    private final Body body = new Body(1 << 20);
    private final TreeMap<Long, Pending> pending = new TreeMap<>();
    private final Map<Long, Straggler> stragglers = new HashMap<>();
    private final List<Round> rounds = new ArrayList<>();
    private final Histogram latencyMicros = Latencies.histogram();
    private long nextRound;
    private long inserted;
    private long expired;
    private long tidiedNanos;
    private int oursInRound;

    /** Of all slots, and of the window's. Any thread reads. */
    private final Count confirmed = new Count();

    private final Count confirmedMeasured = new Count();
    private final Count blockTransactions = new Count();
    private volatile @Nullable String fork;
    private volatile @Nullable String fault;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /**
     * @param firstSlot of the run
     * @param afterRound blocks from the next round on are looked at
     * @param dueEnd no slot from this number on can have been sent
     */
    Confirmations(
            List<NodeClient> nodes,
            Segments segments,
            Schedule schedule,
            Window window,
            int groupSize,
            Clock clock,
            String genesisId,
            Digest genesisHash,
            long firstSlot,
            long afterRound,
            LongSupplier dueEnd) {
        this.nodes = nodes;
        this.segments = segments;
        this.schedule = schedule;
        this.window = window;
        this.groupSize = groupSize;
        this.clock = clock;
        this.dueEnd = dueEnd;
        this.blockIds = new BlockIds(genesisId, genesisHash.toBytes());
        this.inserted = firstSlot;
        this.nextRound = afterRound + 1;
        this.thread = Thread.ofPlatform().name("confirmations").unstarted(this::work);
    }

    void start() {
        thread.start();
    }

    @Override
    public void reached(int node, long round, long atNanos) {
        put(new Event.Reached(node, round, atNanos));
    }

    /** Transactions confirmed so far. */
    long confirmed() {
        return confirmed.get();
    }

    /** Those of the window. */
    long confirmedMeasured() {
        return confirmedMeasured.get();
    }

    /** Transactions in blocks so far, whoever sent them. */
    long blockTransactions() {
        return blockTransactions.get();
    }

    /** Why the truth cannot be told any more, or null. */
    @Nullable String fault() {
        return fork != null ? fork : fault;
    }

    /** Runs on the confirmations thread; what it reads there is its own. */
    <T> CompletableFuture<T> ask(Supplier<T> question) {
        var answer = new CompletableFuture<T>();
        put(
                new Event.Task(
                        () -> {
                            try {
                                answer.complete(question.get());
                            } catch (RuntimeException e) {
                                answer.completeExceptionally(e);
                            }
                        }));
        return answer;
    }

    private void put(Event event) {
        try {
            events.put(event);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        while (stopped.getCount() > 0) {
            try {
                Event event = events.poll(200, TimeUnit.MILLISECONDS);
                switch (event) {
                    case null -> {}
                    case Event.Reached(int node, long round, long atNanos) ->
                            onReached(node, round, atNanos);
                    case Event.Task(Runnable work) -> work.run();
                }
                if (clock.nanos() - tidiedNanos > TIDY_NANOS) {
                    tidiedNanos = clock.nanos();
                    tidy();
                }
            } catch (InterruptedException e) {
                return;
            } catch (IOException | RuntimeException e) {
                fault = e.getMessage() == null ? e.toString() : e.getMessage();
            }
        }
    }

    private void onReached(int node, long round, long atNanos)
            throws IOException, InterruptedException {
        while (nextRound <= round) {
            match(node, nextRound, atNanos);
            nextRound++;
        }
        Pending state = pending.get(round);
        if (state == null) {
            return; // Before the run.
        }
        state.reachedNanos[node] = atNanos;
        settle(state, node);
        if (Arrays.stream(state.reachedNanos).allMatch(at -> at != Long.MIN_VALUE)) {
            pending.remove(round);
            compareHashes(round);
        }
    }

    /** Looks our transactions up in a block, fetched from {@code node}, which has it. */
    private void match(int node, long round, long atNanos)
            throws IOException, InterruptedException {
        insertUpTo(dueEnd.getAsLong());
        fetch(node, round);
        var state = new Pending(nodes.size());
        oursInRound = 0;
        int transactions =
                blockIds.read(
                        body.bytes(),
                        body.length(),
                        id -> {
                            long index = table.remove(idPrefix(id, 0));
                            if (index != IdTable.ABSENT) {
                                oursInRound++;
                                found(index / groupSize, state);
                            }
                        });
        fault = null;
        if (pending.size() == PENDING_MAX) {
            pending.pollFirstEntry();
        }
        pending.put(round, state);
        blockTransactions.add(transactions);
        rounds.add(
                new Round(round, atNanos, transactions, oursInRound, blockIds.transactionBytes()));
    }

    private void found(long slot, Pending state) {
        Segment segment = segments.at(slot);
        if (segment != null) {
            segment.confirm(slot);
        } else {
            Straggler straggler = stragglers.get(slot);
            if (straggler != null && ++straggler.confirmedMembers == groupSize) {
                stragglers.remove(slot);
            }
        }
        state.unsettled[(int) (slot % nodes.size())].add(slot);
    }

    /** The node has the round: what it was sent, and the round holds, is confirmed. */
    private void settle(Pending state, int node) {
        SlotList slots = state.unsettled[node];
        long atNanos = state.reachedNanos[node];
        int measured = 0;
        for (int i = 0; i < slots.size; i++) {
            long slot = slots.slots[i];
            if (window.contains(slot)) {
                measured++;
                Latencies.record(latencyMicros, atNanos - schedule.dueNanos(slot));
            }
        }
        confirmed.add(slots.size);
        confirmedMeasured.add(measured);
        slots.size = 0;
    }

    private void fetch(int node, long round) throws IOException, InterruptedException {
        String path = "/v2/blocks/" + round + "?format=msgpack";
        IOException last = new IOException("no node");
        for (int attempt = 0; attempt < FETCH_ATTEMPTS_MAX; attempt++) {
            NodeClient client = nodes.get((node + attempt) % nodes.size());
            try {
                Reply reply = client.get(path, body, FETCH_TIME_MAX).get();
                if (reply.ok()) {
                    return;
                }
                last = new IOException(client.name() + ": block " + round + ": " + reply.message());
            } catch (ExecutionException e) {
                last =
                        new IOException(
                                client.name() + ": block " + round + ": " + e.getMessage(), e);
            }
            stopped.await(50L << attempt, TimeUnit.MILLISECONDS);
        }
        throw last;
    }

    /** All nodes have the round: do they have the same one? */
    private void compareHashes(long round) {
        CompletableFuture<String> first = hash(0, round);
        for (int node = 1; node < nodes.size(); node++) {
            String other = nodes.get(node).name();
            var unused =
                    first.thenAcceptBoth(
                            hash(node, round),
                            (one, two) -> {
                                if (!one.isEmpty() && !two.isEmpty() && !one.equals(two)) {
                                    fork =
                                            nodes.getFirst().name()
                                                    + " and "
                                                    + other
                                                    + " hold different blocks for round "
                                                    + round;
                                }
                            });
        }
    }

    private CompletableFuture<String> hash(int node, long round) {
        return nodes.get(node)
                .get("/v2/blocks/" + round + "/hash")
                .thenApply(reply -> reply.ok() ? reply.text().strip() : "");
    }

    private void insertUpTo(long end) {
        for (; inserted < end; inserted++) {
            Segment segment = segments.at(inserted);
            for (int member = 0; segment != null && member < groupSize; member++) {
                table.put(segment.idPrefix(inserted, member), inserted * groupSize + member);
            }
        }
    }

    private static long idPrefix(byte[] ids, int offset) {
        return (long) LONG.get(ids, offset);
    }

    /** Lets go of segments that are answered and old; forgets what has expired. */
    private void tidy() {
        insertUpTo(dueEnd.getAsLong());
        long now = clock.nanos();
        for (Segment segment : segments.all()) {
            long end = segment.endSlot();
            if (end <= inserted && schedule.dueNanos(end) + KEEP_NANOS < now && answered(segment)) {
                retire(segment);
            }
        }
        stragglers
                .entrySet()
                .removeIf(
                        entry -> {
                            Straggler straggler = entry.getValue();
                            boolean over = straggler.lastValid < nextRound - 1;
                            if (over) {
                                forget(straggler.ids);
                                boolean counts =
                                        straggler.answer == Segment.ACCEPTED
                                                && window.contains(entry.getKey());
                                expired += counts ? groupSize - straggler.confirmedMembers : 0;
                            }
                            return over;
                        });
    }

    private static boolean answered(Segment segment) {
        for (long slot = segment.firstSlot(); slot < segment.endSlot(); slot++) {
            if (segment.answer(slot) == Segment.NO_ANSWER_YET) {
                return false;
            }
        }
        return true;
    }

    private void retire(Segment segment) {
        for (long slot = segment.firstSlot(); slot < segment.endSlot(); slot++) {
            if (segment.confirmedMembers(slot) == groupSize) {
                continue;
            }
            byte answer = segment.answer(slot);
            if (answer == Segment.ACCEPTED || answer == Segment.UNANSWERED) {
                stragglers.put(slot, new Straggler(segment, slot));
            } else {
                forget(segment.ids(slot));
            }
        }
        segments.remove(segment);
        segment.release();
    }

    private void forget(byte[] ids) {
        for (int offset = 0; offset < ids.length; offset += Segment.ID_BYTES) {
            table.remove(idPrefix(ids, offset));
        }
    }

    /** Rounds looked at so far. On the confirmations thread. */
    List<Round> rounds() {
        return List.copyOf(rounds);
    }

    /** From the intended send time to the round at the node asked. On the confirmations thread. */
    Histogram latencyMicros() {
        return latencyMicros;
    }

    /**
     * Transactions that are accepted and may still come into a block. On the confirmations thread.
     */
    long unsettled() {
        insertUpTo(dueEnd.getAsLong());
        long round = nextRound - 1;
        long unsettled = 0;
        for (Segment segment : segments.all()) {
            for (long slot = segment.firstSlot();
                    slot < Math.min(segment.endSlot(), inserted);
                    slot++) {
                if (segment.answer(slot) == Segment.ACCEPTED && segment.lastValid() >= round) {
                    unsettled += groupSize - segment.confirmedMembers(slot);
                }
            }
        }
        for (Straggler straggler : stragglers.values()) {
            if (straggler.answer == Segment.ACCEPTED && straggler.lastValid >= round) {
                unsettled += groupSize - straggler.confirmedMembers;
            }
        }
        for (Pending state : pending.values()) {
            for (SlotList slots : state.unsettled) {
                unsettled += slots.size;
            }
        }
        return unsettled;
    }

    /**
     * Says of each transaction of the window that no block holds why. Blocks the thread it is on.
     */
    Settlement settle() {
        insertUpTo(dueEnd.getAsLong());
        long round = nextRound - 1;
        var missing = new HashMap<Long, Straggler>(stragglers);
        for (Segment segment : segments.all()) {
            for (long slot = segment.firstSlot();
                    slot < Math.min(segment.endSlot(), inserted);
                    slot++) {
                if (segment.confirmedMembers(slot) < groupSize) {
                    missing.put(slot, new Straggler(segment, slot));
                }
            }
        }
        long unanswered = 0;
        long gone = expired;
        var suspects = new TreeMap<Long, Straggler>();
        for (Map.Entry<Long, Straggler> entry : missing.entrySet()) {
            Straggler straggler = entry.getValue();
            int members = groupSize - straggler.confirmedMembers;
            if (!window.contains(entry.getKey())) {
                continue;
            }
            if (straggler.answer == Segment.UNANSWERED
                    || straggler.answer == Segment.NO_ANSWER_YET) {
                unanswered += members;
            } else if (straggler.answer == Segment.ACCEPTED && straggler.lastValid < round) {
                gone += members;
            } else if (straggler.answer == Segment.ACCEPTED) {
                suspects.put(entry.getKey(), straggler);
            }
        }
        var dropped = new Reasons();
        long lost = lookUp(suspects, dropped) + confirmedElsewhere();
        return new Settlement(gone, dropped.counts(), lost, unanswered);
    }

    /** Transactions of the window in a block that the node they were sent to has not got. */
    private long confirmedElsewhere() {
        long count = 0;
        for (Pending state : pending.values()) {
            for (SlotList slots : state.unsettled) {
                for (int i = 0; i < slots.size; i++) {
                    count += window.contains(slots.slots[i]) ? 1 : 0;
                }
            }
        }
        return count;
    }

    /** Asks the node that accepted it about each; answers how many it knows nothing bad of. */
    private long lookUp(Map<Long, Straggler> suspects, Reasons dropped) {
        long lost = 0;
        long deadline = clock.nanos() + LOOKUP_TIME_MAX.toNanos();
        var answers = new ArrayList<CompletableFuture<String>>();
        for (Map.Entry<Long, Straggler> entry : suspects.entrySet()) {
            if (answers.size() == LOOKUPS_MAX) {
                break;
            }
            NodeClient node = nodes.get((int) (entry.getKey() % nodes.size()));
            String id = Digest.of(entry.getValue().ids, 0).toString();
            answers.add(
                    node.get("/v2/transactions/pending/" + id)
                            .thenApply(Confirmations::poolError)
                            .completeOnTimeout(
                                    "", Math.max(1, deadline - clock.nanos()), TimeUnit.NANOSECONDS)
                            .exceptionally(e -> ""));
        }
        int next = 0;
        for (Straggler straggler : suspects.values()) {
            String error = next < answers.size() ? answers.get(next++).join() : "";
            int members = groupSize - straggler.confirmedMembers;
            if (error.isEmpty()) {
                lost += members;
            } else {
                dropped.add(Reasons.of(400, error), members);
            }
        }
        return lost;
    }

    private static String poolError(Reply reply) {
        try {
            return reply.ok() ? reply.json().path("pool-error").asText("") : "";
        } catch (IOException e) {
            return "";
        }
    }

    /** Stops the thread and gives back all segments. */
    @Override
    public void close() {
        stopped.countDown();
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Segment segment : segments.all()) {
            segments.remove(segment);
            segment.release();
        }
    }
}
