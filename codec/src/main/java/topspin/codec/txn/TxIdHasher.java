package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.crypto.DigestBatch;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Makes transaction ids: SHA-512/256 over {@code TX} and the canonical transaction (transactions.md
 * section 6). Owns the buffer it encodes into, so it belongs to one thread; the calls that write
 * into the caller's array leave no garbage.
 */
public final class TxIdHasher {
    /** Transactions that are hashed together. */
    private static final int TOGETHER = 64;

    private static final ThreadLocal<TxIdHasher> PER_THREAD =
            ThreadLocal.withInitial(TxIdHasher::new);

    /** Begins with the prefix, for good. */
    private final CanonicalWriter writer = new CanonicalWriter();

    private final byte[] digest = new byte[Digest.BYTES];

    private final DigestBatch together = new DigestBatch(HashFunction.SHA512_256, TOGETHER);
    private final @Nullable SignedTransaction[] waiting = new SignedTransaction[TOGETHER];
    private final byte[] digests = new byte[TOGETHER * Digest.BYTES];

    public TxIdHasher() {
        writer.raw(Domain.TX.prepend(writer.array(), 0, 0));
    }

    /** The calling thread's own. */
    public static TxIdHasher perThread() {
        return PER_THREAD.get();
    }

    /** Writes the id of {@code txn}, which is encoded first, to {@code id} at {@code offset}. */
    public void hash(Transaction txn, byte[] id, int offset) {
        writer.rewind(Domain.TX.length());
        TransactionEncoder.encode(txn, writer);
        HashFunction.SHA512_256.digest(writer.array(), 0, writer.position(), id, offset);
    }

    /** Writes the id of a transaction whose canonical bytes are given. */
    public void hash(byte[] bytes, int from, int length, byte[] id, int offset) {
        Sha512_256.digest(Domain.TX, bytes, from, length, id, offset);
    }

    /** The id of a transaction whose canonical bytes are given. */
    public Digest hash(byte[] bytes, int from, int length) {
        hash(bytes, from, length, digest, 0);
        return Digest.of(digest, 0);
    }

    /**
     * Gives each transaction of a block its id that has none yet, hashing many together where the
     * machine does that faster.
     */
    public void identify(List<BlockTransaction> transactions) {
        try {
            for (BlockTransaction transaction : transactions) {
                SignedTransaction signed = transaction.signed();
                if (!signed.hasId()) {
                    waiting[together.size()] = signed;
                    together.add(Domain.TX, signed.bytes(), signed.txnOffset(), signed.txnLength());
                    if (together.size() == TOGETHER) {
                        identifyWaiting();
                    }
                }
            }
            identifyWaiting();
        } finally {
            together.clear();
            Arrays.fill(waiting, null);
        }
    }

    private void identifyWaiting() {
        together.digest(digests, 0);
        for (int i = 0; i < together.size(); i++) {
            Objects.requireNonNull(waiting[i]).setId(Digest.of(digests, i * Digest.BYTES));
        }
        together.clear();
    }

    /** The id of {@code txn}. */
    public Digest hash(Transaction txn) {
        hash(txn, digest, 0);
        return Digest.of(digest, 0);
    }
}
