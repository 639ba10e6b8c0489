package topspin.loadgen;

/**
 * Says when slots are due, on its own thread, and waits for nothing but the clock. After a pause,
 * its own or the machine's, it names all that has become due: a slot may be late, and is then
 * counted so, but none is skipped.
 */
final class Pacer implements Runnable {
    /** The shortest wait: slots due within one are told of together, which bounds the wake-ups. */
    static final long QUANTUM_NANOS = 400_000;

    /** Told, in order, that slots below a number are due. Must not block. */
    interface Gate {
        void due(long slotEnd);
    }

    private final Schedule schedule;
    private final Clock clock;
    private final Gate gate;
    private volatile boolean stopped;

    Pacer(Schedule schedule, Clock clock, Gate gate) {
        this.schedule = schedule;
        this.clock = clock;
        this.gate = gate;
    }

    /** Returns when the schedule has ended and all its slots are told of, or when stopped. */
    @Override
    public void run() {
        long told = Long.MIN_VALUE;
        while (!stopped) {
            long now = clock.nanos();
            long due = schedule.slotsDue(now);
            if (due > told) {
                gate.due(due);
                told = due;
            }
            if (due >= schedule.endSlot()) {
                return;
            }
            clock.parkUntil(Math.max(schedule.dueNanos(due), now + QUANTUM_NANOS));
        }
    }

    void stop() {
        stopped = true;
    }
}
