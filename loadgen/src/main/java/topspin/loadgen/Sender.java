package topspin.loadgen;

import io.netty.channel.EventLoop;

import org.jspecify.annotations.Nullable;

import topspin.loadgen.client.SubmitLane;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends what is due, on the event loop: slot by slot, node after node, each slot once. It never
 * waits: a slot that finds no room, no connection or no signature is counted as such and gone.
 */
final class Sender implements Pacer.Gate {
    /** A slot sent this long after it was due counts as late: a time slice of the machine's. */
    static final long LATE_NANOS = 10_000_000;

    /** Why a slot is not sent: the generator's own fault, alone among these. */
    static final String NOT_SIGNED = "not sent: not signed in time";

    static final String NO_ROOM = "not sent: too many await their answer";
    static final String NO_CONNECTION = "not sent: no connection to the node";

    /** Slots sent before replies are looked at again. */
    private static final int SLOTS_AT_ONCE = 256;

    private final EventLoop loop;
    private final Clock clock;
    private final Segments segments;
    private final Outcomes outcomes;
    private final SubmitLane[][] lanes;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Runnable send = this::send;
    private volatile long dueEnd;
    private volatile long sentEnd;
    private @Nullable Segment current;

    /**
     * @param firstSlot the first to send
     * @param lanesByNode slot {@code s} goes to node {@code s mod nodes}
     */
    Sender(
            EventLoop loop,
            Clock clock,
            Segments segments,
            Outcomes outcomes,
            long firstSlot,
            List<List<SubmitLane>> lanesByNode) {
        this.loop = loop;
        this.clock = clock;
        this.segments = segments;
        this.outcomes = outcomes;
        this.lanes =
                lanesByNode.stream()
                        .map(node -> node.toArray(SubmitLane[]::new))
                        .toArray(SubmitLane[][]::new);
        this.dueEnd = firstSlot;
        this.sentEnd = firstSlot;
    }

    @Override
    public void due(long slotEnd) {
        dueEnd = slotEnd;
        if (!scheduled.getAndSet(true)) {
            loop.execute(send);
        }
    }

    /** Slots below this number have been sent, or given up. */
    long sentEnd() {
        return sentEnd;
    }

    /** No slot from this number on can have reached a node yet. */
    long dueEnd() {
        return dueEnd;
    }

    private void send() {
        scheduled.set(false);
        long slot = sentEnd;
        long end = Math.min(dueEnd, slot + SLOTS_AT_ONCE);
        for (; slot < end; slot++) {
            send(slot);
        }
        for (SubmitLane[] node : lanes) {
            for (SubmitLane lane : node) {
                lane.flush();
            }
        }
        sentEnd = slot;
        if (slot < dueEnd && !scheduled.getAndSet(true)) {
            loop.execute(send);
        }
    }

    private void send(long slot) {
        Segment segment = segmentOf(slot);
        if (segment == null) {
            outcomes.unsent(slot, NOT_SIGNED);
            return;
        }
        SubmitLane[] node = lanes[(int) (slot % lanes.length)];
        SubmitLane lane = pick(node);
        if (lane == null) {
            boolean open = Arrays.stream(node).anyMatch(SubmitLane::isOpen);
            outcomes.unsent(slot, open ? NO_ROOM : NO_CONNECTION);
            return;
        }
        lane.append(slot, segment.signedBytes(), segment.start(slot), segment.length(slot));
        outcomes.sent(slot, clock.nanos());
    }

    private @Nullable Segment segmentOf(long slot) {
        Segment segment = current;
        if (segment != null && segment.holds(slot)) {
            return segment;
        }
        if (segment != null) {
            segment.releaseSigned(); // Lanes copy what they are given.
        }
        current = segments.at(slot);
        return current;
    }

    /** The first connection with little to do, else the one with least, if any has room. */
    private static @Nullable SubmitLane pick(SubmitLane[] node) {
        SubmitLane best = null;
        for (SubmitLane lane : node) {
            if (lane.hasRoom() && (best == null || lane.inFlight() < best.inFlight())) {
                best = lane;
                if (lane.inFlight() < lane.fewInFlight()) {
                    break;
                }
            }
        }
        return best;
    }
}
