package topspin.codec.msgpack;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A list in the making, which remembers more than it shows: a list read over a longer one leaves
 * the rest of that one in place, and a longer one read later meets it again.
 */
public final class LooseList {
    private final List<@Nullable Object> items = new ArrayList<>();
    private int size;
    private long capacity;

    /** How many elements it has. */
    public int size() {
        return size;
    }

    /** The element at {@code index}; null if it is nil or zero. */
    public @Nullable Object get(int index) {
        return items.get(index);
    }

    /** How many it was last made room for. */
    long capacity() {
        return capacity;
    }

    /** Starts over, with room for {@code count}. */
    void begin(long count) {
        if (count > capacity) {
            // What lies behind the end is not taken along into the new room.
            while (items.size() > size) {
                items.removeLast();
            }
            capacity = count;
        }
        size = 0;
    }

    /** What the place at {@code index} holds from before. */
    @Nullable Object held(int index) {
        return index < items.size() ? items.get(index) : null;
    }

    /** Sets the next element. */
    void put(int index, @Nullable Object value) {
        if (index < items.size()) {
            items.set(index, value);
        } else {
            items.add(value);
        }
        size = index + 1;
    }
}
