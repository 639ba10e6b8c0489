package topspin.codec.block;

import topspin.codec.Bytes;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Siblings that lead from leaves to the root of a {@link MerkleTree}.
 *
 * @param path digests from the bottom up, for one leaf one a level; empty bytes stand for zero
 *     bytes
 * @param depth levels between leaf and root
 */
public record MerkleProof(HashFunction hash, List<Bytes> path, int depth) {
    /** More levels than any index has bits make no difference. */
    private static final int DEPTH_MAX = 62;

    public MerkleProof {
        path = List.copyOf(path);
    }

    /** The digests in a row, as REST gives them. */
    public byte[] concatenated() {
        byte[] row = new byte[path.size() * hash.bytes()];
        for (int index = 0; index < path.size(); index++) {
            Bytes digest = path.get(index);
            System.arraycopy(
                    digest.array(), digest.offset(), row, index * hash.bytes(), digest.length());
        }
        return row;
    }

    /**
     * Whether the elements of a plain tree with this root are these.
     *
     * @param leafDigests by their index
     */
    public boolean verify(Bytes root, Map<Long, byte[]> leafDigests) {
        SortedMap<Long, byte[]> layer = new TreeMap<>();
        for (Map.Entry<Long, byte[]> leaf : leafDigests.entrySet()) {
            if (!inBounds(leaf.getKey())) {
                return false;
            }
            layer.put(leaf.getKey(), leaf.getValue());
        }
        return leadsTo(root, layer);
    }

    /**
     * Whether the elements of a vector commitment with this root are these.
     *
     * @param leafDigests by their index, as they were committed to
     */
    public boolean verifyVectorCommitment(Bytes root, Map<Long, byte[]> leafDigests) {
        SortedMap<Long, byte[]> layer = new TreeMap<>();
        for (Map.Entry<Long, byte[]> leaf : leafDigests.entrySet()) {
            if (!inBounds(leaf.getKey())) {
                return false;
            }
            long position = depth == 0 ? 0 : Long.reverse(leaf.getKey()) >>> (Long.SIZE - depth);
            layer.put(position, leaf.getValue());
        }
        return leadsTo(root, layer);
    }

    private boolean inBounds(long index) {
        return index >= 0 && (depth > DEPTH_MAX || index < 1L << depth);
    }

    private boolean leadsTo(Bytes root, SortedMap<Long, byte[]> leaves) {
        if (leaves.isEmpty()) {
            return path.isEmpty();
        }
        List<Bytes> siblings = new ArrayList<>(path.reversed());
        SortedMap<Long, byte[]> layer = leaves;
        byte[] pair = new byte[2 * hash.bytes()];
        while (!siblings.isEmpty() || layer.size() > 1) {
            SortedMap<Long, byte[]> above = new TreeMap<>();
            for (Map.Entry<Long, byte[]> node : layer.entrySet()) {
                long position = node.getKey();
                boolean right = (position & 1) == 1;
                if (right && layer.containsKey(position - 1)) {
                    continue; // Joined by its sibling already.
                }
                byte[] twin = layer.get(position ^ 1);
                if (twin == null && siblings.isEmpty()) {
                    return false;
                }
                Bytes sibling = twin == null ? siblings.removeLast() : Bytes.of(twin);
                Bytes own = Bytes.of(node.getValue());
                put(right ? sibling : own, pair, 0);
                put(right ? own : sibling, pair, hash.bytes());
                above.put(position >> 1, hash.digest(Domain.MA, pair, 0, pair.length));
            }
            layer = above;
        }
        return layer.firstKey() == 0
                && layer.values().stream().allMatch(top -> Bytes.of(top).equals(root));
    }

    /** A digest of another length is cut off, or zeros follow. */
    private void put(Bytes digest, byte[] pair, int at) {
        for (int index = 0; index < hash.bytes(); index++) {
            pair[at + index] = index < digest.length() ? digest.byteAt(index) : 0;
        }
    }
}
