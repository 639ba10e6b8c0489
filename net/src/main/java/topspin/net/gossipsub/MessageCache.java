package topspin.net.gossipsub;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Messages kept for peers that ask by IWANT, for so many heartbeats; the latest are what IHAVE
 * tells of. Bounded in bytes: beyond it the oldest go early. A message is found by its id among the
 * ids seen, which hold the reference.
 */
final class MessageCache {
    /** Heartbeats for which a message is kept, and is told of; go-algorand's. */
    static final int WINDOWS = 10;

    static final int WINDOWS_TOLD = 3;

    private final IdCache seen;
    private final long bytesMax;
    private final Deque<Message> messages = new ArrayDeque<>(); // The oldest first.

    /** Messages of each heartbeat, by its number modulo the length. */
    private final int[] counts = new int[WINDOWS];

    private int latest;
    private long bytes;
    private long evicted;

    MessageCache(IdCache seen, long bytesMax) {
        this.seen = seen;
        this.bytesMax = bytesMax;
    }

    /** Keeps a message, to which its id's slot already refers. */
    void put(Message message) {
        messages.addLast(message);
        counts[latest]++;
        bytes += message.entry.length;
        while (bytes > bytesMax && messages.size() > 1) {
            int oldest = latest;
            do {
                oldest = (oldest + 1) % WINDOWS;
            } while (counts[oldest] == 0);
            counts[oldest]--;
            evicted++;
            forgetOldest();
        }
    }

    /** A heartbeat has passed: the oldest fall out. */
    void shift() {
        latest = (latest + 1) % WINDOWS;
        for (; counts[latest] > 0; counts[latest]--) {
            forgetOldest();
        }
    }

    private void forgetOldest() {
        Message message = messages.removeFirst();
        bytes -= message.entry.length;
        int slot = seen.find(message.id);
        // The id may have been seen again after it was evicted there.
        if (slot != IdCache.NONE && seen.message(slot) == message) {
            seen.message(slot, null);
        }
    }

    /** Appends the messages that IHAVE tells of, the latest first. */
    void collectTold(List<Message> target) {
        int count = 0;
        for (int window = 0; window < WINDOWS_TOLD; window++) {
            count += counts[Math.floorMod(latest - window, WINDOWS)];
        }
        Iterator<Message> next = messages.descendingIterator();
        for (; count > 0; count--) {
            target.add(next.next());
        }
    }

    long bytes() {
        return bytes;
    }

    /** Messages that went for want of room since this was last asked. */
    long takeEvicted() {
        long count = evicted;
        evicted = 0;
        return count;
    }
}
