package topspin.codec.msgpack;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.ByteOrder.BIG_ENDIAN;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Longs;
import topspin.codec.Text;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Writes canonical msgpack (transactions.md section 1.1) into one array that grows to the largest
 * object it has seen and is then reused: one per thread, and no garbage after that.
 *
 * <p>An encoder lists its fields in key order. A field that is zero is left out by the field
 * methods themselves, and the count in front of the map is put in afterwards:
 *
 * <pre>{@code
 * long map = out.openMap();
 * out.uint(AMT, txn.amount());
 * out.address(CLOSE, txn.closeTo());
 * out.closeMap(map);
 * }</pre>
 */
public final class CanonicalWriter {
    private static final VarHandle SHORT = byteArrayViewVarHandle(short[].class, BIG_ENDIAN);
    private static final VarHandle INT = byteArrayViewVarHandle(int[].class, BIG_ENDIAN);
    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    /**
     * Longest header of anything, and a whole key: what {@link #ensure} is asked beyond content.
     */
    private static final int HEADER_BYTES_MAX = 1 + Long.BYTES;

    /** What a key may take, whole words being written. */
    private static final int KEY_ROOM = 2 * Long.BYTES;

    /** A key and 32 bytes with their header. */
    private static final int FIELD_OF_32_ROOM = KEY_ROOM + 2 + Digest.BYTES;

    /**
     * Runs up to this length are copied word by word: cheaper than the call of a copying routine.
     */
    private static final int SHORT_RUN_MAX = 64;

    private byte[] target;
    private int position;
    private int fields;

    private String latestText = "";
    private byte[] latestBytes = new byte[64];
    private int latestLength;

    public CanonicalWriter() {
        this(1024);
    }

    public CanonicalWriter(int capacity) {
        target = new byte[Math.max(capacity, 16)];
    }

    // The buffer.

    /** Forgets what was written. */
    public CanonicalWriter reset() {
        position = 0;
        fields = 0;
        return this;
    }

    /** The array written to; valid until the next write, which may replace it. */
    public byte[] array() {
        return target;
    }

    /** Bytes written so far. */
    public int position() {
        return position;
    }

    /** Takes back everything from {@code mark} on. */
    public void rewind(int mark) {
        if (mark < 0 || mark > position) {
            throw new IllegalArgumentException("cannot rewind from " + position + " to " + mark);
        }
        position = mark;
    }

    /** A copy of all that was written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(target, position);
    }

    // Maps with named fields.

    /** Begins a map whose fields follow; the result goes to {@link #closeMap}. */
    public long openMap() {
        ensure(1);
        long mark = ((long) fields << 32) | position;
        position++;
        fields = 0;
        return mark;
    }

    /** Ends the map that {@code mark} began: its header now gets the number of fields. */
    public void closeMap(long mark) {
        int start = (int) mark;
        if (fields <= 15) {
            target[start] = (byte) (0x80 | fields);
        } else {
            // Rare (block headers): the body makes room for a longer header.
            ensure(2);
            System.arraycopy(target, start + 1, target, start + 3, position - start - 1);
            position += 2;
            target[start] = (byte) 0xde;
            SHORT.set(target, start + 1, (short) fields);
        }
        fields = (int) (mark >>> 32);
    }

    /**
     * Begins fields of a map whose header the caller has written, so that they are not counted for
     * the map around it; the result goes to {@link #closeUncounted}.
     */
    public int openUncounted() {
        return fields;
    }

    /** Ends such fields. */
    public void closeUncounted(int mark) {
        fields = mark;
    }

    /** Begins a nested map under {@code key}, ended by {@link #closeMapField}. */
    public long openMapField(Key key) {
        ensure(KEY_ROOM + 1);
        position = putKey(key, position); // Counted when the map turns out to have fields.
        return openMap();
    }

    /** Ends a nested map; without any field it is left out together with its key. */
    public void closeMapField(Key key, long mark) {
        if (fields == 0) {
            position = (int) mark - key.length();
            fields = (int) (mark >>> 32);
        } else {
            closeMap(mark);
            fields++;
        }
    }

    /** Writes {@code key} for a value that the caller writes next, whatever it is. */
    public void key(Key key) {
        ensure(KEY_ROOM);
        position = putKey(key, position);
        fields++;
    }

    /** As {@link #key}, for a name that is longer than a {@link Key} may be: its characters. */
    public void longKey(byte[] name) {
        writeText(name, 0, name.length);
        fields++;
    }

    /** A string that is known in advance: the value {@code value} under {@code key}. */
    public void text(Key key, Key value) {
        ensure(2 * KEY_ROOM);
        position = putKey(value, putKey(key, position));
        fields++;
    }

    /** An unsigned integer, left out when zero. */
    public void uint(Key key, long value) {
        if (value != 0) {
            ensure(KEY_ROOM + HEADER_BYTES_MAX);
            position = putUint(value, putKey(key, position));
            fields++;
        }
    }

    /** A signed integer, left out when zero. */
    public void signed(Key key, long value) {
        if (value != 0) {
            key(key);
            writeSigned(value);
        }
    }

    /** A flag, left out when false. */
    public void flag(Key key, boolean value) {
        if (value) {
            key(key);
            writeBool(true);
        }
    }

    /** An address, left out when all zero. */
    public void address(Key key, Address value) {
        if (!value.isZero()) {
            int start = reserve32(key); // May replace the target.
            value.writeTo(target, start);
        }
    }

    /** A digest, left out when all zero. */
    public void digest(Key key, Digest value) {
        if (!value.isZero()) {
            int start = reserve32(key); // May replace the target.
            value.writeTo(target, start);
        }
    }

    /** Bytes, left out when there are none. A fixed array's zero value is {@link Bytes#EMPTY}. */
    public void bytes(Key key, Bytes value) {
        if (!value.isEmpty()) {
            key(key);
            writeBytes(value);
        }
    }

    /** A string, left out when empty. */
    public void text(Key key, Bytes value) {
        if (!value.isEmpty()) {
            key(key);
            writeText(value.array(), value.offset(), value.length());
        }
    }

    /** A string, left out when empty. */
    public void text(Key key, String value) {
        if (!value.isEmpty()) {
            key(key);
            writeText(value);
        }
    }

    /** A list of unsigned integers, left out when empty. */
    public void uints(Key key, Longs values) {
        if (!values.isEmpty()) {
            key(key);
            writeArrayHeader(values.size());
            for (int index = 0; index < values.size(); index++) {
                writeUint(values.get(index));
            }
        }
    }

    /** The header of a list that the caller writes next; left out when empty. */
    public void arrayHeader(Key key, int size) {
        if (size != 0) {
            key(key);
            writeArrayHeader(size);
        }
    }

    // Values.

    /** Takes the shortest form that holds the value, as the canonical encoding demands. */
    public void writeUint(long value) {
        ensure(HEADER_BYTES_MAX);
        position = putUint(value, position);
    }

    /** As {@link #writeUint}, and negative values in their shortest form. */
    public void writeSigned(long value) {
        if (value >= 0) {
            writeUint(value);
            return;
        }
        ensure(HEADER_BYTES_MAX);
        if (value >= -32) {
            target[position++] = (byte) value;
        } else if (value >= Byte.MIN_VALUE) {
            target[position] = (byte) 0xd0;
            target[position + 1] = (byte) value;
            position += 2;
        } else if (value >= Short.MIN_VALUE) {
            target[position] = (byte) 0xd1;
            SHORT.set(target, position + 1, (short) value);
            position += 3;
        } else if (value >= Integer.MIN_VALUE) {
            target[position] = (byte) 0xd2;
            INT.set(target, position + 1, (int) value);
            position += 5;
        } else {
            target[position] = (byte) 0xd3;
            LONG.set(target, position + 1, value);
            position += 9;
        }
    }

    public void writeBool(boolean value) {
        ensure(1);
        target[position++] = (byte) (value ? 0xc3 : 0xc2);
    }

    public void writeNil() {
        ensure(1);
        target[position++] = (byte) 0xc0;
    }

    public void writeAddress(Address value) {
        int start = reserve32(); // May replace the target.
        value.writeTo(target, start);
    }

    public void writeDigest(Digest value) {
        int start = reserve32();
        value.writeTo(target, start);
    }

    /** Bytes in the bin form; {@link Bytes#NIL} as nil. */
    public void writeBytes(Bytes value) {
        if (value.isNil()) {
            writeNil();
        } else {
            writeBytes(value.array(), value.offset(), value.length());
        }
    }

    /** Bytes in the bin form. */
    public void writeBytes(byte[] bytes, int offset, int length) {
        int start = reserveBin(length);
        copy(bytes, offset, start, length);
    }

    /** What stands before so many bytes in the bin form, which are to follow. */
    public void writeBytesHeader(int length) {
        ensure(HEADER_BYTES_MAX);
        position = reserve(length, 0xc4);
    }

    /** Bytes in the str form, copied as they are. */
    public void writeText(byte[] bytes, int offset, int length) {
        int start = reserveText(length);
        copy(bytes, offset, start, length);
    }

    /**
     * A string, with the bytes that {@link Text#toBytes} gives. The latest one's are kept: mostly
     * it is the name of the network, and the same object again.
     */
    @SuppressWarnings("ReferenceEquality")
    public void writeText(String text) {
        if (text != latestText) {
            keep(text);
        }
        writeText(latestBytes, 0, latestLength);
    }

    /** Keeps a text's bytes; of ASCII without garbage, once there was one as long. */
    private void keep(String text) {
        int length = text.length();
        if (length > latestBytes.length) {
            latestBytes = new byte[length];
        }
        int index = 0;
        while (index < length && text.charAt(index) < 0x80) {
            latestBytes[index] = (byte) text.charAt(index);
            index++;
        }
        if (index < length) {
            latestBytes = Text.toBytes(text);
            length = latestBytes.length;
        }
        latestText = text;
        latestLength = length;
    }

    public void writeMapHeader(int size) {
        writeSizeHeader(size, 0x80, 0xde);
    }

    public void writeArrayHeader(int size) {
        writeSizeHeader(size, 0x90, 0xdc);
    }

    /** Copies bytes that are msgpack already. */
    public void raw(byte[] encoded) {
        raw(encoded, 0, encoded.length);
    }

    /** Copies bytes that are msgpack already. */
    public void raw(byte[] encoded, int offset, int length) {
        ensure(length);
        copy(encoded, offset, position, length);
        position += length;
    }

    /** Copies bytes that are msgpack already. */
    public void raw(Bytes encoded) {
        raw(encoded.array(), encoded.offset(), encoded.length());
    }

    private void writeSizeHeader(int size, int fix, int wide) {
        ensure(HEADER_BYTES_MAX);
        if (size <= 15) {
            target[position++] = (byte) (fix | size);
        } else if (size <= 0xffff) {
            target[position] = (byte) wide;
            SHORT.set(target, position + 1, (short) size);
            position += 3;
        } else {
            target[position] = (byte) (wide + 1);
            INT.set(target, position + 1, size);
            position += 5;
        }
    }

    // Into room that is there: whoever calls these has made sure of the most that they may take.
    // They hand on where to go on, so that a field moves the position once.

    /** Whole words, not a copy: what they write behind the key is overwritten next. */
    private int putKey(Key key, int at) {
        LONG.set(target, at, key.head());
        if (key.length() > Long.BYTES) {
            LONG.set(target, at + Long.BYTES, key.tail());
        }
        return at + key.length();
    }

    /** Each form is one store, but the longest, whatever that leaves behind the value. */
    private int putUint(long value, int at) {
        if (Long.compareUnsigned(value, 0x7f) <= 0) {
            target[at] = (byte) value;
            return at + 1;
        }
        if (Long.compareUnsigned(value, 0xff) <= 0) {
            SHORT.set(target, at, (short) (0xcc00 | value));
            return at + 2;
        }
        if (Long.compareUnsigned(value, 0xffff) <= 0) {
            INT.set(target, at, 0xcd00_0000 | (int) value << 8);
            return at + 3;
        }
        if (Long.compareUnsigned(value, 0xffff_ffffL) <= 0) {
            LONG.set(target, at, 0xceL << 56 | value << 24);
            return at + 5;
        }
        target[at] = (byte) 0xcf;
        LONG.set(target, at + 1, value);
        return at + 9;
    }

    private void copy(byte[] source, int offset, int start, int length) {
        if (length < Long.BYTES || length > SHORT_RUN_MAX) {
            System.arraycopy(source, offset, target, start, length);
            return;
        }
        // The last word overlaps the one before it.
        int last = length - Long.BYTES;
        for (int at = 0; at < last; at += Long.BYTES) {
            LONG.set(target, start + at, (long) LONG.get(source, offset + at));
        }
        LONG.set(target, start + last, (long) LONG.get(source, offset + last));
    }

    /** Writes a key and the header of 32 bytes; returns where they go. */
    private int reserve32(Key key) {
        ensure(FIELD_OF_32_ROOM);
        int start;
        if (key.length() <= Key.LENGTH_BEFORE_32_MAX) {
            LONG.set(target, position, key.headOf32());
            start = position + key.length() + 2;
        } else {
            start = putKey(key, position);
            SHORT.set(target, start, Key.BIN_32);
            start += 2;
        }
        position = start + Digest.BYTES;
        fields++;
        return start;
    }

    /** Writes the header of 32 bytes; returns where they go. */
    private int reserve32() {
        ensure(2 + Address.BYTES);
        SHORT.set(target, position, Key.BIN_32);
        int start = position + 2;
        position = start + Address.BYTES;
        return start;
    }

    /**
     * Writes a bin header; returns where its {@code length} bytes of content go. May replace the
     * array, so ask before taking it.
     */
    private int reserveBin(int length) {
        ensure(HEADER_BYTES_MAX + length);
        return reserve(length, 0xc4);
    }

    /** Writes a str header; returns where its {@code length} bytes of content go. */
    private int reserveText(int length) {
        ensure(HEADER_BYTES_MAX + length);
        if (length <= 31) {
            target[position] = (byte) (0xa0 | length);
            int start = position + 1;
            position = start + length;
            return start;
        }
        return reserve(length, 0xd9);
    }

    /**
     * The three header forms with 8, 16 and 32 bits of length, the first one being {@code form}.
     */
    private int reserve(int length, int form) {
        int start;
        if (length <= 0xff) {
            target[position] = (byte) form;
            target[position + 1] = (byte) length;
            start = position + 2;
        } else if (length <= 0xffff) {
            target[position] = (byte) (form + 1);
            SHORT.set(target, position + 1, (short) length);
            start = position + 3;
        } else {
            target[position] = (byte) (form + 2);
            INT.set(target, position + 1, length);
            start = position + 5;
        }
        position = start + length;
        return start;
    }

    private void ensure(int more) {
        if (target.length - position < more) {
            grow(more);
        }
    }

    private void grow(int more) {
        int needed = Math.addExact(position, more);
        target =
                Arrays.copyOf(
                        target, Math.max(needed, (int) Math.min(2L * target.length, 1 << 30)));
    }
}
