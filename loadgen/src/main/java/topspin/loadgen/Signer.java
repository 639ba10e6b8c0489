package topspin.loadgen;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.stream.LongStream;

/**
 * Signs slots before they are due, a segment at a time: the first with all processors before the
 * clock starts, the others on one thread of low priority, evenly over the time there is, so that
 * signing makes no bursts in what is measured.
 */
final class Signer implements AutoCloseable {
    /** A segment is as long as this, at most. */
    static final Duration SEGMENT = Duration.ofSeconds(60);

    /**
     * And as many rounds, at most: it is signed from the middle of the one before it, so that its
     * last slot is due within 90 rounds of its first valid round, of the 100 that it has. Shorter
     * yet leaves time to wait in a pool.
     */
    static final int SEGMENT_ROUNDS_MAX = 40;

    /**
     * First valid rounds are cut down to a multiple of this, so that a run that starts a moment
     * later on an equal network signs equal bytes.
     */
    static final int FIRST_VALID_STEP = 10;

    private static final long SEGMENT_SLOTS_MIN = 100;
    private static final int SLOTS_AT_ONCE = 16;
    private static final long LONGEST_WAIT_NANOS = 100_000_000;

    private final Workload workload;
    private final Segments segments;
    private final Rounds rounds;
    private final Clock clock;
    private @Nullable Thread thread;
    private volatile boolean closed;

    Signer(Workload workload, Segments segments, Rounds rounds, Clock clock) {
        this.workload = workload;
        this.segments = segments;
        this.rounds = rounds;
        this.clock = clock;
    }

    /**
     * Signs the first segment and returns when it is ready.
     *
     * @param endSlot no more than the slots before this one will be needed, in all likelihood
     */
    Segment signFirst(long firstSlot, long tps, long endSlot) {
        Segment segment = segment(firstSlot, tps, endSlot);
        long firstValid = segment.lastValid() - Workload.LIFETIME_ROUNDS;
        LongStream.range(segment.firstSlot(), segment.endSlot())
                .parallel()
                .forEach(slot -> segment.put(slot, workload.group(slot, firstValid)));
        segments.add(segment);
        return segment;
    }

    /** Keeps a segment ahead of the schedule from here on, in the background. */
    void follow(Schedule schedule, Segment first, long tps) {
        thread =
                Thread.ofPlatform()
                        .name("signer")
                        .priority(Thread.MIN_PRIORITY)
                        .start(() -> signOn(schedule, first, tps));
    }

    private void signOn(Schedule schedule, Segment first, long tps) {
        Segment last = first;
        while (!closed && last.endSlot() < schedule.endSlot()) {
            long middle = last.firstSlot() + last.slots() / 2;
            if (clock.nanos() < schedule.dueNanos(middle)) {
                parkUntil(schedule.dueNanos(middle));
                continue;
            }
            Segment next = segment(last.endSlot(), tps, schedule.endSlot());
            sign(schedule, next);
            if (closed) {
                next.release();
                return;
            }
            segments.add(next);
            last = next;
        }
    }

    private void sign(Schedule schedule, Segment segment) {
        long firstValid = segment.lastValid() - Workload.LIFETIME_ROUNDS;
        long begin = clock.nanos();
        long nanosLeft = schedule.dueNanos(segment.firstSlot()) - begin;
        for (long slot = segment.firstSlot(); slot < segment.endSlot() && !closed; slot++) {
            long done = slot - segment.firstSlot();
            if (done % SLOTS_AT_ONCE == 0) {
                // The last when four fifths of the time have passed.
                long planned = begin + nanosLeft / 5 * 4 / segment.slots() * done;
                while (clock.nanos() < planned && !closed) {
                    parkUntil(planned);
                }
            }
            segment.put(slot, workload.group(slot, firstValid));
        }
    }

    private void parkUntil(long nanos) {
        clock.parkUntil(Math.min(nanos, clock.nanos() + LONGEST_WAIT_NANOS));
    }

    private Segment segment(long firstSlot, long tps, long endSlot) {
        double seconds =
                Math.min(
                        SEGMENT.toSeconds(),
                        SEGMENT_ROUNDS_MAX * rounds.secondsPerRound(SEGMENT.toSeconds()));
        long slots = (long) (seconds * tps / workload.groupSize());
        slots = Math.max(slots, SEGMENT_SLOTS_MIN);
        slots = Math.min(slots, Segment.BYTES_MAX / workload.slotBytesMax());
        slots = Math.min(slots, endSlot - firstSlot);
        long firstValid = Math.max(1, rounds.lowest() / FIRST_VALID_STEP * FIRST_VALID_STEP);
        return new Segment(
                firstSlot,
                (int) slots,
                workload.groupSize(),
                firstValid + Workload.LIFETIME_ROUNDS,
                workload.slotBytesMax());
    }

    @Override
    public void close() {
        closed = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
            try {
                running.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
