package topspin.codec;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A list of unsigned 64-bit integers that never changes: a value, without boxes. */
public final class Longs {
    public static final Longs EMPTY = new Longs(new long[0]);

    private final long[] values;

    private Longs(long[] values) {
        this.values = values;
    }

    /** All of {@code values}, which must not change from now on. */
    public static Longs of(long... values) {
        return values.length == 0 ? EMPTY : new Longs(values);
    }

    public int size() {
        return values.length;
    }

    public boolean isEmpty() {
        return values.length == 0;
    }

    public long get(int index) {
        return values[index];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Longs that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return Arrays.stream(values)
                .mapToObj(Long::toUnsignedString)
                .collect(Collectors.joining(", ", "[", "]"));
    }
}
