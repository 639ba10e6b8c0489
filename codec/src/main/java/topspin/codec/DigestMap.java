package topspin.codec;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * A map from digests to values by open addressing: no entry objects, no boxes, and slots that
 * whoever chooses the digests cannot aim at. It grows as needed; its owner bounds it. Not for
 * several threads.
 */
public final class DigestMap<V> {
    private static final int CAPACITY_MIN = 16;

    private @Nullable Digest[] keys;
    private @Nullable Object[] values;
    private int size;

    public DigestMap() {
        this(0);
    }

    /** A map that takes {@code expected} entries before it grows. */
    public DigestMap(int expected) {
        int capacity = CAPACITY_MIN;
        while (capacity < 2L * expected) {
            capacity <<= 1;
        }
        keys = new Digest[capacity];
        values = new Object[capacity];
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public boolean containsKey(Digest key) {
        return keys[slot(key)] != null;
    }

    @SuppressWarnings("unchecked") // Only put() stores values.
    public @Nullable V get(Digest key) {
        return (V) values[slot(key)];
    }

    /** Maps {@code key} to {@code value}; returns what was there before. */
    @SuppressWarnings("unchecked")
    public @Nullable V put(Digest key, V value) {
        int slot = slot(key);
        V previous = (V) values[slot];
        if (keys[slot] == null) {
            if (2 * (size + 1) > keys.length) {
                grow();
                slot = slot(key);
            }
            keys[slot] = key;
            size++;
        }
        values[slot] = value;
        return previous;
    }

    /** Removes {@code key}; returns what was there. */
    @SuppressWarnings("unchecked")
    public @Nullable V remove(Digest key) {
        int hole = slot(key);
        if (keys[hole] == null) {
            return null;
        }
        V previous = (V) values[hole];
        int mask = keys.length - 1;
        // Later members of the run move up, unless that would put them before their own slot.
        for (int next = (hole + 1) & mask; ; next = (next + 1) & mask) {
            Digest moved = keys[next];
            if (moved == null) {
                break;
            }
            int home = moved.hashCode() & mask;
            if (((next - home) & mask) >= ((next - hole) & mask)) {
                keys[hole] = moved;
                values[hole] = values[next];
                hole = next;
            }
        }
        keys[hole] = null;
        values[hole] = null;
        size--;
        return previous;
    }

    /** Forgets all entries and keeps the room. */
    public void clear() {
        if (size > 0) {
            Arrays.fill(keys, null);
            Arrays.fill(values, null);
            size = 0;
        }
    }

    /**
     * Shows every entry, in no order that anything may depend on. The map must not change
     * meanwhile.
     */
    @SuppressWarnings("unchecked")
    public void forEach(BiConsumer<? super Digest, ? super V> action) {
        for (int slot = 0; slot < keys.length; slot++) {
            Digest key = keys[slot];
            V value = (V) values[slot];
            if (key != null && value != null) {
                action.accept(key, value);
            }
        }
    }

    private int slot(Digest key) {
        int mask = keys.length - 1;
        int slot = key.hashCode() & mask;
        for (Digest held = keys[slot]; held != null && !held.equals(key); held = keys[slot]) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        @Nullable Digest[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new Digest[oldKeys.length * 2];
        values = new Object[oldKeys.length * 2];
        for (int slot = 0; slot < oldKeys.length; slot++) {
            Digest key = oldKeys[slot];
            if (key != null) {
                int place = slot(key);
                keys[place] = key;
                values[place] = oldValues[slot];
            }
        }
    }
}
