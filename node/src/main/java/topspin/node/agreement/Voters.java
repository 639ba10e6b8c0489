package topspin.node.agreement;

import topspin.codec.vote.ProposalValue;

import java.util.List;

/** The accounts of this node that may vote. */
public interface Voters {
    /** Whether there are any keys for the round. */
    boolean hasKeys(long round);

    /**
     * The votes of the accounts that are drawn, each as {@link CredentialVerifier} would judge it.
     */
    List<VerifiedVote> vote(long round, long period, long step, ProposalValue value);
}
