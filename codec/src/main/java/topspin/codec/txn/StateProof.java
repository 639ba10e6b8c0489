package topspin.codec.txn;

import topspin.codec.Bytes;

/**
 * The network's statement about its own blocks, for light clients. Topspin carries it and does not
 * judge it.
 *
 * @param proof the canonical msgpack of the field {@code sp}, checked to be well-formed; empty when
 *     absent
 */
public record StateProof(
        TransactionHeader header, long proofType, Bytes proof, StateProofMessage message)
        implements Transaction {

    @Override
    public String typeText() {
        return TransactionType.STATE_PROOF.wireName();
    }

    @Override
    public StateProof withHeader(TransactionHeader newHeader) {
        return new StateProof(newHeader, proofType, proof, message);
    }
}
