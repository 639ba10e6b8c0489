package topspin.codec.txn;

import static topspin.codec.txn.Keys.*;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.msgpack.CanonicalWriter;

/**
 * Takes genesis id and hash out of a transaction that enters a block, and puts them back
 * (transactions.md section 7). Both fields stand side by side in key order, so each way is one cut.
 * Owns what it writes into, one a thread; of each way nothing is left but the bytes that stay.
 */
final class BlockForm {
    private static final ThreadLocal<BlockForm> PER_THREAD =
            ThreadLocal.withInitial(BlockForm::new);

    private final CanonicalWriter out = new CanonicalWriter();
    private final Cut cut = new Cut();

    private BlockForm() {}

    /** The calling thread's own. */
    static BlockForm perThread() {
        return PER_THREAD.get();
    }

    /** The in-block form of {@code signed}, which did {@code applied}. */
    BlockTransaction strip(SignedTransaction signed, ApplyData applied) {
        out.reset();
        boolean hasGenesisId = !signed.txn().genesisId().isEmpty();
        long map = out.openMap();
        ApplyDataEncoder.encodeBeforeSignatures(applied, out);
        out.flag(HGI, hasGenesisId);
        SignatureEncoder.encodeBeforeSigner(
                signed.logicSignature(), signed.multisig(), signed.pqSignature(), out);
        ApplyDataEncoder.encodeRewards(applied, out);
        SignatureEncoder.encodeSigner(signed.signer(), signed.signature(), out);
        out.key(TXN);
        byte[] bytes = signed.bytes();
        cut.find(GEN, GH, bytes, signed.txnOffset(), signed.txnLength());
        cut.writeBefore(bytes, 0, out);
        cut.writeBehind(bytes, out);
        out.closeMap(map);
        return new BlockTransaction(
                signed, applied, hasGenesisId, false, true, Bytes.of(out.toByteArray()));
    }

    /**
     * The transaction as it was signed: with the genesis id if it {@code hasGenesisId}, and always
     * with the hash. What {@code standing}, the block's form, names itself, though it must not,
     * stays.
     */
    BlockTransaction restore(
            SignedTransaction standing,
            ApplyData applied,
            boolean hasGenesisId,
            boolean hasGenesisHash,
            Bytes encoding,
            String genesisId,
            Digest genesisHash) {
        Transaction txn = standing.txn();
        boolean stripped = txn.genesisId().isEmpty() && txn.genesisHash().isZero();
        String id = hasGenesisId && txn.genesisId().isEmpty() ? genesisId : txn.genesisId();
        Digest hash = txn.genesisHash().isZero() ? genesisHash : txn.genesisHash();

        out.reset();
        byte[] bytes = standing.bytes();
        cut.find(GEN, GH, bytes, standing.txnOffset(), standing.txnLength());
        cut.writeBefore(bytes, (id.isEmpty() ? 0 : 1) + (hash.isZero() ? 0 : 1), out);
        int uncounted = out.openUncounted();
        out.text(GEN, id);
        out.digest(GH, hash);
        out.closeUncounted(uncounted);
        cut.writeBehind(bytes, out);
        Bytes restoredEncoding = Bytes.of(out.array(), 0, out.position());

        TransactionHeader header = txn.header().withGenesis(id, hash);
        Transaction restored =
                txn instanceof Misfit misfit
                        ? misfit.encodedAs(header, Bytes.of(restoredEncoding.toArray()))
                        : txn.withHeader(header);
        SignedTransaction signed =
                SignedTransaction.around(
                        restored,
                        restoredEncoding,
                        standing.signature(),
                        standing.multisig(),
                        standing.logicSignature(),
                        standing.pqSignature(),
                        standing.signer());
        return new BlockTransaction(
                signed, applied, hasGenesisId, hasGenesisHash, stripped, encoding);
    }
}
