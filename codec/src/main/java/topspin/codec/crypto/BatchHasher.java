package topspin.codec.crypto;

/**
 * An engine's way of hashing many messages. An instance has buffers of its own and serves one
 * thread at a time.
 */
public interface BatchHasher {
    /** Writes the digests one after another, in the messages' order; the array has room. */
    void digest(Messages messages, byte[] target, int targetOffset);
}
