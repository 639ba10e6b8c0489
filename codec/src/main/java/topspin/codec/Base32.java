package topspin.codec;

import org.jspecify.annotations.Nullable;

/** RFC 4648 base32: upper case, no padding; the text form of addresses and digests. */
final class Base32 {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

    private Base32() {}

    static String encode(byte[] bytes) {
        var text = new StringBuilder((bytes.length * 8 + 4) / 5);
        int bits = 0;
        int held = 0;
        for (byte next : bytes) {
            held = (held << 8) | (next & 0xff);
            bits += 8;
            while (bits >= 5) {
                bits -= 5;
                text.append(ALPHABET.charAt((held >>> bits) & 31));
            }
            held &= (1 << bits) - 1;
        }
        if (bits > 0) {
            text.append(ALPHABET.charAt((held << (5 - bits)) & 31));
        }
        return text.toString();
    }

    /** Bytes in so many letters behind the last whole eight; zero where no encoding ends so. */
    private static final int[] TAIL_BYTES = {0, 0, 1, 0, 2, 3, 0, 4};

    /**
     * The whole bytes that {@code text} holds, left-over bits dropped whatever they are; null if it
     * has a character outside the alphabet. A tail of a length that no encoding has counts for
     * nothing, as in the reference.
     */
    static byte @Nullable [] decode(String text) {
        byte[] bytes = new byte[text.length() / 8 * 5 + TAIL_BYTES[text.length() % 8]];
        int bits = 0;
        int held = 0;
        int written = 0;
        for (int index = 0; index < text.length(); index++) {
            int value = valueOf(text.charAt(index));
            if (value < 0) {
                return null;
            }
            held = (held << 5) | value;
            bits += 5;
            if (bits >= 8) {
                bits -= 8;
                if (written < bytes.length) {
                    bytes[written++] = (byte) (held >>> bits);
                }
                held &= (1 << bits) - 1;
            }
        }
        return bytes;
    }

    /** The letter for five bits, in ASCII. */
    static byte letter(int bits) {
        return (byte) (bits < 26 ? 'A' + bits : '2' + bits - 26);
    }

    private static int valueOf(char letter) {
        if (letter >= 'A' && letter <= 'Z') {
            return letter - 'A';
        }
        return letter >= '2' && letter <= '7' ? letter - '2' + 26 : -1;
    }
}
