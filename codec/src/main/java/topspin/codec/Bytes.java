package topspin.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A run of bytes in an array that nobody changes any more: a value with equality, made without
 * copying.
 *
 * <p>Lists of byte strings on the wire tell a nil element from an empty one (transactions.md 1.3),
 * so {@link #NIL} is a value of its own: empty, yet not equal to {@link #EMPTY}.
 */
public final class Bytes implements Comparable<Bytes> {
    /** No bytes. */
    public static final Bytes EMPTY = new Bytes(new byte[0], 0, 0);

    /** The absent element of a list of byte strings: no bytes either, but encoded as nil. */
    public static final Bytes NIL = new Bytes(new byte[0], 0, 0);

    private final byte[] array;
    private final int offset;
    private final int length;

    private Bytes(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
    }

    /** All of {@code array}, which must not change from now on. */
    public static Bytes of(byte... array) {
        return of(array, 0, array.length);
    }

    /** A span of {@code array}, which must not change from now on. */
    public static Bytes of(byte[] array, int offset, int length) {
        if ((offset | length | (array.length - offset - length)) < 0) {
            throw new IndexOutOfBoundsException(offset + " + " + length + " of " + array.length);
        }
        return length == 0 ? EMPTY : new Bytes(array, offset, length);
    }

    /** The UTF-8 bytes of {@code text}. */
    public static Bytes utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The array that holds the span, for readers only. */
    public byte[] array() {
        return array;
    }

    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    public boolean isEmpty() {
        return length == 0;
    }

    @SuppressWarnings("ReferenceEquality") // NIL is told from EMPTY by being itself.
    public boolean isNil() {
        return this == NIL;
    }

    public byte byteAt(int index) {
        if (index < 0 || index >= length) {
            throw new IndexOutOfBoundsException(index + " of " + length);
        }
        return array[offset + index];
    }

    /** A copy of the bytes. */
    public byte[] toArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    /** The same value in an array of just its size, so that a large one is not kept alive by it. */
    public Bytes compact() {
        if (length == array.length) {
            return this;
        }
        return length == 0 ? EMPTY : new Bytes(toArray(), 0, length);
    }

    /** The bytes as UTF-8, what is none replaced; lossy, for people. */
    public String toText() {
        return new String(array, offset, length, StandardCharsets.UTF_8);
    }

    /** By bytes, unsigned, a prefix before what it begins. */
    @Override
    public int compareTo(Bytes that) {
        return Arrays.compareUnsigned(
                array, offset, offset + length, that.array, that.offset, that.offset + that.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that
                && isNil() == that.isNil()
                && Arrays.equals(
                        array,
                        offset,
                        offset + length,
                        that.array,
                        that.offset,
                        that.offset + that.length);
    }

    /** Salted for each process: peers choose these bytes. */
    @Override
    public int hashCode() {
        long hash = Salt.FIRST;
        for (int index = offset, end = offset + length; index < end; index++) {
            hash = (hash ^ array[index]) * Salt.ODD;
        }
        return Long.hashCode(hash ^ (hash >>> 29));
    }

    /** Lower-case hexadecimal digits. */
    @Override
    public String toString() {
        return isNil() ? "nil" : HexFormat.of().formatHex(array, offset, offset + length);
    }
}
