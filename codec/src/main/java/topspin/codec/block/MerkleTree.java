package topspin.codec.block;

import topspin.codec.Bytes;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A Merkle tree over leaf digests (block.md section 2): all its layers, from the leaves up, so that
 * any leaf can be proved. A node is the hash of {@code MA} and its two children; the last one of an
 * odd layer has a sibling of zero bytes.
 *
 * <p>A vector commitment is such a tree too, over 2<sup>n</sup> leaves in bit-reversed order, the
 * unused ones being the hash of {@code MB}: every position has a proof of the same length.
 */
public final class MerkleTree {
    private final HashFunction hash;
    private final int digestBytes;
    private final boolean vector;
    private final int leaves;
    private final List<byte[]> layers;

    private MerkleTree(HashFunction hash, boolean vector, byte[] leafDigests) {
        this.hash = hash;
        this.digestBytes = hash.bytes();
        this.vector = vector;
        this.leaves = leafDigests.length / digestBytes;
        this.layers = new ArrayList<>();
        layers.add(leafDigests);
        for (byte[] layer = leafDigests; layer.length > digestBytes; ) {
            layer = above(layer);
            layers.add(layer);
        }
    }

    /** A plain tree over digests of leaves in a row; none at all is allowed. */
    public static MerkleTree plain(HashFunction hash, byte[] leafDigests) {
        return new MerkleTree(hash, false, leafDigests);
    }

    /** A vector commitment to digests of leaves in a row; none at all is allowed. */
    public static MerkleTree vectorCommitment(HashFunction hash, byte[] leafDigests) {
        int size = hash.bytes();
        int count = leafDigests.length / size;
        int depth = depth(count);
        byte[] filler = hash.digest(Domain.MB, leafDigests, 0, 0);
        byte[] placed = new byte[size << depth];
        for (int position = 0; position < 1 << depth; position++) {
            int element = reverse(position, depth);
            if (element < count) {
                System.arraycopy(leafDigests, element * size, placed, position * size, size);
            } else {
                System.arraycopy(filler, 0, placed, position * size, size);
            }
        }
        return new MerkleTree(hash, true, placed);
    }

    /** The root; all zero for a plain tree without leaves. */
    public byte[] root() {
        byte[] top = layers.getLast();
        return leaves == 0 ? new byte[digestBytes] : top.clone();
    }

    /** The proof for the element at {@code index}, as it was given. */
    public MerkleProof prove(int index) {
        int depth = layers.size() - 1;
        int position = vector ? reverse(index, depth) : index;
        List<Bytes> path = new ArrayList<>();
        for (byte[] layer : layers.subList(0, depth)) {
            int sibling = (position ^ 1) * digestBytes;
            byte[] digest = new byte[digestBytes];
            if (sibling < layer.length) {
                System.arraycopy(layer, sibling, digest, 0, digestBytes);
            }
            path.add(Bytes.of(digest));
            position >>= 1;
        }
        return new MerkleProof(hash, path, depth);
    }

    private byte[] above(byte[] layer) {
        int pair = 2 * digestBytes;
        int nodes = (layer.length + pair - 1) / pair;
        byte[] above = new byte[nodes * digestBytes];
        for (int node = 0; node < nodes; node++) {
            int from = node * pair;
            if (from + pair <= layer.length) {
                hash.digest(Domain.MA, layer, from, pair, above, node * digestBytes);
            } else {
                byte[] padded = Arrays.copyOfRange(layer, from, from + pair);
                hash.digest(Domain.MA, padded, 0, pair, above, node * digestBytes);
            }
        }
        return above;
    }

    /** Bits needed to number {@code count} elements. */
    private static int depth(int count) {
        return count <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
    }

    /** The lowest {@code bits} of {@code index} in reverse. */
    private static int reverse(int index, int bits) {
        return bits == 0 ? index : Integer.reverse(index) >>> (Integer.SIZE - bits);
    }
}
