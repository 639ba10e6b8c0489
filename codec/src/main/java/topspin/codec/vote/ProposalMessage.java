package topspin.codec.vote;

import org.jspecify.annotations.Nullable;

/**
 * A proposal as it travels.
 *
 * @param vote by which the sender proposes it, or proposes it again; null when wholly zero
 */
public record ProposalMessage(Proposal proposal, @Nullable Vote vote) {}
