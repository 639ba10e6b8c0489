package topspin.net.stream;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How much of something a peer may have: up to a bound at once, and then so much a second. For one
 * thread.
 */
final class Allowance {
    private final long most;
    private final long perSecond;
    private final LongSupplier nanoTime;
    private long left;
    private long refilledNanos;

    /**
     * @param most at least {@code perSecond}
     * @param perSecond at most 2^33, so that a second's nanoseconds times it do not wrap
     */
    Allowance(long most, long perSecond, LongSupplier nanoTime) {
        this.most = most;
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.left = most;
        this.refilledNanos = nanoTime.getAsLong();
    }

    /** Takes so much, or nothing and returns false. */
    boolean take(long amount) {
        long second = TimeUnit.SECONDS.toNanos(1);
        long now = nanoTime.getAsLong();
        long passed = now - refilledNanos;
        long more =
                passed / second > most / perSecond
                        ? most
                        : passed / second * perSecond + passed % second * perSecond / second;
        left = Math.min(most, left + more);
        refilledNanos = now;
        if (amount > left) {
            return false;
        }
        left -= amount;
        return true;
    }
}
