package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.Vote;

/** What a {@link Player} asks for (agreement.md 7.6). */
public sealed interface Action {
    /** Nothing: the message is dropped. */
    record Ignore(Drop reason) implements Action {}

    /** Drops the peer that sent something no honest node sends. */
    record Disconnect(Source source) implements Action {}

    /** Passes a message on to all peers but its source; a node that only calls others need not. */
    record Relay(Message message, Source source) implements Action {}

    /** Tells all peers. */
    record Broadcast(Message message) implements Action {}

    /** Asks for an {@link Event.VoteVerified} with the same ticket and source. */
    record VerifyVote(Vote vote, long ticket, Source source) implements Action {}

    /**
     * Asks for an {@link Event.PayloadVerified}.
     *
     * @param round for which it must be valid
     * @param period in which it matters; of two requests for the same the later one counts
     * @param pinned whether it may have been committed to, so that it matters in any period
     */
    record VerifyPayload(Payload payload, long round, long period, boolean pinned, Source source)
            implements Action {}

    /** Asks for an {@link Event.BundleVerified}. */
    record VerifyBundle(Bundle bundle, Source source) implements Action {}

    /**
     * Votes, with all keys that are there, once the state as it is now is durable: a {@link
     * Event.Checkpoint}, then an {@link Event.VoteVerified} for each.
     */
    record Attest(long round, long period, long step, ProposalValue value) implements Action {}

    /** Makes a block and proposes it. */
    record Assemble(long round, long period) implements Action {}

    /** Proposes what an earlier period settled on. */
    record Repropose(long round, long period, ProposalValue value) implements Action {}

    /** The block is certified: into the ledger with it. */
    record Ensure(Payload payload, Bundle certificate) implements Action {}

    /** A block is certified that is not here: fetch it. */
    record StageDigest(Bundle certificate) implements Action {}

    /** Starts the clock of the period again. */
    record Rezero(long round) implements Action {}

    /** Lets the votes go that waited for their state to be durable, or drops them. */
    record ReleaseVotes(long round, long period, long step, @Nullable String fault)
            implements Action {}

    /** Why a message is dropped. Each is counted. */
    enum Drop {
        /** Of a round, period or step that is over, or too far ahead. */
        STALE,
        /** The sender has said so already. */
        DUPLICATE,
        /** The rules of its round are not known here. */
        RULES_UNKNOWN,
        /** Its verification was given up. */
        CANCELLED,
        /** Another proposal goes before it, or the choice has been made. */
        OUTBID,
        /** A payload that nobody has proposed. */
        NOT_PROPOSED,
        /** A payload that is here already. */
        HELD,
        /** A payload that does not hold. */
        INVALID,
        /** A bundle that brings nothing new. */
        NOTHING_NEW,
        /** A vote of our own while too many wait for their state to be durable. */
        UNWRITTEN
    }
}
