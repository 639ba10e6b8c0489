package topspin.codec.msgpack;

import java.nio.charset.StandardCharsets;

/**
 * The name of a field as it stands on the wire, its own msgpack header included: written by one
 * copy, recognised by comparing one word, or two if it is longer than seven characters.
 *
 * @param encoded header and characters
 * @param head the first eight encoded bytes, big-endian, zeros behind a shorter key
 * @param tail the next eight
 * @param headOf32 the same eight for a key before 32 bytes, whose header follows the key in one
 *     word if the key is no longer than {@link #LENGTH_BEFORE_32_MAX}
 */
@SuppressWarnings("ArrayRecordComponent") // Keys are constants; nobody compares them.
public record Key(byte[] encoded, long head, long tail, long headOf32) {
    /** Longest name of any field. */
    static final int LENGTH_MAX = 15;

    /** Longest encoded key that shares its word with the header of 32 bytes. */
    static final int LENGTH_BEFORE_32_MAX = Long.BYTES - 2;

    private static final int FIXSTR = 0xa0;

    /** The header of 32 bytes in the bin form. */
    static final short BIN_32 = (short) 0xc420;

    /** The key of a field called {@code name}: ASCII, at most 15 characters. */
    public static Key of(String name) {
        byte[] text = name.getBytes(StandardCharsets.US_ASCII);
        if (text.length > LENGTH_MAX) {
            throw new IllegalArgumentException("key too long: " + name);
        }
        byte[] encoded = new byte[1 + text.length];
        encoded[0] = (byte) (FIXSTR | text.length);
        System.arraycopy(text, 0, encoded, 1, text.length);
        long head = word(encoded, 0);
        int behind = Long.SIZE - 8 * encoded.length - Short.SIZE;
        long headOf32 = behind < 0 ? head : head | (BIN_32 & 0xffffL) << behind;
        return new Key(encoded, head, word(encoded, Long.BYTES), headOf32);
    }

    /** Bytes of the encoded form. */
    int length() {
        return encoded.length;
    }

    /** The name itself. */
    public String name() {
        return new String(encoded, 1, encoded.length - 1, StandardCharsets.US_ASCII);
    }

    private static long word(byte[] encoded, int from) {
        long word = 0;
        for (int index = from; index < from + Long.BYTES; index++) {
            word = (word << 8) | (index < encoded.length ? encoded[index] & 0xff : 0);
        }
        return word;
    }

    @Override
    public String toString() {
        return name();
    }
}
