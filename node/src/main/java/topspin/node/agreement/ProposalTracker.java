package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.ProposalValue;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Finds the proposal of one period that goes before all others (agreement.md 7.5). Of each sender
 * the first proposal counts. The choice stands from the soft vote, or from a quorum on; better ones
 * that come later only tell how long to wait in rounds to come.
 */
final class ProposalTracker {
    /** What a proposal-vote came to. */
    enum Answer {
        /** It leads. */
        ACCEPTED,
        /** It comes too late to lead, but it would have. */
        IMPROVED,
        /** It does not lead. */
        OUTBID,
        /** Its sender has proposed already. */
        DUPLICATE
    }

    private final Set<Address> senders = new LinkedHashSet<>();
    private @Nullable VerifiedVote lowest;
    private boolean frozen;
    private @Nullable VerifiedVote lowestIncludingLate;
    private long lowestValidatedAt;
    private ProposalValue staging = ProposalValue.BOTTOM;

    boolean hasVoted(Address sender) {
        return senders.contains(sender);
    }

    Answer accept(VerifiedVote vote, long validatedAt) {
        if (!senders.add(vote.raw().sender())) {
            return Answer.DUPLICATE;
        }
        // Staged but not frozen, the comparison is with what led when the quorum came: stuck, but
        // this is for timing only.
        VerifiedVote rival = frozen ? lowestIncludingLate : lowest;
        if (rival != null && !vote.isBefore(rival)) {
            return Answer.OUTBID;
        }
        lowestIncludingLate = vote;
        lowestValidatedAt = validatedAt;
        if (frozen || !staging.isBottom()) {
            return Answer.IMPROVED;
        }
        lowest = vote;
        return Answer.ACCEPTED;
    }

    /** Settles the choice, and tells it: ⊥ if nothing was proposed. */
    ProposalValue freeze() {
        frozen = true;
        return lowest == null ? ProposalValue.BOTTOM : lowest.raw().value();
    }

    /** A quorum is for the value. */
    void stage(ProposalValue value) {
        staging = value;
    }

    /** What a quorum is for, or ⊥. */
    ProposalValue staging() {
        return staging;
    }

    /** The vote that leads, or led when the choice was settled; null if there is none. */
    @Nullable VerifiedVote leader() {
        return lowest;
    }

    /** Whether any proposal came. */
    boolean hasArrival() {
        return lowestIncludingLate != null;
    }

    /** When the best proposal came, in nanoseconds from the start of the round. */
    long arrival() {
        return lowestValidatedAt;
    }

    void write(StateWriter out) {
        out.list(senders, out::address);
        out.optional(lowest, out::vote);
        out.flag(frozen);
        out.optional(lowestIncludingLate, out::vote);
        out.number(lowestValidatedAt);
        out.value(staging);
    }

    static ProposalTracker read(StateReader in) throws MalformedMessage {
        var tracker = new ProposalTracker();
        in.list(() -> tracker.senders.add(in.address()));
        tracker.lowest = in.optional(in::vote);
        tracker.frozen = in.flag();
        tracker.lowestIncludingLate = in.optional(in::vote);
        tracker.lowestValidatedAt = in.number();
        tracker.staging = in.value();
        return tracker;
    }
}
