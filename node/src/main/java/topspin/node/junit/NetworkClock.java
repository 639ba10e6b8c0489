package topspin.node.junit;

import topspin.node.devmode.BlockPacer;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** The time of a network's blocks, in seconds; it never runs backwards. Any thread. */
public final class NetworkClock {
    private final Supplier<BlockPacer> pacer;
    private final Supplier<Instant> latest;

    NetworkClock(Supplier<BlockPacer> pacer, Supplier<Instant> latest) {
        this.pacer = pacer;
        this.latest = latest;
    }

    /** The time of the latest block. */
    public Instant latest() {
        return latest.get();
    }

    /**
     * The next block is so much later than it would be, and so are all that follow.
     *
     * @param time whole seconds, not negative
     */
    public void advance(Duration time) {
        pacer.get().advance(time.toSeconds());
    }

    /**
     * The next block gets this time, later ones go on from there.
     *
     * @throws IllegalArgumentException if that is before the latest block
     */
    public void setNext(Instant time) {
        pacer.get().setNext(time.getEpochSecond());
    }
}
