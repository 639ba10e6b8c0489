package topspin.net.stream;

import topspin.net.Drop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Messages that have begun to arrive and whose rest has not come: for how long each peer may leave
 * it so, and how many bytes all peers may have us hold. When those are too many, the message that
 * began first goes, and its sender with it: who means what he sends is soon done.
 */
public final class HalfFrames {
    /** What each stream may leave uncounted: most messages are shorter. */
    static final int FREE_BYTES = 64 << 10;

    private final long bytesMax;
    private final long nanosMax;
    private final LongSupplier nanoTime;

    /** Those that are counted, in the order in which their messages began. Guarded by this. */
    private final Set<Part> eldestFirst = new LinkedHashSet<>();

    /** Guarded by this. */
    private long bytes;

    /**
     * @param bytesMax of all streams together, at least as many as the longest message has; buffers
     *     that grow may take up to twice as much memory
     * @param timeMax from a message's first byte to its last
     */
    public HalfFrames(long bytesMax, Duration timeMax, LongSupplier nanoTime) {
        this.bytesMax = bytesMax;
        this.nanosMax = timeMax.toNanos();
        this.nanoTime = nanoTime;
    }

    /**
     * For one more stream.
     *
     * @param end ends its connection and counts why; on any thread
     */
    public Part part(Consumer<Drop> end) {
        return new Part(end);
    }

    /** Bytes that are counted now. Any thread. */
    public synchronized long bytes() {
        return bytes;
    }

    private synchronized List<Part> hold(Part part, int counted, boolean another) {
        if (part.ended) {
            return List.of();
        }
        bytes += counted - part.counted;
        part.counted = counted;
        if (another || counted == 0) {
            eldestFirst.remove(part);
        }
        if (counted > 0) {
            eldestFirst.add(part);
        }
        List<Part> tooMuch = bytes > bytesMax ? new ArrayList<>() : List.of();
        while (bytes > bytesMax) {
            Part eldest = eldestFirst.iterator().next();
            eldestFirst.remove(eldest);
            bytes -= eldest.counted;
            eldest.counted = 0;
            eldest.ended = true;
            tooMuch.add(eldest);
        }
        return tooMuch;
    }

    /** One stream's. */
    public final class Part {
        private final Consumer<Drop> end;

        /** Guarded by the whole. */
        private int counted;

        /** Guarded by the whole: its connection ends, and what it holds is counted no more. */
        private boolean ended;

        /** Whether it may be among those counted; event loop only. */
        private boolean large;

        private volatile long begunNanos;
        private volatile boolean begun;

        private Part(Consumer<Drop> end) {
            this.end = end;
        }

        /**
         * No more has arrived for now; on the stream's event loop.
         *
         * @param left bytes of a message whose rest is missing
         * @param another whether it is another message than the last time, or there was none
         */
        public void update(int left, boolean another) {
            if (left == 0) {
                begun = false;
            } else if (another || !begun) {
                begunNanos = nanoTime.getAsLong();
                begun = true;
            }
            boolean wasLarge = large;
            large = left > FREE_BYTES;
            if (large || wasLarge) {
                hold(this, large ? left : 0, another)
                        .forEach(eldest -> eldest.end.accept(Drop.HALF_FRAMES));
            }
        }

        /** The stream is closed; on its event loop. */
        public void close() {
            update(0, true);
        }

        /** Ends the connection if a message has taken too long. To be called every second. */
        public void check() {
            if (begun && nanoTime.getAsLong() - begunNanos > nanosMax) {
                end.accept(Drop.SLOW_FRAME);
            }
        }
    }
}
