package topspin.net;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for another thread's doing, with a deadline. */
public final class Await {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private Await() {}

    /** Returns once the condition holds; fails, naming it, when it does not in time. */
    public static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("never came true: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
