package topspin.node.ingest;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.random.RandomGenerator;

/**
 * What came lately, by a salted hash of the signed bytes, so that a second copy is dropped before
 * it is decoded.
 *
 * <p>Two generations of slots: when the younger one is full the older one is emptied and takes its
 * place, so at least {@code groups} and at most twice as many messages are remembered. A crowded
 * bucket forgets one of its entries, which costs a second look and nothing else. The ingest thread
 * adds; any thread may {@link #forget}, since a message that is refused for now must be able to
 * come again. The salt is drawn once per process: keys of one filter mean nothing to another.
 */
final class DuplicateFilter {
    private static final int WAYS = 8;
    private static final long EMPTY = 0;

    private final SipHash hash;
    private final AtomicLongArray[] generations;
    private final int bucketMask;
    private final int generationMax;
    private int young;
    private int youngCount;

    /**
     * @param groups messages remembered at least
     * @param random where the salt comes from; unpredictable outside of tests
     */
    DuplicateFilter(int groups, RandomGenerator random) {
        int slots = Integer.highestOneBit(Math.max(WAYS, groups) - 1) << 2; // Half full at most.
        this.hash = new SipHash(random.nextLong(), random.nextLong());
        this.generations =
                new AtomicLongArray[] {new AtomicLongArray(slots), new AtomicLongArray(slots)};
        this.bucketMask = slots / WAYS - 1;
        this.generationMax = groups;
    }

    /** The key of a message's signed bytes, never zero; any thread. */
    long key(byte[] bytes, int offset, int length) {
        long key = hash.hash(bytes, offset, length);
        return key == EMPTY ? 1 : key;
    }

    /** Remembers a key; false if it was there. Ingest thread only. */
    boolean add(long key) {
        if (find(generations[young], key) >= 0 || find(generations[1 - young], key) >= 0) {
            return false;
        }
        if (youngCount == generationMax) {
            young = 1 - young;
            youngCount = 0;
            AtomicLongArray old = generations[young];
            for (int i = 0; i < old.length(); i++) {
                old.setPlain(i, EMPTY);
            }
        }
        AtomicLongArray slots = generations[young];
        int free = find(slots, EMPTY, key);
        slots.setRelease(free >= 0 ? free : bucket(key) + (int) (key & (WAYS - 1)), key);
        youngCount++;
        return true;
    }

    /** Lets a message come again; any thread. */
    void forget(long key) {
        for (AtomicLongArray slots : generations) {
            int at = find(slots, key);
            if (at >= 0) {
                slots.compareAndSet(at, key, EMPTY);
            }
        }
    }

    private int find(AtomicLongArray slots, long key) {
        return find(slots, key, key);
    }

    private int find(AtomicLongArray slots, long content, long key) {
        int first = bucket(key);
        for (int i = first; i < first + WAYS; i++) {
            if (slots.getAcquire(i) == content) {
                return i;
            }
        }
        return -1;
    }

    /** The upper bits choose the bucket, the lowest three the entry that a crowded one forgets. */
    private int bucket(long key) {
        return ((int) (key >>> 32) & bucketMask) * WAYS;
    }
}
