package topspin.codec.vote;

import topspin.codec.Address;

/** What a vote says, and what its one-time signature covers behind {@code VO}. */
public record RawVote(Address sender, long round, long period, long step, ProposalValue value) {}
