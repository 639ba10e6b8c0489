package topspin.codec.txn;

import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;

/**
 * Makes transaction ids: SHA-512/256 over {@code TX} and the canonical transaction (transactions.md
 * section 6). Owns the buffer it encodes into, so it belongs to one thread; the calls that write
 * into the caller's array leave no garbage.
 */
public final class TxIdHasher {
    private static final ThreadLocal<TxIdHasher> PER_THREAD =
            ThreadLocal.withInitial(TxIdHasher::new);

    /** Begins with the prefix, for good. */
    private final CanonicalWriter writer = new CanonicalWriter();

    private final byte[] digest = new byte[Digest.BYTES];

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

    /** The id of {@code txn}. */
    public Digest hash(Transaction txn) {
        hash(txn, digest, 0);
        return Digest.of(digest, 0);
    }
}
