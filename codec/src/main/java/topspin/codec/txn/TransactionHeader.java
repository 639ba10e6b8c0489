package topspin.codec.txn;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;

/**
 * The fields that every transaction has (transactions.md section 2).
 *
 * @param fee in microalgos
 * @param firstValid first round that may hold the transaction
 * @param lastValid last such round
 * @param note at most {@link Limits#NOTE_BYTES} bytes
 * @param genesisId the network's name, or empty: then any network's
 * @param genesisHash the network's identity
 * @param group id of the group it belongs to; zero when alone
 * @param lease what no other transaction of the sender may hold until {@code lastValid}; zero for
 *     none
 * @param rekeyTo who authorizes the sender's transactions from now on; zero for no change
 */
public record TransactionHeader(
        Address sender,
        long fee,
        long firstValid,
        long lastValid,
        Bytes note,
        String genesisId,
        Digest genesisHash,
        Digest group,
        Digest lease,
        Address rekeyTo) {

    /** A header without note, group, lease or rekey. */
    public TransactionHeader(
            Address sender,
            long fee,
            long firstValid,
            long lastValid,
            String genesisId,
            Digest genesisHash) {
        this(
                sender,
                fee,
                firstValid,
                lastValid,
                Bytes.EMPTY,
                genesisId,
                genesisHash,
                Digest.ZERO,
                Digest.ZERO,
                Address.ZERO);
    }

    public TransactionHeader withFee(long newFee) {
        return new TransactionHeader(
                sender,
                newFee,
                firstValid,
                lastValid,
                note,
                genesisId,
                genesisHash,
                group,
                lease,
                rekeyTo);
    }

    public TransactionHeader withNote(Bytes newNote) {
        return new TransactionHeader(
                sender,
                fee,
                firstValid,
                lastValid,
                newNote,
                genesisId,
                genesisHash,
                group,
                lease,
                rekeyTo);
    }

    public TransactionHeader withGroup(Digest newGroup) {
        return new TransactionHeader(
                sender,
                fee,
                firstValid,
                lastValid,
                note,
                genesisId,
                genesisHash,
                newGroup,
                lease,
                rekeyTo);
    }

    public TransactionHeader withLease(Digest newLease) {
        return new TransactionHeader(
                sender,
                fee,
                firstValid,
                lastValid,
                note,
                genesisId,
                genesisHash,
                group,
                newLease,
                rekeyTo);
    }

    public TransactionHeader withRekeyTo(Address newRekeyTo) {
        return new TransactionHeader(
                sender,
                fee,
                firstValid,
                lastValid,
                note,
                genesisId,
                genesisHash,
                group,
                lease,
                newRekeyTo);
    }

    /** The same for another network, or, with empty and zero, as it stands in a block. */
    public TransactionHeader withGenesis(String newGenesisId, Digest newGenesisHash) {
        return new TransactionHeader(
                sender,
                fee,
                firstValid,
                lastValid,
                note,
                newGenesisId,
                newGenesisHash,
                group,
                lease,
                rekeyTo);
    }
}
