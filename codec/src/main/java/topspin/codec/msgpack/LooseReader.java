package topspin.codec.msgpack;

import org.jspecify.annotations.Nullable;

import topspin.codec.Text;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads values of a {@link Shape} from any of the forms that the reference's decoders take
 * (transactions.md section 1.2): keys in any order, repeated, or left to their position; integers
 * too wide; byte strings as strings, lists or maps of small integers; nil for anything. What was
 * read is then written canonically by {@link LooseWriter}.
 *
 * <p>The reference has two decoders, which differ at the edges; a {@link Dialect} is one of them.
 * Not for the hot path, nor for several threads. Byte strings take what the message has bytes for;
 * other values, of which one byte may stand for many, are bounded in number.
 *
 * <p>Values are, by shape: {@code Long}, {@code Boolean}, {@code byte[]} for all bytes and strings,
 * {@link LooseList}, a sorted {@code Map}, and {@code Object[]} for a struct, its fields in the
 * order of their declaration. Null is the zero value, and nil.
 */
public final class LooseReader {
    /** Whose habits are followed. */
    public enum Dialect {
        /** The decoder that serves the network: bounds and required fields hold. */
        GOSSIP,
        /**
         * The decoder that serves REST: it has neither, takes 0 and 1 for booleans, and says more.
         */
        REST
    }

    /**
     * Most values of a message, the values within values counted too: several times what a group
     * has that can be valid, and few enough to take some tens of megabytes if each stands for the
     * longest array.
     */
    static final int VALUES_MAX = 1 << 16;

    private static final byte[] NOTHING = {};

    private final Dialect dialect;
    private byte[] bytes = NOTHING;
    private int position;
    private int values;
    private boolean cutOff;

    public LooseReader(Dialect dialect) {
        this.dialect = dialect;
    }

    /** Starts at the beginning of {@code source}. */
    public LooseReader reset(byte[] source) {
        bytes = source;
        position = 0;
        values = 0;
        cutOff = false;
        return this;
    }

    /** Lets go of the array; {@link #position} stays. */
    public void release() {
        bytes = NOTHING;
    }

    public int position() {
        return position;
    }

    public boolean atEnd() {
        return position == bytes.length;
    }

    /** Whether the last refusal was only for want of more bytes. */
    public boolean isCutOff() {
        return cutOff;
    }

    /** Reads a value; null if it is zero by being nil. */
    public @Nullable Object read(Shape shape) throws MalformedMessage {
        return value(shape, null);
    }

    /**
     * Reads a value over {@code old}, what the same place held before: some forms leave parts of
     * it.
     */
    private @Nullable Object value(Shape shape, @Nullable Object old) throws MalformedMessage {
        if (++values > VALUES_MAX) {
            throw malformed("more than " + VALUES_MAX + " values");
        }
        if (peekNil()) {
            position++;
            if (shape instanceof Shape.Struct struct) {
                requireFields(struct, null);
            }
            return null;
        }
        return switch (shape) {
            case Shape.Struct struct -> struct(struct, (Object[]) old);
            case Shape.Uint uint -> uint(uint);
            case Shape.Flag flag -> flag();
            case Shape.Text text -> text(text.max());
            case Shape.Blob blob -> blob(blob.max());
            case Shape.Fixed fixed -> fixed(fixed.length(), (byte[]) old);
            case Shape.ListOf list -> list(list, (LooseList) old);
            case Shape.MapOf map -> map(map, old);
            case Shape.Signed signed -> throw new IllegalArgumentException("no loose form");
            case Shape.Later later -> throw new IllegalArgumentException("recursive shape");
        };
    }

    // Structs.

    private Object[] struct(Shape.Struct struct, @Nullable Object @Nullable [] old)
            throws MalformedMessage {
        @Nullable Object[] fields = old == null ? new Object[struct.declared().size()] : old;
        int form = take();
        if (isMap(form)) {
            long size = mapSize(form);
            for (long pair = 0; pair < size; pair++) {
                byte[] name = key();
                int index = struct.indexOf(name);
                if (index < 0) {
                    throw unknownField(name);
                }
                fields[index] = value(struct.declared().get(index).shape(), fields[index]);
            }
        } else if (isList(form)) {
            long size = listSize(form);
            for (long index = 0; index < size; index++) {
                if (index == struct.declared().size()) {
                    throw malformed(
                            "no matching struct field found when decoding stream array at index "
                                    + index);
                }
                int place = (int) index;
                fields[place] = value(struct.declared().get(place).shape(), fields[place]);
            }
        } else {
            throw malformed("only encoded map or array can be decoded into a struct");
        }
        requireFields(struct, fields);
        return present(fields);
    }

    @SuppressWarnings("NullAway") // The fields of a struct may be null; a cast cannot say so.
    private static Object[] present(@Nullable Object[] fields) {
        return fields;
    }

    private void requireFields(Shape.Struct struct, @Nullable Object @Nullable [] fields)
            throws MalformedMessage {
        if (dialect == Dialect.REST) {
            return;
        }
        for (int index = 0; index < struct.declared().size(); index++) {
            Shape.Field field = struct.declared().get(index);
            if (field.required()
                    && (fields == null || LooseWriter.isZero(field.shape(), fields[index]))) {
                throw malformed("missing required field: " + field.key());
            }
        }
    }

    private byte[] key() throws MalformedMessage {
        if (dialect == Dialect.GOSSIP) {
            return peekNil() ? new byte[skipNil()] : string(take(), false, Shape.NO_BOUND);
        }
        byte[] name = string(take(), false, Shape.NO_BOUND);
        if (name.length == 0) {
            // What the reference's decoder says when it stumbles over such a key.
            throw malformed("runtime error: index out of range [0] with length 0");
        }
        return name;
    }

    private int skipNil() {
        position++;
        return 0;
    }

    private MalformedMessage unknownField(byte[] name) {
        String text = Text.printable(Text.of(name, 0, name.length));
        return malformed(
                "no matching struct field found when decoding stream map with key " + text);
    }

    // Scalars.

    private Long uint(Shape.Uint shape) throws MalformedMessage {
        long value = uint();
        long max = dialect == Dialect.REST ? shape.typeMax() : shape.max();
        if (Long.compareUnsigned(value, max) > 0) {
            throw malformed("uint64 overflow: " + Long.toUnsignedString(value));
        }
        return value;
    }

    private long uint() throws MalformedMessage {
        int form = take();
        if (form <= 0x7f) {
            return form;
        }
        return switch (form) {
            case 0xcc -> number(1);
            case 0xcd -> number(2);
            case 0xce -> number(4);
            case 0xcf -> number(8);
            case 0xd0 -> notNegative(number(1) << 56 >> 56);
            case 0xd1 -> notNegative(number(2) << 48 >> 48);
            case 0xd2 -> notNegative(number(4) << 32 >> 32);
            case 0xd3 -> notNegative(number(8));
            default ->
                    throw malformed(
                            form >= 0xe0
                                    ? "assigning negative signed value: "
                                            + form
                                            + ", to unsigned type"
                                    : unrecognized("unsigned integer", form));
        };
    }

    private long notNegative(long value) throws MalformedMessage {
        if (value < 0) {
            throw malformed("assigning negative signed value: " + value + ", to unsigned type");
        }
        return value;
    }

    private Boolean flag() throws MalformedMessage {
        int form = take();
        boolean number = dialect == Dialect.REST && (form == 0 || form == 1);
        if (form != 0xc2 && form != 0xc3 && !number) {
            throw malformed(unrecognized("bool", form));
        }
        return form == 0xc3 || form == 1;
    }

    // Bytes.

    private byte[] text(int max) throws MalformedMessage {
        return string(take(), false, max);
    }

    /** A string, from strings, byte strings, and lists of small integers. */
    private byte[] string(int form, boolean mapsToo, int max) throws MalformedMessage {
        if (isBytes(form)) {
            return content(checkBound(bytesLength(form), max));
        }
        if (isList(form) || (mapsToo && isMap(form))) {
            return small(isList(form) ? listSize(form) : 2 * mapSize(form), max);
        }
        int kind = form == 0xc0 ? 1 : isMap(form) ? 9 : 0;
        throw malformed(
                "invalid container type: expecting bin|str|array, got: 0x"
                        + Integer.toHexString(kind));
    }

    /** A byte string, from all that a string comes from and maps of small integers. */
    private byte[] blob(int max) throws MalformedMessage {
        int form = take();
        if (!isBytes(form) && !isList(form) && !isMap(form)) {
            throw malformed("only encoded map or array can be decoded into a slice (0)");
        }
        return string(form, true, max);
    }

    /** An array of bytes: what is too long is cut, what is too short leaves the rest as it was. */
    private byte[] fixed(int length, byte @Nullable [] old) throws MalformedMessage {
        byte[] array = old == null ? new byte[length] : old;
        int form = take();
        if (isBytes(form)) {
            byte[] content = content(bytesLength(form));
            System.arraycopy(content, 0, array, 0, Math.min(length, content.length));
            return array;
        }
        if (!isList(form) && !isMap(form)) {
            throw malformed("only encoded map or array can be decoded into a slice (0)");
        }
        long size = isList(form) ? listSize(form) : 2 * mapSize(form);
        for (long index = 0; index < size; index++) {
            if (index == length) {
                require(1);
                position++;
                throw malformed(
                        "cannot expand array len during decode from "
                                + length
                                + " to "
                                + (length + 1));
            }
            array[(int) index] = smallInteger();
        }
        return array;
    }

    private byte[] small(long size, int max) throws MalformedMessage {
        checkBound(size, max);
        byte[] small = new byte[(int) Math.min(size, 64)];
        for (int index = 0; index < size; index++) {
            if (index == small.length) {
                small = Arrays.copyOf(small, (int) Math.min(size, 2L * index));
            }
            small[index] = smallInteger();
        }
        return small;
    }

    private byte smallInteger() throws MalformedMessage {
        if (peekNil()) {
            position++;
            return 0;
        }
        long value = uint();
        if (Long.compareUnsigned(value, 0xff) > 0) {
            throw malformed("uint64 overflow: " + Long.toUnsignedString(value));
        }
        return (byte) value;
    }

    // Containers.

    private LooseList list(Shape.ListOf shape, @Nullable LooseList old) throws MalformedMessage {
        int form = take();
        if (dialect == Dialect.REST && isBytes(form) && !shape.typeName().equals("[]uint64")) {
            throw malformed(
                    "bytes/string in stream must decode into slice/array of bytes, not "
                            + shape.typeName());
        }
        if (!isList(form) && !isMap(form)) {
            int kind = isBytes(form) ? 8 : 0;
            throw malformed("only encoded map or array can be decoded into a slice (" + kind + ")");
        }
        long size = isList(form) ? listSize(form) : 2 * mapSize(form);
        checkBound(size, shape.max());
        LooseList list =
                old == null || (dialect == Dialect.GOSSIP && size > old.capacity())
                        ? new LooseList()
                        : old;
        list.begin(size);
        for (long index = 0; index < size; index++) {
            list.put((int) index, value(shape.element(), list.held((int) index)));
        }
        return list;
    }

    private Map<Long, @Nullable Object> map(Shape.MapOf shape, @Nullable Object old)
            throws MalformedMessage {
        @SuppressWarnings("unchecked") // What this method made.
        Map<Long, @Nullable Object> map =
                old == null
                        ? new TreeMap<>(Long::compareUnsigned)
                        : (Map<Long, @Nullable Object>) old;
        int form = take();
        long size;
        if (isMap(form)) {
            size = mapSize(form);
        } else if (dialect == Dialect.REST && (form == 0 || form >= 0x80)) {
            // The reference looks at single bits here, so that almost anything counts as a map.
            size = form == 0 ? number(1) : form ^ 0x80;
        } else {
            throw malformed(
                    "cannot read container length: unrecognized descriptor byte: hex: "
                            + Integer.toHexString(form)
                            + ", decimal: "
                            + form);
        }
        checkBound(size, shape.max());
        for (long pair = 0; pair < size; pair++) {
            long key = dialect == Dialect.GOSSIP && peekNil() ? skipNil() : uint();
            if (dialect == Dialect.REST && map.get(key) != null && !peekNil()) {
                throw malformed("reflect.Value.Set using unaddressable value");
            }
            map.put(key, value(shape.value(), null));
        }
        return map;
    }

    // Forms.

    private static boolean isMap(int form) {
        return (form & 0xf0) == 0x80 || form == 0xde || form == 0xdf;
    }

    private static boolean isList(int form) {
        return (form & 0xf0) == 0x90 || form == 0xdc || form == 0xdd;
    }

    /** Strings and byte strings: nobody tells them apart. */
    private static boolean isBytes(int form) {
        return (form & 0xe0) == 0xa0
                || (form >= 0xc4 && form <= 0xc6)
                || (form >= 0xd9 && form <= 0xdb);
    }

    private long mapSize(int form) throws MalformedMessage {
        return form == 0xde ? number(2) : form == 0xdf ? number(4) : form & 0x0f;
    }

    private long listSize(int form) throws MalformedMessage {
        return form == 0xdc ? number(2) : form == 0xdd ? number(4) : form & 0x0f;
    }

    private long bytesLength(int form) throws MalformedMessage {
        return switch (form) {
            case 0xc4, 0xd9 -> number(1);
            case 0xc5, 0xda -> number(2);
            case 0xc6, 0xdb -> number(4);
            default -> form & 0x1f;
        };
    }

    private byte[] content(long length) throws MalformedMessage {
        require(length);
        byte[] content = Arrays.copyOfRange(bytes, position, position + (int) length);
        position += (int) length;
        return content;
    }

    private long number(int size) throws MalformedMessage {
        require(size);
        long number = 0;
        for (int index = 0; index < size; index++) {
            number = (number << 8) | (bytes[position++] & 0xff);
        }
        return number;
    }

    private boolean peekNil() throws MalformedMessage {
        require(1);
        return bytes[position] == (byte) 0xc0;
    }

    private int take() throws MalformedMessage {
        require(1);
        return bytes[position++] & 0xff;
    }

    private void require(long count) throws MalformedMessage {
        if (count > bytes.length - position) {
            cutOff = true;
            throw malformed("unexpected end");
        }
    }

    private long checkBound(long size, int max) throws MalformedMessage {
        if (dialect == Dialect.GOSSIP && size > max) {
            throw malformed("length overflow: " + size + " > " + max);
        }
        return size;
    }

    private MalformedMessage malformed(String reason) {
        return new MalformedMessage(reason, position);
    }

    private static String unrecognized(String wanted, int form) {
        return "cannot decode "
                + wanted
                + ": unrecognized descriptor byte: "
                + Integer.toHexString(form)
                + "/"
                + description(form);
    }

    private static String description(int form) {
        return switch (form) {
            case 0xc0 -> "nil";
            case 0xc2 -> "false";
            case 0xc3 -> "true";
            case 0xca, 0xcb -> "float";
            case 0xcc, 0xcd, 0xce, 0xcf -> "uint";
            case 0xc4, 0xc5, 0xc6 -> "bytes";
            case 0xd9, 0xda, 0xdb -> "string|bytes";
            case 0xc7, 0xc8, 0xc9, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8 -> "ext";
            case 0xc1 -> "unknown";
            default ->
                    isMap(form)
                            ? "map"
                            : isList(form)
                                    ? "array"
                                    : (form & 0xe0) == 0xa0 ? "string|bytes" : "int";
        };
    }
}
