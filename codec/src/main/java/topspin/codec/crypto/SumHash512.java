package topspin.codec.crypto;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;

import org.bouncycastle.crypto.digests.SHAKEDigest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;

/**
 * The subset-sum hash of 512 bits that state-proof commitments use, unsalted (agreement.md 12). A
 * block is compressed by adding up those columns of a fixed matrix whose bit is set in state and
 * block together. Any thread may call.
 */
public final class SumHash512 {
    /** Bytes of a digest. */
    public static final int BYTES = 64;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);
    private static final int WORDS = BYTES / Long.BYTES;
    private static final int BLOCK = 64;
    private static final int BITS = (BYTES + BLOCK) * Byte.SIZE;

    /** The end mark, and the length in bits as 16 bytes. */
    private static final int PADDING_MIN = 1 + 16;

    /** Column by column, so that a set bit adds eight words that lie together. */
    private static final long[] COLUMNS = columns();

    private SumHash512() {}

    private static long[] columns() {
        // Rows are drawn one after another from SHAKE256 of the matrix's dimensions and a name.
        var shake = new SHAKEDigest(256);
        for (int parameter : new int[] {64, WORDS, BITS}) {
            shake.update((byte) parameter);
            shake.update((byte) (parameter >>> 8));
        }
        byte[] name = "Algorand".getBytes(US_ASCII);
        shake.update(name, 0, name.length);
        var row = new byte[BITS * Long.BYTES];
        var columns = new long[BITS * WORDS];
        for (int i = 0; i < WORDS; i++) {
            shake.doOutput(row, 0, row.length);
            for (int bit = 0; bit < BITS; bit++) {
                columns[bit * WORDS + i] = (long) LONG.get(row, bit * Long.BYTES);
            }
        }
        return columns;
    }

    /**
     * Hashes a span and writes 64 bytes at {@code targetOffset}.
     *
     * @throws IndexOutOfBoundsException if the span or the digest does not fit its array
     */
    public static void digest(
            byte[] source, int offset, int length, byte[] target, int targetOffset) {
        Objects.checkFromIndexSize(offset, length, source.length);
        Objects.checkFromIndexSize(targetOffset, BYTES, target.length);
        var state = new long[WORDS];
        int whole = length - length % BLOCK;
        for (int i = 0; i < whole; i += BLOCK) {
            compress(state, source, offset + i);
        }
        int rest = length - whole;
        var end = new byte[rest + PADDING_MIN <= BLOCK ? BLOCK : 2 * BLOCK];
        System.arraycopy(source, offset + whole, end, 0, rest);
        end[rest] =
                1; // The least significant bit comes first, so this is a bit 1 and seven bits 0.
        LONG.set(end, end.length - 16, (long) length * Byte.SIZE);
        for (int i = 0; i < end.length; i += BLOCK) {
            compress(state, end, i);
        }
        for (int i = 0; i < WORDS; i++) {
            LONG.set(target, targetOffset + i * Long.BYTES, state[i]);
        }
    }

    /** Hashes a span into an array of its own. */
    public static byte[] digest(byte[] source, int offset, int length) {
        var target = new byte[BYTES];
        digest(source, offset, length, target, 0);
        return target;
    }

    private static void compress(long[] state, byte[] block, int offset) {
        long[] input = Arrays.copyOf(state, 2 * WORDS);
        for (int i = 0; i < WORDS; i++) {
            input[WORDS + i] = (long) LONG.get(block, offset + i * Long.BYTES);
        }
        Arrays.fill(state, 0);
        for (int word = 0; word < input.length; word++) {
            for (long bits = input[word]; bits != 0; bits &= bits - 1) {
                int column = (word * Long.SIZE + Long.numberOfTrailingZeros(bits)) * WORDS;
                for (int i = 0; i < WORDS; i++) {
                    state[i] += COLUMNS[column + i];
                }
            }
        }
    }
}
