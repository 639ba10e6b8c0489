package topspin.codec.crypto;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.charset.StandardCharsets.US_ASCII;

import org.bouncycastle.crypto.digests.SHAKEDigest;

import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The hash that state proofs commit with: a subset sum over a fixed random matrix, unsalted
 * (agreement.md section 12). Slow and seldom used: once in an interval of state proofs. Any thread
 * may call.
 */
public final class Sumhash512 {
    /** Bytes of a digest. */
    public static final int BYTES = 64;

    private static final int ROWS = 8;
    private static final int COLUMNS = 1024;
    private static final int BLOCK_BYTES = 64;
    private static final int LENGTH_BYTES = 16;

    private static final VarHandle LONG =
            byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Row after row. */
    private static final long[] MATRIX = matrix();

    private Sumhash512() {}

    /** Hashes the domain's prefix and the whole array into an array of its own. */
    public static byte[] digest(Domain domain, byte[] message) {
        byte[] whole = domain.prepend(message, 0, message.length);
        byte[] padded = pad(whole);
        // State and block lie side by side, as the compression takes them.
        byte[] input = new byte[BYTES + BLOCK_BYTES];
        for (int offset = 0; offset < padded.length; offset += BLOCK_BYTES) {
            System.arraycopy(padded, offset, input, BYTES, BLOCK_BYTES);
            compress(input);
        }
        byte[] digest = new byte[BYTES];
        System.arraycopy(input, 0, digest, 0, BYTES);
        return digest;
    }

    /** A one bit, zeros, and the length in bits as 128 of them, all from the low end. */
    private static byte[] pad(byte[] message) {
        int blocks = (message.length + 1 + LENGTH_BYTES + BLOCK_BYTES - 1) / BLOCK_BYTES;
        byte[] padded = new byte[blocks * BLOCK_BYTES];
        System.arraycopy(message, 0, padded, 0, message.length);
        padded[message.length] = 1;
        LONG.set(padded, padded.length - LENGTH_BYTES, (long) message.length * Byte.SIZE);
        return padded;
    }

    private static void compress(byte[] input) {
        long[] words = new long[COLUMNS / Long.SIZE];
        for (int i = 0; i < words.length; i++) {
            words[i] = (long) LONG.get(input, i * Long.BYTES);
        }
        for (int row = 0; row < ROWS; row++) {
            long sum = 0;
            for (int column = 0; column < COLUMNS; column++) {
                long bit = words[column / Long.SIZE] >>> column & 1;
                sum += MATRIX[row * COLUMNS + column] & -bit;
            }
            LONG.set(input, row * Long.BYTES, sum);
        }
    }

    private static long[] matrix() {
        SHAKEDigest shake = new SHAKEDigest(256);
        byte[] name = "Algorand".getBytes(US_ASCII);
        byte[] sizes = {Long.SIZE, 0, ROWS, 0, 0, COLUMNS >>> Byte.SIZE};
        shake.update(sizes, 0, sizes.length);
        shake.update(name, 0, name.length);
        byte[] bytes = new byte[ROWS * COLUMNS * Long.BYTES];
        shake.doFinal(bytes, 0, bytes.length);
        long[] matrix = new long[ROWS * COLUMNS];
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = (long) LONG.get(bytes, i * Long.BYTES);
        }
        return matrix;
    }
}
