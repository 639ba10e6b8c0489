package topspin.codec.txn;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;

/**
 * The map {@code hb}.
 *
 * @param address whose life is shown; need not be the sender
 * @param challengeDiscount asks to pay no fee, being challenged
 * @param seed of the block {@code fv}
 * @param voteId the account's voting key
 */
public record HeartbeatFields(
        Address address,
        boolean challengeDiscount,
        long keyDilution,
        Proof proof,
        Digest seed,
        Digest voteId) {
    public static final HeartbeatFields ZERO =
            new HeartbeatFields(Address.ZERO, false, 0, Proof.ZERO, Digest.ZERO, Digest.ZERO);

    /**
     * A one-time signature over the seed.
     *
     * @param signature {@code s}, by {@code publicKey}; 64 bytes, or empty when zero
     * @param publicKey {@code p}
     * @param publicKeySignature {@code p1s}, over {@code p}, by {@code batchKey}; 64 bytes or empty
     * @param batchKey {@code p2}
     * @param batchKeySignature {@code p2s}, over {@code p2}, by the vote id; 64 bytes or empty
     */
    public record Proof(
            Bytes signature,
            Digest publicKey,
            Bytes publicKeySignature,
            Digest batchKey,
            Bytes batchKeySignature) {
        public static final Proof ZERO =
                new Proof(Bytes.EMPTY, Digest.ZERO, Bytes.EMPTY, Digest.ZERO, Bytes.EMPTY);
    }
}
