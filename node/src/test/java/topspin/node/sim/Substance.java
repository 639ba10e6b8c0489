package topspin.node.sim;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.Vote;
import topspin.node.agreement.AgreementLoop;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Payload;
import topspin.node.agreement.VerifiedVote;

import java.util.List;

/** What votes and blocks of a simulated node are made of: tags and names, or the real thing. */
public interface Substance {
    /** The rules of the block of a round, or null as long as they are not certain. */
    @Nullable AgreementRules rules(long round);

    /** The rules of a version by its name, or null. */
    @Nullable AgreementRules rules(String version);

    /** The node's votes. */
    List<VerifiedVote> vote(long round, long period, long step, ProposalValue value);

    /** The node's proposals. */
    List<AgreementLoop.Proposal> propose(long round, long period);

    Outcome<VerifiedVote> verify(Vote vote);

    Outcome<List<VerifiedVote>> verify(Bundle bundle);

    /** Judges a payload on top of the blocks that were added. */
    Outcome<Payload> verify(Payload payload, long round);

    /** Adds the next block for good. */
    void add(Payload payload, Bundle certificate);

    /** What was not added is forgotten. */
    void crash();
}
