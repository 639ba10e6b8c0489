package topspin.codec.txn;

import topspin.codec.Bytes;

/**
 * A transaction as it stands in a block (transactions.md section 7): without genesis id and hash,
 * which are the block's, and with what it did.
 *
 * @param signed the transaction with genesis id and hash put back, as it was signed and is named
 * @param applied what it did
 * @param hasGenesisId whether it names the genesis id ({@code hgi})
 * @param hasGenesisHash the flag {@code hgh}, which no block of today may have
 * @param stripped whether the block's form names neither genesis id nor hash of its own, as it must
 * @param encoding its canonical in-block bytes
 */
public record BlockTransaction(
        SignedTransaction signed,
        ApplyData applied,
        boolean hasGenesisId,
        boolean hasGenesisHash,
        boolean stripped,
        Bytes encoding) {

    /** Prepares {@code signed} for a block of its network. */
    public static BlockTransaction of(SignedTransaction signed, ApplyData applied) {
        return BlockForm.perThread().strip(signed, applied);
    }

    public Transaction txn() {
        return signed.txn();
    }
}
