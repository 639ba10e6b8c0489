package topspin.codec.vote;

import topspin.codec.Address;
import topspin.codec.Digest;

/**
 * What is voted for: a block, by who proposed it when.
 *
 * @param originalPeriod of the proposal
 * @param originalProposer of the proposal
 * @param blockDigest {@code dig}, hash of the block's header
 * @param encodingDigest {@code encdig}, hash of the whole proposal
 */
public record ProposalValue(
        long originalPeriod, Address originalProposer, Digest blockDigest, Digest encodingDigest) {
    /** No block at all. */
    public static final ProposalValue BOTTOM =
            new ProposalValue(0, Address.ZERO, Digest.ZERO, Digest.ZERO);

    public boolean isBottom() {
        return equals(BOTTOM);
    }
}
