package topspin.codec.vote;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.block.Block;

/**
 * A block that somebody proposes (agreement.md sections 4 and 6): what a {@link ProposalValue} is
 * the name of.
 *
 * @param originalPeriod in which it was first proposed
 * @param originalProposer who did
 * @param seedProof VRF proof behind the block's seed, 80 bytes; empty if first proposed after
 *     period 0
 */
public record Proposal(
        Block block, long originalPeriod, Address originalProposer, Bytes seedProof) {}
