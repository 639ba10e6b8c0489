package topspin.codec.block;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.SignedTransaction;

import java.util.Arrays;
import java.util.List;

/**
 * The three commitments that a header makes to its transactions (block.md section 2).
 *
 * @param sha512_256 root of the plain Merkle tree; zero when there are no transactions
 * @param sha256 root of the vector commitment with SHA-256
 * @param sha512 root of the vector commitment with SHA-512, 64 bytes
 */
public record TransactionRoot(Digest sha512_256, Digest sha256, Bytes sha512) {
    private static final int SMALL = 32;
    private static final int LARGE = 64;

    private static final byte[] NOTHING = {};

    /** Commits to the transactions of a block, in their order. */
    public static TransactionRoot of(List<BlockTransaction> transactions) {
        int count = transactions.size();
        int size = vectorSize(count);
        int bits = Integer.numberOfTrailingZeros(size);
        byte[] plain = new byte[count * SMALL];
        byte[] vector256 = new byte[size * SMALL];
        byte[] vector512 = new byte[size * LARGE];
        if (count < size) {
            fill(vector256, HashFunction.SHA256.digest(Domain.MB, NOTHING, 0, 0));
            fill(vector512, HashFunction.SHA512.digest(Domain.MB, NOTHING, 0, 0));
        }
        byte[] leaf = new byte[2 * SMALL];
        for (int i = 0; i < count; i++) {
            BlockTransaction transaction = transactions.get(i);
            SignedTransaction signed = transaction.signed();
            Bytes block = transaction.encoding();
            signed.id().writeTo(leaf, 0);
            hash(HashFunction.SHA512_256, Domain.STIB, block, leaf, SMALL);
            HashFunction.SHA512_256.digest(Domain.TL, leaf, 0, leaf.length, plain, i * SMALL);

            HashFunction.SHA256.digest(
                    Domain.TX, signed.bytes(), signed.txnOffset(), signed.txnLength(), leaf, 0);
            hash(HashFunction.SHA256, Domain.STIB, block, leaf, SMALL);
            int position = bits == 0 ? 0 : Integer.reverse(i) >>> (Integer.SIZE - bits);
            HashFunction.SHA256.digest(
                    Domain.TL, leaf, 0, leaf.length, vector256, position * SMALL);
            HashFunction.SHA512.digest(
                    Domain.TL, leaf, 0, leaf.length, vector512, position * LARGE);
        }
        return new TransactionRoot(
                count == 0 ? Digest.ZERO : Digest.of(root(HashFunction.SHA512_256, plain), 0),
                Digest.of(root(HashFunction.SHA256, vector256), 0),
                Bytes.of(Arrays.copyOf(root(HashFunction.SHA512, vector512), LARGE)));
    }

    private static void hash(
            HashFunction function, Domain domain, Bytes source, byte[] target, int offset) {
        function.digest(domain, source.array(), source.offset(), source.length(), target, offset);
    }

    /** Leaves of a vector commitment: a power of two, and one at least. */
    private static int vectorSize(int count) {
        return count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
    }

    private static void fill(byte[] target, byte[] digest) {
        for (int offset = 0; offset < target.length; offset += digest.length) {
            System.arraycopy(digest, 0, target, offset, digest.length);
        }
    }

    /**
     * Hashes pairs until one digest is left, which ends up first in the array it overwrites. The
     * odd last of a layer pairs with zeros.
     */
    private static byte[] root(HashFunction function, byte[] layer) {
        int width = function.bytes();
        int nodes = layer.length / width;
        byte[] pair = new byte[2 * width];
        while (nodes > 1) {
            int parents = (nodes + 1) / 2;
            for (int i = 0; i < parents; i++) {
                boolean whole = 2 * i + 1 < nodes;
                System.arraycopy(layer, 2 * i * width, pair, 0, whole ? 2 * width : width);
                if (!whole) {
                    Arrays.fill(pair, width, 2 * width, (byte) 0);
                }
                function.digest(Domain.MA, pair, 0, pair.length, layer, i * width);
            }
            nodes = parents;
        }
        return layer;
    }
}
