package topspin.net;

import java.time.Duration;

/**
 * What hinders this node's connections, for trials of a network that is not well: nothing, unless
 * told. Any thread.
 */
public final class Impairment {
    /** The longest delay: longer, and every peer would take the connection for dead. */
    public static final Duration DELAY_MAX = Duration.ofSeconds(5);

    private volatile long delayNanos;
    private volatile boolean isCutOff;
    private volatile Runnable cut = () -> {};

    /**
     * @param cut ends the connections there are
     */
    public void onCut(Runnable cut) {
        this.cut = cut;
    }

    /**
     * From now on what arrives is handed on so much later, in its order.
     *
     * @throws IllegalArgumentException if that is negative or more than {@link #DELAY_MAX}
     */
    public void slow(Duration delay) {
        if (delay.isNegative() || delay.compareTo(DELAY_MAX) > 0) {
            throw new IllegalArgumentException(
                    "a delay is 0 to " + DELAY_MAX.toMillis() + " ms, not " + delay.toMillis());
        }
        delayNanos = delay.toNanos();
    }

    /** Ends every connection, and lets none come about until {@link #end}. */
    public void cutOff() {
        isCutOff = true;
        cut.run();
    }

    /** All is well again: whom this node was told to dial is dialled again within seconds. */
    public void end() {
        delayNanos = 0;
        isCutOff = false;
    }

    public long delayNanos() {
        return delayNanos;
    }

    public boolean isCutOff() {
        return isCutOff;
    }
}
