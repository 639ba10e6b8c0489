package topspin.net.gossipsub;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Ids of messages, each for a time counted from when it was first added, and what is known of each.
 * A ring in the order of time with a table into it by open addressing: no object per id, and slots
 * that whoever chooses the ids cannot aim at. Grows to its bound; beyond it the oldest id goes
 * early. Not for several threads.
 */
final class IdCache {
    /** In place of a slot. */
    static final int NONE = -1;

    /** What became of a message: its verdict is awaited, or it was ... */
    static final byte UNDECIDED = 0;

    /** ... accepted, and passed on. */
    static final byte PASSED = 1;

    /** ... ignored. */
    static final byte IGNORED = 2;

    /** ... rejected: whoever sends it again is held to account too. */
    static final byte INVALID = 3;

    private static final int CAPACITY_MIN = 64;

    private final int capacityMax;
    private final long salt;
    private final long odd;

    // By slot of the ring.
    private long[] ids;
    private long[] expiries;
    private byte[] states;
    private @Nullable Message[] messages;

    /** Slots plus one, 0 for none; twice as long as the ring, or longer. */
    private int[] table;

    private int head;
    private int size;
    private long evicted;
    private int pendingLost;

    IdCache(int capacityMax, RandomGenerator random) {
        this.capacityMax = capacityMax;
        this.salt = random.nextLong();
        this.odd = random.nextLong() | 1;
        int capacity = Math.min(CAPACITY_MIN, capacityMax);
        ids = new long[4 * capacity];
        expiries = new long[capacity];
        states = new byte[capacity];
        messages = new Message[capacity];
        table = new int[tableLength(capacity)];
    }

    private static int tableLength(int capacity) {
        return Integer.highestOneBit(2 * capacity - 1) << 1;
    }

    /** The slot of an id, good until the next change; {@link #NONE} if it was not seen. */
    int find(MessageId id) {
        return table[place(id.a, id.b, id.c, id.d)] - 1;
    }

    /**
     * Remembers an id that is not there until {@code expiryNanos}, no earlier than those before it.
     *
     * @return its slot
     */
    int add(MessageId id, long expiryNanos) {
        if (size == expiries.length) {
            if (size < capacityMax) {
                grow();
            } else {
                evicted++;
                removeOldest();
            }
        }
        int slot = (head + size) % expiries.length;
        size++;
        ids[4 * slot] = id.a;
        ids[4 * slot + 1] = id.b;
        ids[4 * slot + 2] = id.c;
        ids[4 * slot + 3] = id.d;
        expiries[slot] = expiryNanos;
        states[slot] = UNDECIDED;
        messages[slot] = null;
        table[place(id.a, id.b, id.c, id.d)] = slot + 1;
        return slot;
    }

    /** Takes it that the newest id was never seen. */
    void forgetNewest() {
        size--;
        unlink((head + size) % expiries.length);
    }

    /** Forgets what was seen too long ago. */
    void expire(long nowNanos) {
        while (size > 0 && expiries[head] - nowNanos <= 0) {
            removeOldest();
        }
    }

    private void removeOldest() {
        Message message = messages[head];
        if (states[head] == UNDECIDED && message != null) {
            pendingLost++;
            message.noLongerPending();
        }
        unlink(head);
        head = (head + 1) % expiries.length;
        size--;
    }

    /** The message of an id, while it waits for its verdict or is in the cache. */
    @Nullable Message message(int slot) {
        return messages[slot];
    }

    void message(int slot, @Nullable Message message) {
        messages[slot] = message;
    }

    /** What became of the message. */
    byte state(int slot) {
        return states[slot];
    }

    void state(int slot, byte state) {
        states[slot] = state;
    }

    int size() {
        return size;
    }

    /** Ids forgotten for want of room since this was last asked. */
    long takeEvicted() {
        long count = evicted;
        evicted = 0;
        return count;
    }

    /** Messages whose verdict was awaited when their id went, since this was last asked. */
    int takePendingLost() {
        int count = pendingLost;
        pendingLost = 0;
        return count;
    }

    private int place(long a, long b, long c, long d) {
        int mask = table.length - 1;
        int place = home(a, b, c, d) & mask;
        for (int entry = table[place]; entry != 0; entry = table[place]) {
            int base = 4 * (entry - 1);
            if (ids[base] == a && ids[base + 1] == b && ids[base + 2] == c && ids[base + 3] == d) {
                return place;
            }
            place = (place + 1) & mask;
        }
        return place;
    }

    private int home(long a, long b, long c, long d) {
        long hash = (a ^ salt) * odd;
        hash = (hash ^ (hash >>> 32) ^ b) * odd;
        hash = (hash ^ (hash >>> 32) ^ c) * odd;
        hash = (hash ^ (hash >>> 32) ^ d) * odd;
        return (int) (hash >>> 32);
    }

    private int homeOf(int slot) {
        return home(ids[4 * slot], ids[4 * slot + 1], ids[4 * slot + 2], ids[4 * slot + 3]);
    }

    private void unlink(int slot) {
        messages[slot] = null;
        int mask = table.length - 1;
        int hole = place(ids[4 * slot], ids[4 * slot + 1], ids[4 * slot + 2], ids[4 * slot + 3]);
        // Later members of the run move up, unless that would put them before their own place.
        for (int next = (hole + 1) & mask; table[next] != 0; next = (next + 1) & mask) {
            int home = homeOf(table[next] - 1) & mask;
            if (((next - home) & mask) >= ((next - hole) & mask)) {
                table[hole] = table[next];
                hole = next;
            }
        }
        table[hole] = 0;
    }

    private void grow() {
        int before = expiries.length;
        int after = (int) Math.min(2L * before, capacityMax);
        // Slots keep their order and start at 0.
        long[] newIds = Arrays.copyOfRange(ids, 4 * head, 4 * head + 4 * after);
        long[] newExpiries = Arrays.copyOfRange(expiries, head, head + after);
        byte[] newStates = Arrays.copyOfRange(states, head, head + after);
        @Nullable Message[] newMessages = Arrays.copyOfRange(messages, head, head + after);
        int tail = before - head;
        System.arraycopy(ids, 0, newIds, 4 * tail, 4 * head);
        System.arraycopy(expiries, 0, newExpiries, tail, head);
        System.arraycopy(states, 0, newStates, tail, head);
        System.arraycopy(messages, 0, newMessages, tail, head);
        ids = newIds;
        expiries = newExpiries;
        states = newStates;
        messages = newMessages;
        head = 0;
        table = new int[tableLength(after)];
        for (int slot = 0; slot < size; slot++) {
            int base = 4 * slot;
            table[place(ids[base], ids[base + 1], ids[base + 2], ids[base + 3])] = slot + 1;
        }
    }
}
