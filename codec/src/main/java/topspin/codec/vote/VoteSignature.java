package topspin.codec.vote;

import topspin.codec.Bytes;
import topspin.codec.crypto.OneTimeSignature;

/**
 * A vote's signature with the field {@code ps} that nobody looks at any more.
 *
 * @param unused what stands in {@code ps}: 64 bytes, or empty for zeros, as everyone writes it;
 *     another value is carried on, because it does not make a vote invalid
 */
public record VoteSignature(OneTimeSignature oneTime, Bytes unused) {
    public VoteSignature(OneTimeSignature oneTime) {
        this(oneTime, Bytes.EMPTY);
    }
}
