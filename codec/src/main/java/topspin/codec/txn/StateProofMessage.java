package topspin.codec.txn;

import topspin.codec.Bytes;

/**
 * What a state proof attests.
 *
 * @param blockHeadersCommitment bytes, 32 of them when made by the network
 * @param votersCommitment bytes, 64 of them when made by the network
 */
public record StateProofMessage(
        Bytes blockHeadersCommitment,
        Bytes votersCommitment,
        long lnProvenWeight,
        long firstAttestedRound,
        long lastAttestedRound) {
    public static final StateProofMessage ZERO =
            new StateProofMessage(Bytes.EMPTY, Bytes.EMPTY, 0, 0, 0);
}
