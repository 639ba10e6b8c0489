package topspin.loadgen;

/**
 * Which of our transactions has an id: open addressing over the first eight bytes of ids, which are
 * digests of our own making and spread well unsalted. Two ids that share them are held to be one,
 * which among 2^24 ids happens once in 65,000 runs. One thread owns it; nothing is allocated but
 * when it grows.
 */
final class IdTable {
    /** What {@link #remove} answers for an id that is not there. */
    static final long ABSENT = -1;

    /** Ids it holds at most; past it the generator would measure its own memory. */
    static final int IDS_MAX = 1 << 23;

    private long[] keys; // 0 marks a free place.
    private long[] values;
    private int size;

    IdTable(int idsExpected) {
        int places = Integer.highestOneBit(Math.max(idsExpected, 8)) << 2;
        keys = new long[places];
        values = new long[places];
    }

    int size() {
        return size;
    }

    /**
     * Adds an id, or gives one that is there another value.
     *
     * @throws IllegalStateException if it is full
     */
    void put(long idPrefix, long value) {
        long key = key(idPrefix);
        int place = find(key);
        if (keys[place] == 0) {
            if (size == IDS_MAX) {
                throw new IllegalStateException(
                        "more than " + IDS_MAX + " transactions await confirmation");
            }
            if (2 * (size + 1) > keys.length) {
                grow();
                place = find(key);
            }
            keys[place] = key;
            size++;
        }
        values[place] = value;
    }

    /** Takes an id out and returns its value, or {@link #ABSENT}. */
    long remove(long idPrefix) {
        int place = find(key(idPrefix));
        if (keys[place] == 0) {
            return ABSENT;
        }
        long value = values[place];
        size--;
        closeGap(place);
        return value;
    }

    /** Moves up whatever the free place would cut off from its home. */
    private void closeGap(int gap) {
        int mask = keys.length - 1;
        int place = gap;
        while (true) {
            place = (place + 1) & mask;
            if (keys[place] == 0) {
                keys[gap] = 0;
                return;
            }
            int home = (int) keys[place] & mask;
            if (((place - home) & mask) >= ((place - gap) & mask)) {
                keys[gap] = keys[place];
                values[gap] = values[place];
                gap = place;
            }
        }
    }

    private int find(long key) {
        int mask = keys.length - 1;
        int place = (int) key & mask;
        while (keys[place] != 0 && keys[place] != key) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private void grow() {
        long[] keysBefore = keys;
        long[] valuesBefore = values;
        keys = new long[2 * keysBefore.length];
        values = new long[keys.length];
        for (int i = 0; i < keysBefore.length; i++) {
            if (keysBefore[i] != 0) {
                int place = find(keysBefore[i]);
                keys[place] = keysBefore[i];
                values[place] = valuesBefore[i];
            }
        }
    }

    private static long key(long idPrefix) {
        return idPrefix == 0 ? 1 : idPrefix;
    }
}
