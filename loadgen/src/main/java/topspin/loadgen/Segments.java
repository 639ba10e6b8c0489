package topspin.loadgen;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** The segments in use, in slot order: a handful. Any thread. */
final class Segments {
    private volatile Segment[] live = new Segment[0];

    synchronized void add(Segment segment) {
        Segment[] before = live;
        Segment[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = segment;
        live = after;
    }

    synchronized void remove(Segment segment) {
        live = Arrays.stream(live).filter(s -> s != segment).toArray(Segment[]::new);
    }

    /** The segment that holds the slot, or null if it is not signed yet or settled long ago. */
    @Nullable Segment at(long slot) {
        for (Segment segment : live) {
            if (segment.holds(slot)) {
                return segment;
            }
        }
        return null;
    }

    /** A snapshot, oldest first. */
    Segment[] all() {
        return live;
    }
}
