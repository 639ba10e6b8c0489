package topspin.net.stream;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;

/**
 * Ids of transactions that a peer says it has: a Bloom filter, so that it may seem to have a few
 * more. Made by the peer, who can make it lie about what it gets, and nothing else. Immutable; any
 * thread.
 *
 * <p>As bytes: number of hashes and a prefix, each four bytes, big-endian; then the bits, the
 * lowest of a byte first. An id sets, for each hash, the bit that it gives modulo their number.
 * Four hashes are the words, from the lowest, of SipHash-2-4 with 128 bits of result over prefix
 * and id, under the keys (0, 666666), (1, 666666), and so on.
 */
public final class KnownIds {
    /** An id's length. */
    public static final int ID_BYTES = 32;

    /** Bytes of the filter: room for the 75,000 ids of a full pool at one wrong in a hundred. */
    static final int BYTES_MAX = 89_869;

    private static final int HASHES_MAX = 32;
    private static final int PREFIX_AT = Integer.BYTES;
    private static final int BITS_AT = 2 * Integer.BYTES;
    private static final long KEY_1 = 666_666;
    private static final VarHandle INT_BE = byteArrayViewVarHandle(int[].class, BIG_ENDIAN);
    private static final VarHandle INT = byteArrayViewVarHandle(int[].class, LITTLE_ENDIAN);
    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);

    private final int hashes;
    private final byte[] bytes;

    private KnownIds(int hashes, byte[] bytes) {
        this.hashes = hashes;
        this.bytes = bytes;
    }

    /**
     * A filter as peers send it; null if it is none.
     *
     * @param bytes kept, not copied
     */
    public static @Nullable KnownIds decode(byte[] bytes) {
        if (bytes.length <= BITS_AT || bytes.length > BYTES_MAX) {
            return null;
        }
        int hashes = (int) INT_BE.get(bytes, 0);
        return Integer.compareUnsigned(hashes, HASHES_MAX) > 0 ? null : new KnownIds(hashes, bytes);
    }

    /**
     * Whether the peer has the transaction, or only seems to.
     *
     * @param id of {@value #ID_BYTES} bytes
     */
    public boolean mayHold(byte[] id) {
        if (id.length != ID_BYTES) {
            throw new IllegalArgumentException("an id of " + id.length + " bytes");
        }
        for (int first = 0; first < hashes; first += 4) {
            if (!hasBits(id, first)) {
                return false;
            }
        }
        return true;
    }

    /** Of up to four hashes from {@code first} on. */
    private boolean hasBits(byte[] id, int first) {
        long v0 = first / 4 ^ 0x736f6d6570736575L;
        long v1 = KEY_1 ^ 0x646f72616e646f6dL ^ 0xee;
        long v2 = first / 4 ^ 0x6c7967656e657261L;
        long v3 = KEY_1 ^ 0x7465646279746573L;
        int steps = (Integer.BYTES + ID_BYTES) / Long.BYTES;
        // Words of the message, then the results' two finishing runs.
        long low = 0;
        for (int step = 0; step < steps + 3; step++) {
            long word = step <= steps ? word(id, step) : 0;
            if (step == steps + 1) {
                v2 ^= 0xee;
            } else if (step == steps + 2) {
                low = v0 ^ v1 ^ v2 ^ v3;
                v1 ^= 0xdd;
            }
            v3 ^= word;
            for (int round = step <= steps ? 2 : 4; round > 0; round--) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        long high = v0 ^ v1 ^ v2 ^ v3;
        int count = Math.min(hashes - first, 4);
        return hasBit((int) low)
                && (count < 2 || hasBit((int) (low >>> 32)))
                && (count < 3 || hasBit((int) high))
                && (count < 4 || hasBit((int) (high >>> 32)));
    }

    /** A word of prefix and id; the last one has what is left of the id, and the length on top. */
    private long word(byte[] id, int step) {
        int at = step * Long.BYTES - Integer.BYTES; // In the id; the prefix is as long as an int.
        if (step == 0) {
            return (int) INT.get(bytes, PREFIX_AT) & 0xffff_ffffL
                    | (long) (int) INT.get(id, 0) << 32;
        } else if (at + Long.BYTES <= ID_BYTES) {
            return (long) LONG.get(id, at);
        }
        return (int) INT.get(id, at) & 0xffff_ffffL | (long) (Integer.BYTES + ID_BYTES) << 56;
    }

    private boolean hasBit(int hash) {
        int bit = Integer.remainderUnsigned(hash, (bytes.length - BITS_AT) * Byte.SIZE);
        return (bytes[BITS_AT + bit / Byte.SIZE] >> bit % Byte.SIZE & 1) != 0;
    }
}
