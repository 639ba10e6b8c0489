package topspin.loadgen;

import java.util.concurrent.locks.LockSupport;

/** The run's monotonic clock, and the only way that the pacer waits. */
interface Clock {
    /** Nanoseconds since some moment that stays the same for the run. */
    long nanos();

    /** Returns at {@code deadlineNanos}, perhaps a little early or late. */
    void parkUntil(long deadlineNanos);

    /** The machine's. */
    Clock SYSTEM =
            new Clock() {
                @Override
                public long nanos() {
                    return System.nanoTime();
                }

                @Override
                public void parkUntil(long deadlineNanos) {
                    LockSupport.parkNanos(deadlineNanos - nanos());
                }
            };
}
