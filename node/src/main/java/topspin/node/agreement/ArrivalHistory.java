package topspin.node.agreement;

import topspin.codec.msgpack.MalformedMessage;

import java.util.Arrays;

/**
 * How long the best proposal took in rounds past, which tells how long to wait for it (agreement.md
 * 1.3). Nanoseconds.
 */
final class ArrivalHistory {
    /** Samples before anything is concluded from them. */
    static final int SAMPLES = 40;

    /** Index, in ascending order, of the sample that decides: about the 95th percentile. */
    private static final int DECIDING = 37;

    private final long[] samples = new long[SAMPLES];
    private long stored;

    void store(long nanos) {
        samples[(int) (stored++ % SAMPLES)] = nanos;
    }

    void clear() {
        stored = 0;
        Arrays.fill(samples, 0);
    }

    /** How long to wait, if the version says {@code longest} without history. */
    long timeout(long longest, Timing timing) {
        if (stored < SAMPLES) {
            return longest;
        }
        long[] sorted = samples.clone();
        Arrays.sort(sorted);
        long wanted = sorted[DECIDING] + timing.filterGrace();
        return Math.min(Math.max(wanted, timing.filterFloor()), longest);
    }

    void write(StateWriter out) {
        out.number(stored);
        for (long sample : samples) {
            out.number(sample);
        }
    }

    static ArrivalHistory read(StateReader in) throws MalformedMessage {
        var history = new ArrivalHistory();
        history.stored = in.number();
        for (int i = 0; i < SAMPLES; i++) {
            history.samples[i] = in.number();
        }
        return history;
    }
}
