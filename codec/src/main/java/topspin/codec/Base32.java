package topspin.codec;

import org.jspecify.annotations.Nullable;

/** RFC 4648 base32: upper case, no padding; the text form of addresses and digests. */
final class Base32 {
    private Base32() {}

    /**
     * Writes the first {@code letters} letters, in ASCII, of the bits of five words, of which the
     * last has 32. Leaves no garbage.
     */
    static void encode(
            long a, long b, long c, long d, int tail, byte[] target, int offset, int letters) {
        for (int letter = 0; letter < letters; letter++) {
            int first = 5 * letter;
            int word = first / Long.SIZE;
            int in = first % Long.SIZE;
            long bits = (word(a, b, c, d, tail, word) << in) >>> (Long.SIZE - 5);
            if (in > Long.SIZE - 5) {
                bits |= word(a, b, c, d, tail, word + 1) >>> (2 * Long.SIZE - 5 - in);
            }
            target[offset + letter] = (byte) (bits < 26 ? 'A' + bits : '2' + bits - 26);
        }
    }

    private static long word(long a, long b, long c, long d, int tail, int index) {
        return switch (index) {
            case 0 -> a;
            case 1 -> b;
            case 2 -> c;
            case 3 -> d;
            default -> (long) tail << 32;
        };
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

    private static int valueOf(char letter) {
        if (letter >= 'A' && letter <= 'Z') {
            return letter - 'A';
        }
        return letter >= '2' && letter <= '7' ? letter - '2' + 26 : -1;
    }
}
