package topspin.node.rest;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Those who wait for a round, without a thread; and when the last one came. Any thread.
 *
 * <p>An entry ends in one of four ways, once: its round is reached, its time is over, its client
 * leaves, the server stops. The number of entries is bounded by {@link Limits#requestsMax}.
 */
public final class RoundWaits {
    /** How a wait ended that was not given up. */
    enum Outcome {
        REACHED,
        TIME_OVER,
        STOPPED
    }

    /** One who waits. Told on the thread that ends the wait, so it must be quick. */
    @FunctionalInterface
    interface Waiter {
        void ended(Outcome outcome);
    }

    /** A wait under way. */
    final class Wait {
        private final long round;
        private final long deadlineNanos;
        private final Waiter waiter;

        private Wait(long round, long deadlineNanos, Waiter waiter) {
            this.round = round;
            this.deadlineNanos = deadlineNanos;
            this.waiter = waiter;
        }

        /** The client left: the waiter will not be told, unless it is being told just now. */
        void giveUp() {
            remove(this);
        }
    }

    private final LongSupplier nanoTime;
    private final TreeMap<Long, Set<Wait>> byRound = new TreeMap<>();
    private long reached;
    private long reachedNanos;
    private boolean moved;
    private int size;
    private boolean stopped;

    /**
     * @param reached the round that exists already
     * @param nanoTime a clock that only runs forward
     */
    public RoundWaits(long reached, LongSupplier nanoTime) {
        this.reached = reached;
        this.nanoTime = nanoTime;
    }

    /**
     * Waits for a round. When it is there already, or the server stops, the waiter is told before
     * this returns.
     *
     * @param round below 2^63
     */
    Wait await(long round, long nanosMax, Waiter waiter) {
        Wait wait = new Wait(round, nanoTime.getAsLong() + nanosMax, waiter);
        Outcome atOnce;
        synchronized (this) {
            if (stopped) {
                atOnce = Outcome.STOPPED;
            } else if (round <= reached) {
                atOnce = Outcome.REACHED;
            } else {
                byRound.computeIfAbsent(round, r -> new HashSet<>()).add(wait);
                size++;
                return wait;
            }
        }
        waiter.ended(atOnce);
        return wait;
    }

    /** A round exists now, and so do all before it. */
    public void reached(long round) {
        List<Wait> ended = new ArrayList<>();
        synchronized (this) {
            reached = Math.max(reached, round);
            reachedNanos = nanoTime.getAsLong();
            moved = true;
            while (!byRound.isEmpty() && byRound.firstKey() <= reached) {
                ended.addAll(byRound.pollFirstEntry().getValue());
            }
            size -= ended.size();
        }
        ended.forEach(wait -> wait.waiter.ended(Outcome.REACHED));
    }

    /** Ends the waits whose time is over. To be called a few times a second. */
    void expire() {
        long now = nanoTime.getAsLong();
        List<Wait> ended = new ArrayList<>();
        synchronized (this) {
            for (Set<Wait> waits : byRound.values()) {
                for (Wait wait : waits) {
                    if (now - wait.deadlineNanos >= 0) {
                        ended.add(wait);
                    }
                }
            }
            ended.forEach(this::remove);
        }
        ended.forEach(wait -> wait.waiter.ended(Outcome.TIME_OVER));
    }

    /** Ends all waits, and each later one at once. */
    void stop() {
        List<Wait> ended = new ArrayList<>();
        synchronized (this) {
            stopped = true;
            byRound.values().forEach(ended::addAll);
            byRound.clear();
            size = 0;
        }
        ended.forEach(wait -> wait.waiter.ended(Outcome.STOPPED));
    }

    /** Nanoseconds since the last round came; 0 before the first since the start. */
    synchronized long nanosSinceRound() {
        return moved ? Math.max(0, nanoTime.getAsLong() - reachedNanos) : 0;
    }

    /** How many wait. */
    synchronized int size() {
        return size;
    }

    private synchronized void remove(Wait wait) {
        Set<Wait> waits = byRound.get(wait.round);
        if (waits != null && waits.remove(wait)) {
            size--;
            if (waits.isEmpty()) {
                byRound.remove(wait.round);
            }
        }
    }
}
