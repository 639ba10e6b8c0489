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
 * Reads canonical msgpack and nothing else: whatever it takes, {@link CanonicalWriter} writes back
 * as the same bytes. One per thread.
 *
 * <p>A decoder lists its fields in key order, as the encoder does. Each field method looks whether
 * the key at hand is its own; if not, the field is absent and has its zero value. A key that is
 * unknown, repeated or out of order is thereby left over, and {@link #closeMap} refuses it. A value
 * that is present but zero is refused as well: the canonical form leaves it out.
 *
 * <p>Nothing is allocated before its length was compared with the bytes left and with its bound.
 * Bytes are handed out as spans of the array read.
 *
 * <p>Each field method is a comparison and a call, small enough to be inlined: most fields of most
 * transactions are absent, and cost the comparison only.
 */
public final class MsgpackReader {
    private static final VarHandle SHORT = byteArrayViewVarHandle(short[].class, BIG_ENDIAN);
    private static final VarHandle INT = byteArrayViewVarHandle(int[].class, BIG_ENDIAN);
    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    private static final byte[] NOTHING = new byte[0];

    private final boolean bounded;
    private byte[] bytes = NOTHING;
    private int origin;
    private int position;
    private int end;

    // The map being read: fields not yet begun, and the key of the next one (zero: none).
    private int fieldsLeft;
    private int keyStart;
    private long keyHead;
    private long keyTail;

    /** A reader that enforces the bounds of fields. */
    public MsgpackReader() {
        this(true);
    }

    private MsgpackReader(boolean bounded) {
        this.bounded = bounded;
    }

    /**
     * A reader that lets fields be longer than their bounds, as the reference's REST decoder does.
     */
    public static MsgpackReader withoutBounds() {
        return new MsgpackReader(false);
    }

    /** Starts at {@code offset} of {@code source}, and ends {@code length} bytes later. */
    public MsgpackReader reset(byte[] source, int offset, int length) {
        if ((offset | length | (source.length - offset - length)) < 0) {
            throw new IndexOutOfBoundsException(offset + " + " + length + " of " + source.length);
        }
        bytes = source;
        origin = offset;
        position = offset;
        end = offset + length;
        fieldsLeft = 0;
        keyHead = 0;
        keyTail = 0;
        return this;
    }

    /** Lets go of the array. */
    public void release() {
        bytes = NOTHING;
        origin = 0;
        position = 0;
        end = 0;
    }

    public byte[] array() {
        return bytes;
    }

    /** Index of the next byte in the array. Inside a map, the next key is already read. */
    public int position() {
        return position;
    }

    /** Index behind the last byte that may be read. */
    public int end() {
        return end;
    }

    public boolean atEnd() {
        return position == end;
    }

    /** Whether bounds on fields hold; see {@link #withoutBounds}. */
    public boolean isBounded() {
        return bounded;
    }

    /** The refusal of what is at {@code index} of the array. */
    public MalformedMessage malformed(String reason, int index) {
        return new MalformedMessage(reason, index - origin);
    }

    // Maps with named fields.

    /** Enters a map; the result, the state of the one around it, goes to {@link #closeMap}. */
    public int openMap() throws MalformedMessage {
        return openFields(readMapHeader());
    }

    /** As {@link #openMap}, of a map of which the caller has read all but {@code left} fields. */
    public int openFields(int left) throws MalformedMessage {
        int outer = fieldsLeft;
        fieldsLeft = left;
        nextKey();
        return outer;
    }

    /** Leaves a map; refuses it if a key is left over. */
    public void closeMap(int outer) throws MalformedMessage {
        if (keyHead != 0) {
            throw malformed("unknown, repeated or misplaced key " + keyText(), keyStart);
        }
        fieldsLeft = outer;
        nextKey();
    }

    /**
     * Leaves the outermost map, or an element of an array: there is no key to look for behind it.
     */
    public void closeElement(int outer) throws MalformedMessage {
        if (keyHead != 0) {
            throw malformed("unknown, repeated or misplaced key " + keyText(), keyStart);
        }
        fieldsLeft = outer;
    }

    /** Whether the field at hand is {@code key}. */
    public boolean at(Key key) {
        return keyHead == key.head() && keyTail == key.tail();
    }

    /** Where the key at hand starts; behind the last field, where the map ends. */
    public int fieldStart() {
        return keyHead == 0 ? position : keyStart;
    }

    /** Ends a field whose value the caller has read: looks for the next key. */
    public void endField() throws MalformedMessage {
        nextKey();
    }

    /**
     * Enters the map under {@code key}, if that is the field at hand. The map must not be empty.
     */
    public boolean atMap(Key key) throws MalformedMessage {
        if (!at(key)) {
            return false;
        }
        if (position < end && bytes[position] == (byte) 0x80) {
            throw malformed("zero value present under key " + key, position);
        }
        return true;
    }

    /** An unsigned integer. */
    public long uint(Key key) throws MalformedMessage {
        return at(key) ? uintField(key) : 0;
    }

    private long uintField(Key key) throws MalformedMessage {
        int start = position;
        long value = readUint();
        refuseZero(value == 0, key, start);
        nextKey();
        return value;
    }

    /**
     * An unsigned integer no larger than {@code max}, which is the limit of its type: never lifted.
     */
    public long uint(Key key, long max) throws MalformedMessage {
        int start = position;
        long value = uint(key);
        if (Long.compareUnsigned(value, max) > 0) {
            throw malformed("integer out of range under key " + key, start);
        }
        return value;
    }

    /** A signed integer. */
    public long signed(Key key) throws MalformedMessage {
        return at(key) ? signedField(key) : 0;
    }

    private long signedField(Key key) throws MalformedMessage {
        int start = position;
        long value = readSigned();
        refuseZero(value == 0, key, start);
        nextKey();
        return value;
    }

    /** A flag. */
    public boolean flag(Key key) throws MalformedMessage {
        return at(key) ? flagField(key) : false;
    }

    private boolean flagField(Key key) throws MalformedMessage {
        int start = position;
        int form = readByte();
        if (form != 0xc3) {
            throw malformed(form == 0xc2 ? zero(key) : "no boolean under key " + key, start);
        }
        nextKey();
        return true;
    }

    /** An address; {@link Address#ZERO} when absent. */
    public Address address(Key key) throws MalformedMessage {
        return at(key) ? addressField(key) : Address.ZERO;
    }

    private Address addressField(Key key) throws MalformedMessage {
        int start = position;
        Address value = readAddress();
        refuseZero(value.isZero(), key, start);
        nextKey();
        return value;
    }

    /** A digest; {@link Digest#ZERO} when absent. */
    public Digest digest(Key key) throws MalformedMessage {
        return at(key) ? digestField(key) : Digest.ZERO;
    }

    private Digest digestField(Key key) throws MalformedMessage {
        int start = position;
        Digest value = readDigest();
        refuseZero(value.isZero(), key, start);
        nextKey();
        return value;
    }

    /** As {@link #digest(Key)}, giving {@code known} itself when it is the value. */
    public Digest digest(Key key, Digest known) throws MalformedMessage {
        if (at(key)
                && !known.isZero()
                && end - position >= 2 + Digest.BYTES
                && bytes[position] == (byte) 0xc4
                && bytes[position + 1] == Digest.BYTES
                && known.isAt(bytes, position + 2)) {
            position += 2 + Digest.BYTES;
            nextKey();
            return known;
        }
        return digest(key);
    }

    /** A byte array of {@code length}; {@link Bytes#EMPTY} when absent. */
    public Bytes fixed(Key key, int length) throws MalformedMessage {
        return at(key) ? fixedField(key, length) : Bytes.EMPTY;
    }

    private Bytes fixedField(Key key, int length) throws MalformedMessage {
        int start = position;
        Bytes value = readFixed(length);
        refuseZero(isZero(value), key, start);
        nextKey();
        return value;
    }

    /** Bytes, no more than {@code max}. */
    public Bytes bytes(Key key, int max) throws MalformedMessage {
        return at(key) ? bytesField(key, max) : Bytes.EMPTY;
    }

    private Bytes bytesField(Key key, int max) throws MalformedMessage {
        int start = position;
        Bytes value = readBytes(max);
        refuseZero(value.isEmpty(), key, start);
        nextKey();
        return value;
    }

    /** A string of no more than {@code max} bytes, as bytes. */
    public Bytes text(Key key, int max) throws MalformedMessage {
        return at(key) ? textField(key, max) : Bytes.EMPTY;
    }

    private Bytes textField(Key key, int max) throws MalformedMessage {
        int start = position;
        Bytes value = readText(max);
        refuseZero(value.isEmpty(), key, start);
        nextKey();
        return value;
    }

    /**
     * A string of no more than {@code max} bytes; {@code known} itself when that is the value.
     * Lossless (see {@link Text}).
     */
    public String string(Key key, int max, String known) throws MalformedMessage {
        return at(key) ? stringField(key, max, known) : "";
    }

    private String stringField(Key key, int max, String known) throws MalformedMessage {
        int start = position;
        int length = readTextHeader(max);
        refuseZero(length == 0, key, start);
        String value = isAscii(known, position, length) ? known : Text.of(bytes, position, length);
        position += length;
        nextKey();
        return value;
    }

    /** The size of the list under {@code key}, no more than {@code max}; 0 when absent. */
    public int array(Key key, int max) throws MalformedMessage {
        return at(key) ? arrayField(key, max) : 0;
    }

    private int arrayField(Key key, int max) throws MalformedMessage {
        int start = position;
        int size = readArrayHeader(max);
        refuseZero(size == 0, key, start);
        return size;
    }

    /** A list of unsigned integers, no more than {@code max}. */
    public Longs uints(Key key, int max) throws MalformedMessage {
        int size = array(key, max);
        if (size == 0) {
            return Longs.EMPTY;
        }
        long[] values = new long[size];
        for (int index = 0; index < size; index++) {
            values[index] = readUint();
        }
        nextKey();
        return Longs.of(values);
    }

    // Values.

    /** An unsigned integer in its shortest form. */
    public long readUint() throws MalformedMessage {
        int start = position;
        int form = readByte();
        if (form <= 0x7f) {
            return form;
        }
        long value;
        long least;
        switch (form) {
            case 0xcc -> {
                value = readByte();
                least = 0x80;
            }
            case 0xcd -> {
                require(2, start);
                value = (short) SHORT.get(bytes, position) & 0xffff;
                position += 2;
                least = 0x100;
            }
            case 0xce -> {
                require(4, start);
                value = (int) INT.get(bytes, position) & 0xffff_ffffL;
                position += 4;
                least = 0x1_0000;
            }
            case 0xcf -> {
                require(8, start);
                value = (long) LONG.get(bytes, position);
                position += 8;
                least = 0x1_0000_0000L;
            }
            default -> throw malformed("no unsigned integer", start);
        }
        if (Long.compareUnsigned(value, least) < 0) {
            throw malformed("integer not in its shortest form", start);
        }
        return value;
    }

    /** A signed integer in its shortest form: the unsigned forms unless negative. */
    public long readSigned() throws MalformedMessage {
        int start = position;
        require(1, start);
        int form = bytes[position] & 0xff;
        if (form < 0xd0) {
            long value = readUint();
            if (value < 0) {
                throw malformed("integer out of range", start);
            }
            return value;
        }
        position++;
        long value;
        long greatest;
        switch (form) {
            case 0xd0 -> {
                require(1, start);
                value = bytes[position++];
                greatest = -33;
            }
            case 0xd1 -> {
                require(2, start);
                value = (short) SHORT.get(bytes, position);
                position += 2;
                greatest = Byte.MIN_VALUE - 1;
            }
            case 0xd2 -> {
                require(4, start);
                value = (int) INT.get(bytes, position);
                position += 4;
                greatest = Short.MIN_VALUE - 1;
            }
            case 0xd3 -> {
                require(8, start);
                value = (long) LONG.get(bytes, position);
                position += 8;
                greatest = Integer.MIN_VALUE - 1L;
            }
            default -> {
                if (form < 0xe0) {
                    throw malformed("no integer", start);
                }
                return (byte) form;
            }
        }
        if (value > greatest) {
            throw malformed("integer not in its shortest form", start);
        }
        return value;
    }

    public Address readAddress() throws MalformedMessage {
        return Address.of(bytes, fixedStart(Address.BYTES));
    }

    public Digest readDigest() throws MalformedMessage {
        return Digest.of(bytes, fixedStart(Digest.BYTES));
    }

    /** A byte array of exactly {@code length}, in the bin form. */
    public Bytes readFixed(int length) throws MalformedMessage {
        return Bytes.of(bytes, fixedStart(length), length);
    }

    /** Bytes in the bin form, no more than {@code max}. */
    public Bytes readBytes(int max) throws MalformedMessage {
        int start = position;
        int length = readLength(readByte() - 0xc4, 0, max, start, "no byte string");
        Bytes value = Bytes.of(bytes, position, length);
        position += length;
        return value;
    }

    /** As {@link #readBytes}, or nil: {@link Bytes#NIL}. */
    public Bytes readBytesOrNil(int max) throws MalformedMessage {
        if (position < end && bytes[position] == (byte) 0xc0) {
            position++;
            return Bytes.NIL;
        }
        return readBytes(max);
    }

    /** A string as bytes, no more than {@code max}. */
    public Bytes readText(int max) throws MalformedMessage {
        int length = readTextHeader(max);
        Bytes value = Bytes.of(bytes, position, length);
        position += length;
        return value;
    }

    public int readMapHeader() throws MalformedMessage {
        int start = position;
        int form = readByte();
        if ((form & 0xf0) == 0x80) {
            return form & 0x0f;
        }
        return readSize(form - 0xde, 2, Integer.MAX_VALUE, start, "no map");
    }

    /** The size of a list, no more than {@code max}. */
    public int readArrayHeader(int max) throws MalformedMessage {
        int start = position;
        int form = readByte();
        if ((form & 0xf0) == 0x90) {
            return checkBound(form & 0x0f, max, start);
        }
        return readSize(form - 0xdc, 1, max, start, "no list");
    }

    public boolean readBool() throws MalformedMessage {
        int start = position;
        int form = readByte();
        if (form != 0xc2 && form != 0xc3) {
            throw malformed("no boolean", start);
        }
        return form == 0xc3;
    }

    /** Whether the next value is the string {@code key}. */
    public boolean startsWith(Key key) {
        byte[] encoded = key.encoded();
        return end - position >= encoded.length
                && Arrays.equals(
                        encoded, 0, encoded.length, bytes, position, position + encoded.length);
    }

    /** Passes over one value, whatever it is and however deep. */
    public void skip() throws MalformedMessage {
        long left = 1;
        while (left > 0) {
            left--;
            int start = position;
            int form = readByte();
            long content = 0;
            if (form <= 0x7f || form >= 0xe0) {
                continue;
            } else if (form <= 0x8f) {
                left += 2L * (form & 0x0f);
            } else if (form <= 0x9f) {
                left += form & 0x0f;
            } else if (form <= 0xbf) {
                content = form & 0x1f;
            } else {
                switch (form) {
                    case 0xc0, 0xc2, 0xc3 -> {}
                    case 0xcc, 0xd0 -> content = 1;
                    case 0xcd, 0xd1 -> content = 2;
                    case 0xca, 0xce, 0xd2 -> content = 4;
                    case 0xcb, 0xcf, 0xd3 -> content = 8;
                    case 0xc4, 0xd9 -> content = readNumber(1, start);
                    case 0xc5, 0xda -> content = readNumber(2, start);
                    case 0xc6, 0xdb -> content = readNumber(4, start);
                    case 0xdc -> left += readNumber(2, start);
                    case 0xdd -> left += readNumber(4, start);
                    case 0xde -> left += 2 * readNumber(2, start);
                    case 0xdf -> left += 2 * readNumber(4, start);
                    default -> throw malformed("no value", start);
                }
            }
            if (content > end - position || left > end - position - content) {
                throw malformed("cut off", start);
            }
            position += (int) content;
        }
    }

    // Inside.

    private long readNumber(int size, int start) throws MalformedMessage {
        require(size, start);
        long number = word(position, size) >>> (Long.SIZE - Byte.SIZE * size);
        position += size;
        return number;
    }

    private void nextKey() throws MalformedMessage {
        if (fieldsLeft == 0) {
            keyHead = 0;
            keyTail = 0;
            return;
        }
        fieldsLeft--;
        keyStart = position;
        require(1, position);
        int form = bytes[position] & 0xff;
        int length = form & 0x1f;
        if ((form & 0xe0) != 0xa0 || length > Key.LENGTH_MAX) {
            throw malformed("unknown key", position);
        }
        require(1 + length, position);
        if (length < Long.BYTES && bytes.length - position >= Long.BYTES) {
            // One load; what stands behind the key is masked off.
            keyHead = (long) LONG.get(bytes, position) & (-1L << ((Long.BYTES - 1 - length) * 8));
            keyTail = 0;
        } else {
            keyHead = word(position, 1 + length);
            keyTail = word(position + Long.BYTES, 1 + length - Long.BYTES);
        }
        position += 1 + length;
    }

    /** The first {@code length} bytes from {@code from}, at most eight, zeros behind. */
    private long word(int from, int length) {
        long word = 0;
        for (int index = 0; index < Long.BYTES; index++) {
            word = (word << 8) | (index < length ? bytes[from + index] & 0xff : 0);
        }
        return word;
    }

    private String keyText() {
        int length = bytes[keyStart] & 0x1f;
        return Text.printable(Text.of(bytes, keyStart + 1, length));
    }

    /** Checks a bin header of exactly {@code length}; returns where the content starts. */
    private int fixedStart(int length) throws MalformedMessage {
        int start = position;
        int actual = readLength(readByte() - 0xc4, 0, Integer.MAX_VALUE, start, "no byte string");
        if (actual != length) {
            throw malformed(actual + " bytes where " + length + " are due", start);
        }
        int content = position;
        position += length;
        return content;
    }

    private int readTextHeader(int max) throws MalformedMessage {
        int start = position;
        int form = readByte();
        if ((form & 0xe0) == 0xa0) {
            int length = checkBound(form & 0x1f, max, start);
            require(length, start);
            return length;
        }
        return readLength(form - 0xd9, 32, max, start, "no string");
    }

    /**
     * The length of a byte string or string of the form with 8, 16 or 32 bits of it ({@code wide}
     * 0, 1, 2), at least {@code least}; its content is then known to be there.
     */
    private int readLength(int wide, int least, int max, int start, String otherwise)
            throws MalformedMessage {
        long length;
        long leastHere;
        switch (wide) {
            case 0 -> {
                length = readByte();
                leastHere = least;
            }
            case 1 -> {
                require(2, start);
                length = (short) SHORT.get(bytes, position) & 0xffff;
                position += 2;
                leastHere = 0x100;
            }
            case 2 -> {
                require(4, start);
                length = (int) INT.get(bytes, position) & 0xffff_ffffL;
                position += 4;
                leastHere = 0x1_0000;
            }
            default -> throw malformed(otherwise, start);
        }
        if (length < leastHere) {
            throw malformed("length not in its shortest form", start);
        }
        if (length > end - position) {
            throw malformed("cut off", start);
        }
        return checkBound((int) length, max, start);
    }

    /**
     * The size of a map or list of the form with 16 or 32 bits of it; each item takes some bytes.
     */
    private int readSize(int wide, int itemBytes, int max, int start, String otherwise)
            throws MalformedMessage {
        long size;
        long least;
        switch (wide) {
            case 0 -> {
                require(2, start);
                size = (short) SHORT.get(bytes, position) & 0xffff;
                position += 2;
                least = 16;
            }
            case 1 -> {
                require(4, start);
                size = (int) INT.get(bytes, position) & 0xffff_ffffL;
                position += 4;
                least = 0x1_0000;
            }
            default -> throw malformed(otherwise, start);
        }
        if (size < least) {
            throw malformed("length not in its shortest form", start);
        }
        if (size * itemBytes > end - position) {
            throw malformed("cut off", start);
        }
        return checkBound((int) size, max, start);
    }

    private int checkBound(int length, int max, int start) throws MalformedMessage {
        if (bounded && length > max) {
            throw malformed(length + " over the limit of " + max, start);
        }
        return length;
    }

    private int readByte() throws MalformedMessage {
        if (position >= end) {
            throw malformed("cut off", position);
        }
        return bytes[position++] & 0xff;
    }

    private void require(int count, int start) throws MalformedMessage {
        if (end - position < count) {
            throw malformed("cut off", start);
        }
    }

    private boolean isAscii(String text, int from, int length) {
        if (text.length() != length) {
            return false;
        }
        for (int index = 0; index < length; index++) {
            // A byte above 127 is negative and equals no character.
            if (text.charAt(index) != bytes[from + index]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isZero(Bytes value) {
        byte[] array = value.array();
        for (int index = value.offset(), stop = index + value.length(); index < stop; index++) {
            if (array[index] != 0) {
                return false;
            }
        }
        return true;
    }

    private void refuseZero(boolean zero, Key key, int start) throws MalformedMessage {
        if (zero) {
            throw malformed(zero(key), start);
        }
    }

    private static String zero(Key key) {
        return "zero value present under key " + key;
    }
}
