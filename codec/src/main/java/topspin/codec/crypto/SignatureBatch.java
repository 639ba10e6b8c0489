package topspin.codec.crypto;

import java.util.Objects;

/**
 * Signatures to be judged together: add up to {@link #capacity}, verify once, read a verdict per
 * entry, clear, use again. Keys and signatures are copied; messages are only pointed to and must
 * not change before {@link #verify}. For one thread at a time; made by {@link
 * SignatureEngine#newBatch}. The verdict of an entry is {@link Ed25519#verify}'s, whatever its
 * neighbours are and whichever engine judged it.
 */
public final class SignatureBatch {
    /** The largest capacity; more in one batch gains nothing. */
    public static final int CAPACITY_MAX = 1024;

    private final SignatureEngine engine;
    private final int capacity;
    private final Claims claims;
    private final boolean[] verdicts;
    private BatchVerifier verifier;
    private SignatureEngine.Mode mode;
    private boolean verified;

    SignatureBatch(SignatureEngine engine, int capacity) {
        if (capacity < 1 || capacity > CAPACITY_MAX) {
            throw new IllegalArgumentException("a batch holds 1 to 1024 entries, not " + capacity);
        }
        this.engine = engine;
        this.capacity = capacity;
        claims = new Claims(capacity);
        verdicts = new boolean[capacity];
        mode = engine.signatureMode();
        verifier = engine.newVerifier(mode, capacity);
    }

    /**
     * Adds a claim that the key signed the domain's prefix and the span.
     *
     * @return the entry's index, counted from 0
     * @throws IllegalStateException if the batch is full, or verified and not cleared
     * @throws IndexOutOfBoundsException if a span does not fit its array
     */
    public int add(
            byte[] publicKey,
            int keyOffset,
            byte[] signature,
            int signatureOffset,
            Domain domain,
            byte[] message,
            int offset,
            int length) {
        if (verified) {
            throw new IllegalStateException("clear a verified batch before adding to it");
        }
        if (claims.size() == capacity) {
            throw new IllegalStateException("the batch is full: it holds " + capacity);
        }
        return claims.add(
                publicKey, keyOffset, signature, signatureOffset, domain, message, offset, length);
    }

    /** Judges every entry; true if all hold, as they do when there are none. */
    public boolean verify() {
        SignatureEngine.Mode current = engine.signatureMode();
        if (mode != current) {
            verifier = engine.newVerifier(current, capacity);
            mode = current;
        }
        verifier.verify(claims, verdicts);
        verified = true;
        boolean all = true;
        for (int i = 0; i < claims.size(); i++) {
            all &= verdicts[i];
        }
        return all;
    }

    /**
     * The verdict of an entry.
     *
     * @throws IllegalStateException before {@link #verify}
     */
    public boolean isValid(int index) {
        if (!verified) {
            throw new IllegalStateException("verify the batch before reading its verdicts");
        }
        return verdicts[Objects.checkIndex(index, claims.size())];
    }

    /** Entries added since the last {@link #clear}. */
    public int size() {
        return claims.size();
    }

    /** Entries that fit. */
    public int capacity() {
        return capacity;
    }

    /** Empties the batch and lets go of the messages. */
    public void clear() {
        claims.clear();
        verified = false;
    }
}
