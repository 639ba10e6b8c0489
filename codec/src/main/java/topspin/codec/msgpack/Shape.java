package topspin.codec.msgpack;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/**
 * What may stand at a place in a message: the reference's data types, as far as a decoder or a
 * printer must know them. One table of shapes serves the check of rare parts, the decoding of loose
 * forms, and JSON.
 *
 * <p>Bounds are the reference decoder's; {@link #NO_BOUND} where it has none.
 */
public sealed interface Shape {
    int NO_BOUND = Integer.MAX_VALUE;

    /** How JSON shows bytes. */
    enum Look {
        BASE64,
        /** 58 characters with a checksum. */
        ADDRESS,
        /** {@code blk-} and base32. */
        BLOCK_HASH
    }

    /**
     * An unsigned integer.
     *
     * @param typeMax largest value of its type, which no decoder goes beyond
     * @param max largest value that a bounded decoder takes
     */
    record Uint(long typeMax, long max) implements Shape {}

    /** A signed integer. */
    record Signed() implements Shape {}

    /** A boolean. */
    record Flag() implements Shape {}

    /**
     * A string of bytes that are called text.
     *
     * @param max bytes
     */
    record Text(int max) implements Shape {}

    /**
     * A byte string.
     *
     * @param max bytes
     */
    record Blob(int max) implements Shape {}

    /** An array of {@code length} bytes. */
    record Fixed(int length, Look look) implements Shape {}

    /**
     * A list.
     *
     * @param typeName what the reference calls it in an error
     */
    record ListOf(Shape element, int max, String typeName) implements Shape {}

    /** A map with keys that are data: {@link Uint} or {@link Text}. */
    record MapOf(Shape key, Shape value, int max) implements Shape {}

    /** A shape that is not yet known where it is named: types may contain themselves. */
    record Later(Supplier<Shape> shape) implements Shape {}

    /**
     * A field of a {@link Struct}.
     *
     * @param required whether a bounded decoder insists that it is not zero
     * @param pointer whether it may be present and yet hold nothing but zeros
     */
    record Field(Key key, Shape shape, boolean required, boolean pointer) {}

    /** A map with named fields. */
    final class Struct implements Shape {
        private final List<Field> declared;
        private final List<Field> sorted;
        private final int[] places;

        private Struct(List<Field> declared) {
            this.declared = List.copyOf(declared);
            this.sorted =
                    declared.stream()
                            .sorted(Comparator.comparing(field -> field.key().name()))
                            .toList();
            this.places = sorted.stream().mapToInt(this.declared::indexOf).toArray();
        }

        /** The fields in the order of the reference's declaration: that of its positional form. */
        public List<Field> declared() {
            return declared;
        }

        /** The fields in key order. */
        public List<Field> sorted() {
            return sorted;
        }

        /** Where the field at {@code index} of {@link #sorted} is in {@link #declared}. */
        public int place(int index) {
            return places[index];
        }

        /** Where the field called {@code name} is in {@link #declared}; -1 if there is none. */
        public int indexOf(byte[] name) {
            for (int index = 0; index < declared.size(); index++) {
                byte[] encoded = declared.get(index).key().encoded();
                if (Arrays.equals(encoded, 1, encoded.length, name, 0, name.length)) {
                    return index;
                }
            }
            return -1;
        }

        /** Where the field called {@code name} is in {@link #declared}; it must be there. */
        public int indexOf(Key name) {
            for (int index = 0; index < declared.size(); index++) {
                if (declared.get(index).key().name().equals(name.name())) {
                    return index;
                }
            }
            throw new IllegalArgumentException("no field " + name);
        }
    }

    // How tables are written.

    static Shape uint64() {
        return new Uint(-1, -1);
    }

    static Shape uint32() {
        return new Uint(0xffff_ffffL, 0xffff_ffffL);
    }

    static Shape uint16(long max) {
        return new Uint(0xffff, max);
    }

    static Shape uint8() {
        return new Uint(0xff, 0xff);
    }

    static Shape address() {
        return new Fixed(32, Look.ADDRESS);
    }

    static Shape fixed(int length) {
        return new Fixed(length, Look.BASE64);
    }

    static Field field(String name, Shape shape) {
        return new Field(Key.of(name), shape, false, false);
    }

    static Field required(String name, Shape shape) {
        return new Field(Key.of(name), shape, true, false);
    }

    static Field pointer(String name, Shape shape) {
        return new Field(Key.of(name), shape, false, true);
    }

    static Struct struct(Field... fields) {
        return new Struct(Arrays.asList(fields));
    }

    /** The fields of several structs in one map, one after the other. */
    static Struct flattened(Struct first, Struct... others) {
        List<Field> fields = new ArrayList<>(first.declared());
        for (Struct other : others) {
            fields.addAll(other.declared());
        }
        return new Struct(fields);
    }
}
