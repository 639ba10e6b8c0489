package topspin.net.stream;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.net.Tag;

import java.util.Arrays;

/**
 * The frames that wait for one peer: two lanes, the urgent one emptied first, each in order and
 * bounded in messages and bytes. Any thread may offer; the lock is held for a few array accesses,
 * since many threads send and one event loop writes.
 */
final class OutboundQueue {
    private final QueueBudget budget;
    private final Lane urgent;
    private final Lane bulk;
    private boolean closed;

    OutboundQueue(int messagesMax, long bytesMax, QueueBudget budget) {
        this.budget = budget;
        this.urgent = new Lane(messagesMax, bytesMax);
        this.bulk = new Lane(messagesMax, bytesMax);
    }

    /**
     * Takes over {@code frame}, to be written or released.
     *
     * @return false, the frame released, if it does not fit or the queue is closed
     */
    synchronized boolean offer(Tag tag, ByteBuf frame, long nowNanos) {
        Lane lane = tag.urgent() ? urgent : bulk;
        int length = frame.readableBytes();
        if (closed || !lane.fits(length) || !budget.take(length)) {
            frame.release();
            return false;
        }
        lane.add(frame, length, nowNanos);
        return true;
    }

    /** The next frame, now the caller's; null if none waits. */
    synchronized @Nullable ByteBuf poll() {
        Lane lane = urgent.size > 0 ? urgent : bulk;
        if (lane.size == 0) {
            return null;
        }
        ByteBuf frame = lane.remove();
        budget.give(frame.readableBytes());
        return frame;
    }

    /** How long the frame has waited that has waited longest. */
    synchronized long waitedNanos(long nowNanos) {
        return Math.max(urgent.waitedNanos(nowNanos), bulk.waitedNanos(nowNanos));
    }

    synchronized long bytes() {
        return urgent.bytes + bulk.bytes;
    }

    /** Releases what waits; from now on nothing is taken. */
    synchronized void close() {
        closed = true;
        for (ByteBuf frame = poll(); frame != null; frame = poll()) {
            frame.release();
        }
    }

    /** A ring that grows to its bound. */
    private static final class Lane {
        private final int messagesMax;
        private final long bytesMax;
        private @Nullable ByteBuf[] frames;
        private long[] sinceNanos;
        private int head;
        private int size;
        private long bytes;

        Lane(int messagesMax, long bytesMax) {
            this.messagesMax = messagesMax;
            this.bytesMax = bytesMax;
            int room = Math.min(messagesMax, 64);
            this.frames = new ByteBuf[room];
            this.sinceNanos = new long[room];
        }

        boolean fits(int length) {
            return size < messagesMax && bytes + length <= bytesMax;
        }

        void add(ByteBuf frame, int length, long nowNanos) {
            if (size == frames.length) {
                grow();
            }
            int slot = (head + size) % frames.length;
            frames[slot] = frame;
            sinceNanos[slot] = nowNanos;
            size++;
            bytes += length;
        }

        ByteBuf remove() {
            ByteBuf frame = frames[head];
            if (frame == null) {
                throw new AssertionError("an empty slot within the lane");
            }
            frames[head] = null;
            head = (head + 1) % frames.length;
            size--;
            bytes -= frame.readableBytes();
            return frame;
        }

        long waitedNanos(long nowNanos) {
            return size == 0 ? 0 : nowNanos - sinceNanos[head];
        }

        private void grow() {
            int room = (int) Math.min(2L * frames.length, messagesMax);
            @Nullable ByteBuf[] largerFrames = Arrays.copyOfRange(frames, head, head + room);
            long[] largerSince = Arrays.copyOfRange(sinceNanos, head, head + room);
            int atEnd = frames.length - head;
            System.arraycopy(frames, 0, largerFrames, atEnd, head);
            System.arraycopy(sinceNanos, 0, largerSince, atEnd, head);
            frames = largerFrames;
            sinceNanos = largerSince;
            head = 0;
        }
    }
}
