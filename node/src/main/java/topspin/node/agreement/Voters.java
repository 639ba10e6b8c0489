package topspin.node.agreement;

import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;

import java.util.List;

/** The accounts of this node that may vote. */
public interface Voters {
    /** Whether there are any keys for the round. */
    boolean hasKeys(long round);

    /**
     * The votes of the accounts that are drawn, each as {@link CredentialVerifier} would judge it.
     */
    List<VerifiedVote> vote(long round, long period, long step, ProposalValue value);

    /**
     * A vote of one of these accounts goes out.
     *
     * @param withBlock whether it proposes a block of that account's own
     */
    void sent(RawVote vote, boolean withBlock);
}
