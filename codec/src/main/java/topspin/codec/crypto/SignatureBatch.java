package topspin.codec.crypto;

import java.util.Arrays;
import java.util.Objects;

/**
 * Signatures to be judged together: add up to {@link #capacity}, verify once, read a verdict per
 * entry, clear, use again. Keys and signatures are copied; messages are only pointed to and must
 * not change before {@link #verify}. For one thread at a time. The verdict of an entry is {@link
 * Ed25519#verify}'s, whatever its neighbours are.
 */
public final class SignatureBatch {
    /** The largest capacity; more in one equation gains nothing (ed25519.md). */
    public static final int CAPACITY_MAX = 1024;

    private final int capacity;
    private final byte[] keys;
    private final byte[] signatures;
    private final Domain[] domains;
    private final byte[][] messages;
    private final int[] offsets;
    private final int[] lengths;
    private final boolean[] verdicts;
    private int size;
    private boolean verified;

    /**
     * An empty batch.
     *
     * @param capacity entries, 1 to {@link #CAPACITY_MAX}
     */
    public SignatureBatch(int capacity) {
        if (capacity < 1 || capacity > CAPACITY_MAX) {
            throw new IllegalArgumentException("a batch holds 1 to 1024 entries, not " + capacity);
        }
        this.capacity = capacity;
        keys = new byte[capacity * Ed25519.PUBLIC_KEY_BYTES];
        signatures = new byte[capacity * Ed25519.SIGNATURE_BYTES];
        domains = new Domain[capacity];
        messages = new byte[capacity][];
        offsets = new int[capacity];
        lengths = new int[capacity];
        verdicts = new boolean[capacity];
        Arrays.fill(domains, Domain.NONE);
        Arrays.fill(messages, NOTHING);
    }

    private static final byte[] NOTHING = {};

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
        if (size == capacity || verified) {
            throw new IllegalStateException(
                    verified ? "clear a verified batch before adding to it" : "the batch is full");
        }
        Objects.checkFromIndexSize(keyOffset, Ed25519.PUBLIC_KEY_BYTES, publicKey.length);
        Objects.checkFromIndexSize(signatureOffset, Ed25519.SIGNATURE_BYTES, signature.length);
        Objects.checkFromIndexSize(offset, length, message.length);
        System.arraycopy(publicKey, keyOffset, keys, 32 * size, 32);
        System.arraycopy(signature, signatureOffset, signatures, 64 * size, 64);
        domains[size] = domain;
        messages[size] = message;
        offsets[size] = offset;
        lengths[size] = length;
        return size++;
    }

    /** Judges every entry; true if all hold, as they do when there are none. */
    public boolean verify() {
        boolean all = true;
        for (int i = 0; i < size; i++) {
            verdicts[i] =
                    Ed25519.verify(
                            keys,
                            32 * i,
                            signatures,
                            64 * i,
                            domains[i],
                            messages[i],
                            offsets[i],
                            lengths[i]);
            all &= verdicts[i];
        }
        verified = true;
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
        return verdicts[Objects.checkIndex(index, size)];
    }

    /** Entries added since the last {@link #clear}. */
    public int size() {
        return size;
    }

    /** Entries that fit. */
    public int capacity() {
        return capacity;
    }

    /** Empties the batch and lets go of the messages. */
    public void clear() {
        Arrays.fill(messages, 0, size, NOTHING);
        size = 0;
        verified = false;
    }
}
