package topspin.net;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Inputs of a corpus, changed by lot. A corpus is a file of hexadecimal lines, in sections if a
 * line names one in brackets; what once failed is to be added there.
 */
public final class Mutator {
    private static final int[] TELLING = {0, 1, 2, 0x0a, 0x12, 0x1a, 0x22, 0x7f, 0x80, 0xff, 0x28};

    private final List<byte[]> corpus;
    private final SplittableRandom random;
    private final byte[] bytes;
    private int length;

    /**
     * @param bytesMax longest input
     */
    public Mutator(List<byte[]> corpus, long seed, int bytesMax) {
        if (corpus.isEmpty()) {
            throw new IllegalArgumentException("an empty corpus");
        }
        this.corpus = corpus;
        this.random = new SplittableRandom(seed);
        this.bytes = new byte[bytesMax];
    }

    /** All of a corpus beside a class. */
    public static List<byte[]> corpus(Class<?> beside, String file) throws IOException {
        return corpus(beside, file, "");
    }

    /** One section of it. */
    public static List<byte[]> corpus(Class<?> beside, String file, String section)
            throws IOException {
        List<byte[]> corpus = new ArrayList<>();
        String at = "";
        try (InputStream in = Objects.requireNonNull(beside.getResourceAsStream(file), file)) {
            for (String line : new String(in.readAllBytes(), US_ASCII).split("\n", -1)) {
                if (line.startsWith("[")) {
                    at = line.substring(1, line.length() - 1);
                } else if (!line.isEmpty() && line.charAt(0) != '#' && at.equals(section)) {
                    corpus.add(HexFormat.of().parseHex(line));
                }
            }
        }
        return corpus;
    }

    /** The input at hand: its first {@link #length} bytes count. */
    public byte[] bytes() {
        return bytes;
    }

    public int length() {
        return length;
    }

    /** A copy of the input at hand. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }

    /** Makes the next input: one of the corpus, changed a few times. */
    public void next() {
        byte[] seed = corpus.get(random.nextInt(corpus.size()));
        length = Math.min(seed.length, bytes.length);
        System.arraycopy(seed, 0, bytes, 0, length);
        for (int change = random.nextInt(4); change >= 0 && length > 0; change--) {
            change();
        }
    }

    private void change() {
        int at = random.nextInt(length);
        int span = Math.min(1 + random.nextInt(8), length - at);
        switch (random.nextInt(7)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            case 1 -> bytes[at] = (byte) TELLING[random.nextInt(TELLING.length)];
            case 2 -> bytes[at] += (byte) (random.nextInt(5) - 2);
            case 3 -> length = at; // Cut.
            case 4 -> { // Taken out.
                System.arraycopy(bytes, at + span, bytes, at, length - at - span);
                length -= span;
            }
            case 5 -> { // Doubled.
                if (length + span <= bytes.length) {
                    System.arraycopy(bytes, at, bytes, at + span, length - at);
                    length += span;
                }
            }
            default -> { // Continued by another.
                byte[] other = corpus.get(random.nextInt(corpus.size()));
                int from = random.nextInt(other.length + 1);
                int more = Math.min(other.length - from, bytes.length - at);
                System.arraycopy(other, from, bytes, at, more);
                length = at + more;
            }
        }
    }

    /** Takes one input; what it throws is a fault of ours. */
    @FunctionalInterface
    public interface Taker {
        void take(byte[] bytes, int length) throws Exception;
    }

    /** Makes so many inputs and has them taken. A failure shows the bytes. */
    public void run(long count, Taker taker) {
        for (long input = 0; input < count; input++) {
            next();
            try {
                taker.take(bytes, length);
            } catch (Exception | AssertionError failure) {
                throw new AssertionError(HexFormat.of().formatHex(bytes, 0, length), failure);
            }
        }
    }
}
