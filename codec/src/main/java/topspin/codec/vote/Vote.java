package topspin.codec.vote;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;

/**
 * A vote as it travels.
 *
 * @param credential VRF proof of being chosen, 80 bytes, or empty when zero
 * @param signature null when wholly zero, which never holds
 */
public record Vote(RawVote raw, Bytes credential, @Nullable VoteSignature signature) {}
