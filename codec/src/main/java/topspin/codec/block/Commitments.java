package topspin.codec.block;

import topspin.codec.Bytes;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.SignedTransaction;

import java.util.Arrays;
import java.util.List;

/**
 * Computes the three roots of {@link TransactionRoot} side by side, so that each transaction is
 * looked at once. Owns the layers that it hashes in place, 128 bytes a transaction of the largest
 * block it has seen (some 4 MiB for a full one), so it belongs to one thread, and leaves no garbage
 * after that.
 */
public final class Commitments {
    /** Bytes of the three roots in a row. */
    public static final int BYTES = 128;

    /** Where the root by SHA-256 is among them; that by SHA-512/256 is first. */
    static final int SHA256 = 32;

    /** Where the root by SHA-512 is among them. */
    static final int SHA512 = 64;

    private static final int SMALL = 32;
    private static final int LARGE = 64;

    private static final byte[] NOTHING = {};
    private static final byte[] FILLER_256 = HashFunction.SHA256.digest(Domain.MB, NOTHING, 0, 0);
    private static final byte[] FILLER_512 = HashFunction.SHA512.digest(Domain.MB, NOTHING, 0, 0);

    private static final ThreadLocal<Commitments> PER_THREAD =
            ThreadLocal.withInitial(Commitments::new);

    private final byte[] leaf = new byte[2 * SMALL];
    private final byte[] pair = new byte[2 * LARGE];
    private byte[] plain = NOTHING;
    private byte[] vector256 = NOTHING;
    private byte[] vector512 = NOTHING;

    /** The calling thread's own. */
    public static Commitments perThread() {
        return PER_THREAD.get();
    }

    /**
     * Writes the roots, {@link #BYTES} in all, to {@code target} at {@code offset}: by SHA-512/256
     * of the plain tree, then by SHA-256 and SHA-512 of the vector commitments.
     */
    public void commit(List<BlockTransaction> transactions, byte[] target, int offset) {
        int count = transactions.size();
        int size = vectorSize(count);
        makeRoom(count, size);
        if (count < size) {
            fill(vector256, size, FILLER_256);
            fill(vector512, size, FILLER_512);
        }
        int bits = Integer.numberOfTrailingZeros(size);
        for (int i = 0; i < count; i++) {
            int position = bits == 0 ? 0 : Integer.reverse(i) >>> (Integer.SIZE - bits);
            hashLeaves(transactions.get(i), i, position);
        }
        if (count == 0) {
            Arrays.fill(target, offset, offset + SMALL, (byte) 0);
        } else {
            root(HashFunction.SHA512_256, plain, count, target, offset);
        }
        root(HashFunction.SHA256, vector256, size, target, offset + SHA256);
        root(HashFunction.SHA512, vector512, size, target, offset + SHA512);
    }

    private void makeRoom(int count, int size) {
        if (plain.length < count * SMALL) {
            plain = new byte[size * SMALL];
        }
        if (vector256.length < size * SMALL) {
            vector256 = new byte[size * SMALL];
            vector512 = new byte[size * LARGE];
        }
    }

    /**
     * The leaves of a transaction: hashes of two hashes, of its id's preimage and of its block
     * form.
     */
    private void hashLeaves(BlockTransaction transaction, int index, int position) {
        SignedTransaction signed = transaction.signed();
        Bytes stib = transaction.encoding();
        signed.id().writeTo(leaf, 0);
        hash(HashFunction.SHA512_256, stib);
        HashFunction.SHA512_256.digest(Domain.TL, leaf, 0, leaf.length, plain, index * SMALL);

        HashFunction.SHA256.digest(
                Domain.TX, signed.bytes(), signed.txnOffset(), signed.txnLength(), leaf, 0);
        hash(HashFunction.SHA256, stib);
        HashFunction.SHA256.digest(Domain.TL, leaf, 0, leaf.length, vector256, position * SMALL);
        HashFunction.SHA512.digest(Domain.TL, leaf, 0, leaf.length, vector512, position * LARGE);
    }

    private void hash(HashFunction function, Bytes stib) {
        function.digest(Domain.STIB, stib.array(), stib.offset(), stib.length(), leaf, SMALL);
    }

    /** Leaves of a vector commitment: a power of two, and one at least. */
    private static int vectorSize(int count) {
        return count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
    }

    private static void fill(byte[] layer, int nodes, byte[] digest) {
        for (int node = 0; node < nodes; node++) {
            System.arraycopy(digest, 0, layer, node * digest.length, digest.length);
        }
    }

    /**
     * Hashes pairs until one digest is left, overwriting the layer. The odd last of a layer pairs
     * with zeros.
     */
    private void root(HashFunction function, byte[] layer, int leaves, byte[] target, int offset) {
        int width = function.bytes();
        int nodes = leaves;
        while (nodes > 1) {
            int parents = (nodes + 1) / 2;
            for (int i = 0; i < parents; i++) {
                boolean whole = 2 * i + 1 < nodes;
                System.arraycopy(layer, 2 * i * width, pair, 0, whole ? 2 * width : width);
                if (!whole) {
                    Arrays.fill(pair, width, 2 * width, (byte) 0);
                }
                function.digest(Domain.MA, pair, 0, 2 * width, layer, i * width);
            }
            nodes = parents;
        }
        System.arraycopy(layer, 0, target, offset, width);
    }
}
