package topspin.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * When blocks were evaluated or added lately, for whoever wants to know what else was slow then.
 * The last {@value #SPANS_MAX} are kept. Any thread may call.
 */
public final class BlockTimes {
    /** Spans kept: a few a round. */
    static final int SPANS_MAX = 256;

    private final LongSupplier nanoTime;
    private final long[] from = new long[SPANS_MAX];
    private final long[] to = new long[SPANS_MAX];
    private long count;

    /**
     * A time of work.
     *
     * @param fromNanosAgo how long ago it began
     * @param toNanosAgo how long ago it ended
     */
    public record Span(long fromNanosAgo, long toNanosAgo) {}

    BlockTimes(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Work on a block begins; the answer is for {@link #end}. */
    public long begin() {
        return nanoTime.getAsLong();
    }

    /** The work that {@link #begin} opened has ended, well or not. */
    public synchronized void end(long begun) {
        int slot = (int) (count++ % SPANS_MAX);
        from[slot] = begun;
        to[slot] = nanoTime.getAsLong();
    }

    /** Those kept, in the order in which they ended. */
    public synchronized List<Span> spans() {
        long now = nanoTime.getAsLong();
        List<Span> spans = new ArrayList<>();
        for (long index = Math.max(0, count - SPANS_MAX); index < count; index++) {
            int slot = (int) (index % SPANS_MAX);
            spans.add(new Span(now - from[slot], now - to[slot]));
        }
        return spans;
    }
}
