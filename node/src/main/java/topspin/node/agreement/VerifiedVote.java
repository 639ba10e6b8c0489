package topspin.node.agreement;

import topspin.codec.Digest;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;

/**
 * A vote that holds: signature, lot and all.
 *
 * @param weight how often the sender was drawn, positive
 * @param priority of a proposal: the lowest wins (agreement.md 5.1); zero for other steps
 */
public record VerifiedVote(Vote vote, long weight, Digest priority) {
    public VerifiedVote {
        if (weight <= 0) {
            throw new IllegalArgumentException("a vote that holds has weight, not " + weight);
        }
    }

    RawVote raw() {
        return vote.raw();
    }

    /** Whether this proposal goes before the other. */
    boolean isBefore(VerifiedVote that) {
        return priority.compareTo(that.priority) < 0;
    }
}
