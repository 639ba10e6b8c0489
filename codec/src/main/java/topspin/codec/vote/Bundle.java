package topspin.codec.vote;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;

import java.util.List;

/**
 * Votes of one step that together reach its threshold. Of the step {@code cert} it is a
 * certificate; those of dev mode and of the genesis block hold no votes.
 *
 * @param value what the plain votes are for
 * @param pairs senders that voted for two values, which counts for any
 */
public record Bundle(
        long round,
        long period,
        long step,
        ProposalValue value,
        List<Member> votes,
        List<Pair> pairs) {
    /** Most votes, and most pairs, that any version of the protocol needs. */
    public static final int VOTES_MAX = 7750;

    public Bundle {
        votes = List.copyOf(votes);
        pairs = List.copyOf(pairs);
    }

    /** One sender's share: the rest of its vote is the bundle's. */
    public record Member(Address sender, Bytes credential, @Nullable VoteSignature signature) {}

    /** Two votes of one sender in the same step. */
    public record Pair(
            Address sender,
            Bytes credential,
            ProposalValue firstValue,
            ProposalValue secondValue,
            VoteSignature firstSignature,
            VoteSignature secondSignature) {}

    /** The whole vote of a member. */
    public Vote vote(Member member) {
        return new Vote(
                new RawVote(member.sender(), round, period, step, value),
                member.credential(),
                member.signature());
    }
}
