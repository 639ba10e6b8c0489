package topspin.codec.txn;

import topspin.codec.Bytes;
import topspin.codec.Digest;

/**
 * Registers keys to take part in agreement, or, without keys, goes offline.
 *
 * @param stateProofKey 64 bytes, or empty
 * @param nonParticipation gives up rewards and agreement for ever
 */
public record KeyRegistration(
        TransactionHeader header,
        Digest voteKey,
        Digest selectionKey,
        Bytes stateProofKey,
        long voteFirst,
        long voteLast,
        long voteKeyDilution,
        boolean nonParticipation)
        implements Transaction {

    @Override
    public String typeText() {
        return TransactionType.KEY_REGISTRATION.wireName();
    }

    @Override
    public KeyRegistration withHeader(TransactionHeader newHeader) {
        return new KeyRegistration(
                newHeader,
                voteKey,
                selectionKey,
                stateProofKey,
                voteFirst,
                voteLast,
                voteKeyDilution,
                nonParticipation);
    }
}
