package topspin.codec.crypto;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A seed of 32 bytes as 25 words: 24 words of 11 bits each, least significant first, of the list
 * that BIP-39 has for English, and a word of checksum. The last of the 24 carries 3 bits; the 8
 * above them are zero.
 *
 * <p>Words are looked up and compared in variable time, and a text cannot be wiped: this is for a
 * command line and a wallet's file, where a person or a disk has the words anyway, and nothing that
 * answers a peer may call it.
 */
public final class Mnemonic {
    /** Words of a mnemonic. */
    public static final int WORDS = 25;

    private static final int DATA_WORDS = 24;
    private static final int WORD_BITS = 11;
    private static final int WORD_MASK = (1 << WORD_BITS) - 1;

    private static final List<String> LIST = read();
    private static final Map<String, Integer> INDEX = index();

    private Mnemonic() {}

    /**
     * The words of a seed, separated by single spaces.
     *
     * @param seed 32 bytes
     */
    public static String fromSeed(byte[] seed) {
        if (seed.length != Ed25519.SEED_BYTES) {
            throw new IllegalArgumentException("a seed has 32 bytes, not " + seed.length);
        }
        StringBuilder words = new StringBuilder(WORDS * 9);
        int bits = 0;
        int count = 0;
        for (byte next : seed) {
            bits |= (next & 0xff) << count;
            count += Byte.SIZE;
            if (count >= WORD_BITS) {
                words.append(LIST.get(bits & WORD_MASK)).append(' ');
                bits >>>= WORD_BITS;
                count -= WORD_BITS;
            }
        }
        words.append(LIST.get(bits & WORD_MASK)).append(' ');
        return words.append(checksum(seed)).toString();
    }

    /**
     * The seed of 25 words; any white space separates them, as the reference reads it.
     *
     * @throws IllegalArgumentException saying which word is unknown, that there are not 25, or that
     *     the checksum does not hold
     */
    public static byte[] toSeed(String mnemonic) {
        String stripped = mnemonic.strip();
        String[] words = stripped.isEmpty() ? new String[0] : stripped.split("\\s+", -1);
        if (words.length != WORDS) {
            throw new IllegalArgumentException("mnemonic must be 25 words, not " + words.length);
        }
        byte[] seed = new byte[Ed25519.SEED_BYTES];
        int bits = 0;
        int count = 0;
        int at = 0;
        for (int i = 0; i < DATA_WORDS; i++) {
            Integer value = INDEX.get(words[i]);
            if (value == null) {
                throw new IllegalArgumentException(words[i] + " is not in the words list");
            }
            bits |= value << count;
            count += WORD_BITS;
            while (count >= Byte.SIZE && at < seed.length) {
                seed[at++] = (byte) bits;
                bits >>>= Byte.SIZE;
                count -= Byte.SIZE;
            }
        }
        if (bits != 0 || !words[DATA_WORDS].equals(checksum(seed))) {
            throw new IllegalArgumentException("checksum failed to validate");
        }
        return seed;
    }

    private static String checksum(byte[] seed) {
        byte[] hash = Sha512_256.digest(Domain.NONE, seed);
        return LIST.get(((hash[0] & 0xff) | ((hash[1] & 0xff) << Byte.SIZE)) & WORD_MASK);
    }

    private static List<String> read() {
        try (InputStream words = Mnemonic.class.getResourceAsStream("english.txt")) {
            if (words == null) {
                throw new AssertionError("english.txt is missing from the jar");
            }
            return new String(words.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static Map<String, Integer> index() {
        Map<String, Integer> index = HashMap.newHashMap(LIST.size());
        for (int i = 0; i < LIST.size(); i++) {
            index.put(LIST.get(i), i);
        }
        return index;
    }
}
