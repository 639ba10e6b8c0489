package topspin.codec.block;

import topspin.codec.Bytes;
import topspin.codec.crypto.DigestBatch;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.SignedTransaction;

import java.util.Arrays;
import java.util.List;

/**
 * Computes the three roots of {@link TransactionRoot} side by side, so that each transaction is
 * looked at once, and hashes many together where the machine does that faster. Owns the layers that
 * it hashes in place, 128 bytes a transaction of the largest block it has seen (some 4 MiB for a
 * full one), so it belongs to one thread, and leaves no garbage after that.
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

    /** Transactions, or nodes of a layer, that are hashed together. */
    private static final int TOGETHER = 64;

    private final DigestBatch hashes512 = new DigestBatch(HashFunction.SHA512, TOGETHER);
    private final DigestBatch hashes512Over256 = new DigestBatch(HashFunction.SHA512_256, TOGETHER);

    /** Of some transactions each: the hash of itself, then of its block form. */
    private final byte[] leaves = new byte[TOGETHER * 2 * SMALL];

    private final byte[] digests = new byte[TOGETHER * LARGE];
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
        for (int from = 0; from < count; from += TOGETHER) {
            int to = Math.min(count, from + TOGETHER);
            hashPlainLeaves(transactions, from, to);
            hashVectorLeaves(transactions, from, to, size);
        }
        if (count == 0) {
            Arrays.fill(target, offset, offset + SMALL, (byte) 0);
        } else {
            root(hashes512Over256, SMALL, plain, count, target, offset);
        }
        root256(size, target, offset + SHA256);
        root(hashes512, LARGE, vector512, size, target, offset + SHA512);
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
     * Leaves are hashes of two hashes: of the transaction, by SHA-512/256 its id, and its block
     * form.
     */
    private void hashPlainLeaves(List<BlockTransaction> transactions, int from, int to) {
        for (int i = from; i < to; i++) {
            Bytes stib = transactions.get(i).encoding();
            hashes512Over256.add(Domain.STIB, stib.array(), stib.offset(), stib.length());
        }
        digest(hashes512Over256, digests, 0);
        for (int i = from; i < to; i++) {
            int leaf = (i - from) * 2 * SMALL;
            transactions.get(i).signed().id().writeTo(leaves, leaf);
            System.arraycopy(digests, (i - from) * SMALL, leaves, leaf + SMALL, SMALL);
            hashes512Over256.add(Domain.TL, leaves, leaf, 2 * SMALL);
        }
        digest(hashes512Over256, plain, from * SMALL);
    }

    /** The leaves of both vector commitments are made of the same two hashes, by SHA-256. */
    private void hashVectorLeaves(List<BlockTransaction> transactions, int from, int to, int size) {
        for (int i = from; i < to; i++) {
            SignedTransaction signed = transactions.get(i).signed();
            Bytes stib = transactions.get(i).encoding();
            int leaf = (i - from) * 2 * SMALL;
            HashFunction.SHA256.digest(
                    Domain.TX,
                    signed.bytes(),
                    signed.txnOffset(),
                    signed.txnLength(),
                    leaves,
                    leaf);
            HashFunction.SHA256.digest(
                    Domain.STIB, stib.array(), stib.offset(), stib.length(), leaves, leaf + SMALL);
            HashFunction.SHA256.digest(
                    Domain.TL, leaves, leaf, 2 * SMALL, vector256, position(i, size) * SMALL);
            hashes512.add(Domain.TL, leaves, leaf, 2 * SMALL);
        }
        digest(hashes512, digests, 0);
        for (int i = from; i < to; i++) {
            int at = position(i, size) * LARGE;
            System.arraycopy(digests, (i - from) * LARGE, vector512, at, LARGE);
        }
    }

    /** Where a vector commitment has an element: its index with the bits reversed. */
    private static int position(int index, int size) {
        int bits = Integer.numberOfTrailingZeros(size);
        return bits == 0 ? 0 : Integer.reverse(index) >>> (Integer.SIZE - bits);
    }

    private static void digest(DigestBatch batch, byte[] target, int offset) {
        try {
            batch.digest(target, offset);
        } finally {
            batch.clear();
        }
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
     * Hashes pairs until one digest is left, overwriting the layer: a parent stands before its
     * children and those of all that follow. The odd last of a layer pairs with zeros.
     */
    private void root(
            DigestBatch batch, int width, byte[] layer, int leaves, byte[] target, int offset) {
        int nodes = leaves;
        while (nodes > 1) {
            int parents = (nodes + 1) / 2;
            for (int from = 0; from < parents; from += TOGETHER) {
                int to = Math.min(parents, from + TOGETHER);
                for (int i = from; i < to; i++) {
                    if (2 * i + 1 < nodes) {
                        batch.add(Domain.MA, layer, 2 * i * width, 2 * width);
                    } else {
                        System.arraycopy(layer, 2 * i * width, pair, 0, width);
                        Arrays.fill(pair, width, 2 * width, (byte) 0);
                        batch.add(Domain.MA, pair, 0, 2 * width);
                    }
                }
                digest(batch, layer, from * width);
            }
            nodes = parents;
        }
        System.arraycopy(layer, 0, target, offset, width);
    }

    /** The same by SHA-256, which the processor does by itself; a power of two of leaves. */
    private void root256(int size, byte[] target, int offset) {
        for (int parents = size / 2; parents > 0; parents /= 2) {
            for (int i = 0; i < parents; i++) {
                HashFunction.SHA256.digest(
                        Domain.MA, vector256, 2 * i * SMALL, 2 * SMALL, vector256, i * SMALL);
            }
        }
        System.arraycopy(vector256, 0, target, offset, SMALL);
    }
}
