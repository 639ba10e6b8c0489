package topspin.codec.crypto;

import java.security.SecureRandom;

/** Makes the batches in which signatures are verified. Any thread may call. */
public final class SignatureEngine {
    private final SecureRandom random;

    /**
     * An engine that verifies without vectors.
     *
     * @param random where the factors of batch equations come from; it must be unforeseeable
     */
    public SignatureEngine(SecureRandom random) {
        this.random = random;
    }

    /**
     * An empty batch.
     *
     * @param capacity entries, 1 to {@link SignatureBatch#CAPACITY_MAX}
     */
    public SignatureBatch newBatch(int capacity) {
        return new SignatureBatch(this, capacity);
    }

    BatchVerifier newVerifier(int capacity) {
        return new ScalarBatch(capacity, random);
    }

    int generation() {
        return 0;
    }
}
