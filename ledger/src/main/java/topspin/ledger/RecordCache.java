package topspin.ledger;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Records of the latest round that were read or written lately: a bounded share of what the store
 * holds, never the truth.
 *
 * <p>An entry is the record that its key has had since some round, and has in the latest one. A
 * view may use it if that round is not after its own. The writer replaces what it changes before it
 * shows the new round; a reader adds what it read from the store only if no round was committed
 * meanwhile, so an outdated record never gets in.
 *
 * <p>Keys find their entry in one of {@link #WAYS} slots; hashes are salted, so nobody can aim at a
 * slot. Any thread reads, adds and counts; one thread writes.
 */
final class RecordCache<K, V> {
    private static final int WAYS = 4;
    private static final int STRIPES = 64;

    private record Entry<K, V>(K key, V value, long since) {}

    private final AtomicReferenceArray<@Nullable Entry<K, V>> slots;
    private final int groups;
    private final Object[] stripes = new Object[STRIPES];

    /** The latest round whose changes may already stand here. */
    private final AtomicLong writing = new AtomicLong();

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();

    /**
     * An empty cache.
     *
     * @param entries held at most; rounded up to a power of two
     * @param round the latest round of the ledger
     */
    RecordCache(int entries, long round) {
        groups = Integer.highestOneBit(Math.max(1, (entries - 1) / WAYS)) << 1;
        slots = new AtomicReferenceArray<>(groups * WAYS);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Object();
        }
        writing.set(round);
    }

    /** The record at the end of a round, or null when that is not known here. */
    @Nullable V get(K key, long round) {
        int first = firstSlot(key);
        for (int slot = first; slot < first + WAYS; slot++) {
            Entry<K, V> entry = slots.getAcquire(slot);
            if (entry != null && entry.key.equals(key)) {
                if (entry.since <= round) {
                    hits.increment();
                    return entry.value;
                }
                break;
            }
        }
        misses.increment();
        return null;
    }

    /** Adds what the store had at the end of a round, if that is still the latest. */
    void add(K key, V value, long round) {
        int first = firstSlot(key);
        synchronized (stripe(first)) {
            if (writing.get() == round) {
                put(first, new Entry<>(key, value, round));
            }
        }
    }

    /** Announces changes: from now on nothing that was read before the round is added. */
    void begin(long round) {
        writing.set(round);
    }

    /** A record that changed in the round begun. */
    void change(K key, V value) {
        int first = firstSlot(key);
        synchronized (stripe(first)) {
            put(first, new Entry<>(key, value, writing.get()));
        }
    }

    long hits() {
        return hits.sum();
    }

    long misses() {
        return misses.sum();
    }

    private void put(int first, Entry<K, V> entry) {
        int oldest = first;
        long oldestSince = Long.MAX_VALUE;
        for (int slot = first; slot < first + WAYS; slot++) {
            Entry<K, V> present = slots.getPlain(slot);
            if (present == null || present.key.equals(entry.key)) {
                slots.setRelease(slot, entry);
                return;
            }
            if (present.since < oldestSince) {
                oldest = slot;
                oldestSince = present.since;
            }
        }
        slots.setRelease(oldest, entry);
    }

    private int firstSlot(K key) {
        int hash = key.hashCode();
        return ((hash ^ (hash >>> 16)) & (groups - 1)) * WAYS;
    }

    private Object stripe(int firstSlot) {
        return stripes[(firstSlot / WAYS) & (STRIPES - 1)];
    }
}
