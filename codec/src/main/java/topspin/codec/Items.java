package topspin.codec;

import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/** A list that never changes, around an array that nobody changes: made without copying. */
public final class Items<E> extends AbstractList<E> implements RandomAccess {
    private final E[] items;

    private Items(E[] items) {
        this.items = items;
    }

    /** All of {@code items}, which must not change from now on. */
    public static <E> List<E> of(E[] items) {
        return items.length == 0 ? List.of() : new Items<>(items);
    }

    /** The list itself if it is one that never changes, else a copy of it that never does. */
    public static <E> List<E> copyOf(List<E> list) {
        return list instanceof Items<E> ? list : List.copyOf(list);
    }

    @Override
    public E get(int index) {
        return items[index];
    }

    @Override
    public int size() {
        return items.length;
    }
}
