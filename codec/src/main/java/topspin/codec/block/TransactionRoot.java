package topspin.codec.block;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.SignedTransaction;

import java.util.List;

/**
 * The three commitments that a header makes to its transactions (block.md section 2).
 *
 * @param sha512_256 root of the plain Merkle tree; zero when there are no transactions
 * @param sha256 root of the vector commitment with SHA-256
 * @param sha512 root of the vector commitment with SHA-512, 64 bytes
 */
public record TransactionRoot(Digest sha512_256, Digest sha256, Bytes sha512) {
    /** Commits to the transactions of a block, in their order. */
    public static TransactionRoot of(List<BlockTransaction> transactions) {
        byte[] roots = new byte[Commitments.BYTES];
        Commitments.perThread().commit(transactions, roots, 0);
        return new TransactionRoot(
                Digest.of(roots, 0),
                Digest.of(roots, Commitments.SHA256),
                Bytes.of(roots, Commitments.SHA512, HashFunction.SHA512.bytes()).compact());
    }

    /**
     * That one transaction is in a block.
     *
     * @param stibHash hash of its in-block form
     */
    public record Proof(Bytes stibHash, MerkleProof proof) {}

    /**
     * Proves that {@code payset} holds the transaction at {@code index}.
     *
     * @param hash SHA-512/256, against {@code txn}, or SHA-256, against {@code txn256}
     */
    public static Proof prove(HashFunction hash, List<BlockTransaction> payset, int index) {
        byte[] inputs = leafInputs(hash, payset);
        byte[] digests = leafDigests(hash, inputs);
        MerkleTree tree =
                switch (hash) {
                    case SHA512_256 -> MerkleTree.plain(hash, digests);
                    case SHA256 -> MerkleTree.vectorCommitment(hash, digests);
                    case SHA512 -> throw new IllegalArgumentException("no proofs by SHA-512");
                };
        int size = hash.bytes();
        Bytes stibHash = Bytes.of(inputs, (2 * index + 1) * size, size).compact();
        return new Proof(stibHash, tree.prove(index));
    }

    /**
     * The hash of {@code payset} as a list: the commitment of blocks that have no tree, of which
     * the genesis block is one.
     */
    public static Digest flat(List<BlockTransaction> payset) {
        var out = new CanonicalWriter();
        out.writeArrayHeader(payset.size());
        for (BlockTransaction transaction : payset) {
            out.raw(transaction.encoding());
        }
        byte[] digest = new byte[Digest.BYTES];
        Sha512_256.digest(Domain.PF, out.array(), 0, out.position(), digest, 0);
        return Digest.of(digest, 0);
    }

    /** For each transaction two digests in a row: of itself, and of its in-block form. */
    private static byte[] leafInputs(HashFunction hash, List<BlockTransaction> payset) {
        int size = hash.bytes();
        byte[] inputs = new byte[2 * size * payset.size()];
        int at = 0;
        for (int index = 0; index < payset.size(); index++) {
            BlockTransaction transaction = payset.get(index);
            SignedTransaction signed = transaction.signed();
            if (hash == HashFunction.SHA512_256) {
                signed.id().writeTo(inputs, at); // Known since it arrived.
            } else {
                hash.digest(
                        Domain.TX,
                        signed.bytes(),
                        signed.txnOffset(),
                        signed.txnLength(),
                        inputs,
                        at);
            }
            Bytes stib = transaction.encoding();
            hash.digest(Domain.STIB, stib.array(), stib.offset(), stib.length(), inputs, at + size);
            at += 2 * size;
        }
        return inputs;
    }

    /**
     * The digests of leaves; each input is two digests of 32 bytes, whatever the hash of the tree.
     */
    private static byte[] leafDigests(HashFunction hash, byte[] inputs) {
        int inputBytes = 2 * Digest.BYTES;
        int count = inputs.length / inputBytes;
        byte[] digests = new byte[count * hash.bytes()];
        for (int index = 0; index < count; index++) {
            hash.digest(
                    Domain.TL,
                    inputs,
                    index * inputBytes,
                    inputBytes,
                    digests,
                    index * hash.bytes());
        }
        return digests;
    }
}
