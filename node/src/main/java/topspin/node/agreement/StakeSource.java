package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;

/**
 * What agreement asks of the ledger (agreement.md 3). Any thread may ask. Each method throws {@link
 * HistoryUnknown} for a round that is kept no more or is not there yet.
 */
public interface StakeSource {
    /** The keys and stake of an account that was online at the end of a round, or null. */
    @Nullable OnlineAccount online(long round, Address address) throws HistoryUnknown;

    /**
     * Online stake at the end of {@code round} that may vote in {@code voteRound}, in microalgos.
     */
    long circulation(long round, long voteRound) throws HistoryUnknown;

    /** The seed in the header of a round. */
    Digest seed(long round) throws HistoryUnknown;

    /** The hash of the header of a round. */
    Digest headerHash(long round) throws HistoryUnknown;

    /** The rules of the block of a round. */
    AgreementRules rules(long round) throws HistoryUnknown;

    /**
     * An account that takes part.
     *
     * @param stake microalgos with pending rewards, unsigned
     * @param voteKey master key of one-time signatures
     * @param selectionKey VRF key
     * @param voteFirst first round in which it votes
     * @param voteLast last round, or 0 for no end
     * @param keyDilution rounds per batch key, or 0 for the version's default
     * @param isPayoutEligible whether it may be paid for proposing (agreement.md 5.5)
     */
    record OnlineAccount(
            long stake,
            Digest voteKey,
            Digest selectionKey,
            long voteFirst,
            long voteLast,
            long keyDilution,
            boolean isPayoutEligible) {}
}
