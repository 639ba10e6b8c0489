package topspin.node.agreement;

import topspin.codec.Bytes;
import topspin.codec.vote.ProposalValue;

/**
 * A proposed block with its proof of seed, as far as the state machine looks into it.
 *
 * @param round of the block, unsigned
 * @param value what votes for it name
 * @param encoding canonical bytes without the vote that may travel along (agreement.md 4)
 */
public record Payload(long round, ProposalValue value, Bytes encoding) {
    /** Equal values are equal payloads: the value holds the hash of the encoding. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Payload that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }
}
