package topspin.node.ingest;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * The queue before the ingest thread: slots made once, many producers, one consumer, bounded by
 * count and by bytes. A producer never waits: when there is no room it is told so. Only references
 * go through; the bytes were copied by the producer.
 */
final class IngestRing<T extends IngestRing.Sized> {
    /** Something whose bytes count. */
    interface Sized {
        int length();
    }

    private final AtomicReferenceArray<@Nullable T> slots;
    private final int mask;
    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong tail = new AtomicLong();
    private final AtomicLong head = new AtomicLong();
    private volatile @Nullable Thread sleeper;

    /**
     * @param groups slots, a power of two
     * @param bytesMax bytes of all that wait
     */
    IngestRing(int groups, long bytesMax) {
        this.slots = new AtomicReferenceArray<>(groups);
        this.mask = groups - 1;
        this.bytesMax = bytesMax;
    }

    /** Any thread. False when the ring is full, by count or by bytes. */
    boolean offer(T entry) {
        int length = entry.length();
        if (bytes.addAndGet(length) > bytesMax) {
            bytes.addAndGet(-length);
            return false;
        }
        long at;
        do {
            at = tail.get();
            if (at - head.get() > mask) {
                bytes.addAndGet(-length);
                return false;
            }
        } while (!tail.compareAndSet(at, at + 1));
        slots.set((int) at & mask, entry); // A full fence before the sleeper is looked at.
        Thread waiting = sleeper;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
        return true;
    }

    /** The oldest, or null. The consumer only. */
    @Nullable T poll() {
        int slot = (int) head.get() & mask;
        T entry = slots.get(slot);
        if (entry != null) {
            slots.set(slot, null);
            head.set(
                    head.get()
                            + 1); // After the slot is empty: a producer that sees it may fill the
            // slot.
            bytes.addAndGet(-entry.length());
        }
        return entry;
    }

    /**
     * Waits until there may be something, at most {@code nanos}, or until interrupted. The consumer
     * only.
     */
    void await(long nanos) {
        sleeper = Thread.currentThread();
        if (slots.get((int) head.get() & mask) == null) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeper = null;
    }

    /** How many wait; a reader may be slightly off. */
    int size() {
        return (int) Math.clamp(tail.get() - head.get(), 0, mask + 1L);
    }

    /** The bytes of all that wait. */
    long bytes() {
        return bytes.get();
    }
}
