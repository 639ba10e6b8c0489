package topspin.ledger.account;

import topspin.codec.Bytes;
import topspin.codec.Digest;

/**
 * The keys an account votes with and the rounds they are good for. An account that was suspended
 * keeps them while it is offline.
 *
 * @param voteKey master key of the one-time signatures; zero means that there are no keys
 * @param selectionKey VRF key
 * @param stateProofKey commitment of 64 bytes, or none
 * @param voteFirst first round, unsigned
 * @param voteLast last round, unsigned
 * @param voteKeyDilution rounds per batch key, unsigned
 */
public record Participation(
        Digest voteKey,
        Digest selectionKey,
        Bytes stateProofKey,
        long voteFirst,
        long voteLast,
        long voteKeyDilution) {
    public static final int STATE_PROOF_KEY_BYTES = 64;

    /** No keys. */
    public static final Participation NONE =
            new Participation(Digest.ZERO, Digest.ZERO, Bytes.EMPTY, 0, 0, 0);

    public Participation {
        int length = stateProofKey.length();
        if (length != 0 && length != STATE_PROOF_KEY_BYTES) {
            throw new IllegalArgumentException("state proof key of " + length + " bytes");
        }
    }
}
