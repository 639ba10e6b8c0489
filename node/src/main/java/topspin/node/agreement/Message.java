package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;
import topspin.codec.vote.Vote;

/** What agreement tells its peers (agreement.md 9). */
public sealed interface Message {
    /** Tag AV. */
    record OfVote(Vote vote) implements Message {}

    /**
     * Tag PP.
     *
     * @param vote a proposal-vote for it, so that who gets the payload knows what it is for
     */
    record OfPayload(Payload payload, @Nullable Vote vote) implements Message {}

    /** Tag VB. */
    record OfBundle(Bundle bundle) implements Message {}
}
