package topspin.net.stream;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that all peers' queues may hold together. Any thread may call. */
public final class QueueBudget {
    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    public QueueBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes so many bytes, or none and returns false. */
    boolean take(int amount) {
        if (bytes.addAndGet(amount) <= bytesMax) {
            return true;
        }
        bytes.addAndGet(-amount);
        return false;
    }

    void give(long amount) {
        long left = bytes.addAndGet(-amount);
        assert left >= 0 : left;
    }

    /** Bytes held now. */
    public long bytes() {
        return bytes.get();
    }
}
