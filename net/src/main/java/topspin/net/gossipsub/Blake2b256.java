package topspin.net.gossipsub;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.netty.buffer.ByteBuf;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * BLAKE2b (RFC 7693) with 32 bytes of output and no key, which names messages. Makes no garbage.
 * Not for several threads.
 */
final class Blake2b256 {
    private static final int BLOCK_BYTES = 128;
    private static final int ROUNDS = 12;

    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);

    private static final long[] IV = {
        0x6a09e667f3bcc908L,
        0xbb67ae8584caa73bL,
        0x3c6ef372fe94f82bL,
        0xa54ff53a5f1d36f1L,
        0x510e527fade682d1L,
        0x9b05688c2b3e6c1fL,
        0x1f83d9abfb41bd6bL,
        0x5be0cd19137e2179L,
    };

    /** Parameters in the first word: 32 bytes out, no key, fan-out and depth 1. */
    private static final long PARAMETERS = 0x0101_0020L;

    /** The order in which each round takes the words of the block; after ten it starts again. */
    private static final byte[][] SIGMA = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
        {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
        {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
        {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
        {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    };

    private final byte[] block = new byte[BLOCK_BYTES];
    private final long[] words = new long[16];
    private final long[] state = new long[8];

    /** Hashes a span of a buffer, whose indexes stay. */
    void hash(ByteBuf data, int offset, int length, MessageId id) {
        begin();
        int at = 0;
        for (; length - at > BLOCK_BYTES; at += BLOCK_BYTES) {
            data.getBytes(offset + at, block, 0, BLOCK_BYTES);
            compress(block, 0, at + BLOCK_BYTES, false);
        }
        if (length > at) {
            data.getBytes(offset + at, block, 0, length - at);
        }
        finish(length - at, length, id);
    }

    void hash(byte[] data, int offset, int length, MessageId id) {
        begin();
        int at = 0;
        for (; length - at > BLOCK_BYTES; at += BLOCK_BYTES) {
            compress(data, offset + at, at + BLOCK_BYTES, false);
        }
        System.arraycopy(data, offset + at, block, 0, length - at);
        finish(length - at, length, id);
    }

    private void begin() {
        System.arraycopy(IV, 0, state, 0, state.length);
        state[0] ^= PARAMETERS;
    }

    private void finish(int left, int length, MessageId id) {
        Arrays.fill(block, left, BLOCK_BYTES, (byte) 0);
        compress(block, 0, length, true);
        id.set(state[0], state[1], state[2], state[3]);
    }

    private void compress(byte[] bytes, int offset, long counter, boolean last) {
        long[] m = words;
        for (int word = 0; word < m.length; word++) {
            m[word] = (long) LONG.get(bytes, offset + word * Long.BYTES);
        }
        long[] h = state;
        long v0 = h[0];
        long v1 = h[1];
        long v2 = h[2];
        long v3 = h[3];
        long v4 = h[4];
        long v5 = h[5];
        long v6 = h[6];
        long v7 = h[7];
        long v8 = IV[0];
        long v9 = IV[1];
        long v10 = IV[2];
        long v11 = IV[3];
        long v12 = IV[4] ^ counter;
        long v13 = IV[5];
        long v14 = last ? ~IV[6] : IV[6];
        long v15 = IV[7];
        for (int round = 0; round < ROUNDS; round++) {
            byte[] s = SIGMA[round % SIGMA.length];

            // Columns.
            v0 += v4 + m[s[0]];
            v12 = Long.rotateRight(v12 ^ v0, 32);
            v8 += v12;
            v4 = Long.rotateRight(v4 ^ v8, 24);
            v0 += v4 + m[s[1]];
            v12 = Long.rotateRight(v12 ^ v0, 16);
            v8 += v12;
            v4 = Long.rotateRight(v4 ^ v8, 63);

            v1 += v5 + m[s[2]];
            v13 = Long.rotateRight(v13 ^ v1, 32);
            v9 += v13;
            v5 = Long.rotateRight(v5 ^ v9, 24);
            v1 += v5 + m[s[3]];
            v13 = Long.rotateRight(v13 ^ v1, 16);
            v9 += v13;
            v5 = Long.rotateRight(v5 ^ v9, 63);

            v2 += v6 + m[s[4]];
            v14 = Long.rotateRight(v14 ^ v2, 32);
            v10 += v14;
            v6 = Long.rotateRight(v6 ^ v10, 24);
            v2 += v6 + m[s[5]];
            v14 = Long.rotateRight(v14 ^ v2, 16);
            v10 += v14;
            v6 = Long.rotateRight(v6 ^ v10, 63);

            v3 += v7 + m[s[6]];
            v15 = Long.rotateRight(v15 ^ v3, 32);
            v11 += v15;
            v7 = Long.rotateRight(v7 ^ v11, 24);
            v3 += v7 + m[s[7]];
            v15 = Long.rotateRight(v15 ^ v3, 16);
            v11 += v15;
            v7 = Long.rotateRight(v7 ^ v11, 63);

            // Diagonals.
            v0 += v5 + m[s[8]];
            v15 = Long.rotateRight(v15 ^ v0, 32);
            v10 += v15;
            v5 = Long.rotateRight(v5 ^ v10, 24);
            v0 += v5 + m[s[9]];
            v15 = Long.rotateRight(v15 ^ v0, 16);
            v10 += v15;
            v5 = Long.rotateRight(v5 ^ v10, 63);

            v1 += v6 + m[s[10]];
            v12 = Long.rotateRight(v12 ^ v1, 32);
            v11 += v12;
            v6 = Long.rotateRight(v6 ^ v11, 24);
            v1 += v6 + m[s[11]];
            v12 = Long.rotateRight(v12 ^ v1, 16);
            v11 += v12;
            v6 = Long.rotateRight(v6 ^ v11, 63);

            v2 += v7 + m[s[12]];
            v13 = Long.rotateRight(v13 ^ v2, 32);
            v8 += v13;
            v7 = Long.rotateRight(v7 ^ v8, 24);
            v2 += v7 + m[s[13]];
            v13 = Long.rotateRight(v13 ^ v2, 16);
            v8 += v13;
            v7 = Long.rotateRight(v7 ^ v8, 63);

            v3 += v4 + m[s[14]];
            v14 = Long.rotateRight(v14 ^ v3, 32);
            v9 += v14;
            v4 = Long.rotateRight(v4 ^ v9, 24);
            v3 += v4 + m[s[15]];
            v14 = Long.rotateRight(v14 ^ v3, 16);
            v9 += v14;
            v4 = Long.rotateRight(v4 ^ v9, 63);
        }
        h[0] ^= v0 ^ v8;
        h[1] ^= v1 ^ v9;
        h[2] ^= v2 ^ v10;
        h[3] ^= v3 ^ v11;
        h[4] ^= v4 ^ v12;
        h[5] ^= v5 ^ v13;
        h[6] ^= v6 ^ v14;
        h[7] ^= v7 ^ v15;
    }
}
