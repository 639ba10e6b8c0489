package topspin.codec.crypto;

/**
 * An engine's way of judging many signatures. An instance has buffers of its own and serves one
 * thread at a time.
 */
public interface BatchVerifier {
    /** Writes the verdict of each claim, which is {@link Ed25519#verify}'s, at its index. */
    void verify(Claims claims, boolean[] verdicts);
}
