package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;
import topspin.codec.vote.Vote;

import java.util.List;

/**
 * What can happen to a {@link Player} (agreement.md 7.2). Each event carries the rules that govern
 * its round, or null if this node does not know them.
 */
public sealed interface Event {
    @Nullable AgreementRules rules();

    /**
     * A vote arrived.
     *
     * @param tail the payload that travelled with it
     */
    record VotePresent(
            Vote vote, Source source, @Nullable PayloadPresent tail, @Nullable AgreementRules rules)
            implements Event {}

    /** A proposed block arrived. */
    record PayloadPresent(Payload payload, Source source, @Nullable AgreementRules rules)
            implements Event {}

    /** A bundle arrived. */
    record BundlePresent(Bundle bundle, Source source, @Nullable AgreementRules rules)
            implements Event {}

    /**
     * A vote was verified.
     *
     * @param ticket that of the {@link Action.VerifyVote}; 0 for the node's own votes
     * @param validatedAt for proposals: nanoseconds from the start of the vote's round until now; 1
     *     if that round has not begun, 0 if its start is not known any more
     */
    record VoteVerified(
            Vote vote,
            Outcome<VerifiedVote> outcome,
            long ticket,
            long validatedAt,
            Source source,
            @Nullable AgreementRules rules)
            implements Event {}

    /** A proposed block was verified. */
    record PayloadVerified(
            Payload payload,
            Outcome<Payload> outcome,
            Source source,
            @Nullable AgreementRules rules)
            implements Event {}

    /** A bundle was verified; if it holds, here are its votes, then both votes of each pair. */
    record BundleVerified(
            Bundle bundle,
            Outcome<List<VerifiedVote>> outcome,
            Source source,
            @Nullable AgreementRules rules)
            implements Event {}

    /**
     * The deadline has passed.
     *
     * @param entropy 64 random bits
     */
    record Timeout(long entropy, @Nullable AgreementRules rules) implements Event {}

    /** The deadline of fast recovery has passed. */
    record FastTimeout(long entropy, @Nullable AgreementRules rules) implements Event {}

    /** The ledger reached a later round by itself; {@code round} is the one that follows. */
    record RoundInterruption(long round, @Nullable AgreementRules rules) implements Event {}

    /**
     * The state behind an {@link Action.Attest} is durable, or could not be made so.
     *
     * @param fault what stood in the way
     */
    record Checkpoint(long round, long period, long step, @Nullable String fault) implements Event {
        @Override
        public @Nullable AgreementRules rules() {
            return null;
        }
    }
}
