package topspin.codec.crypto;

import java.util.Objects;

/**
 * What a batch of signatures claims: that each key signed a domain's prefix and a span. Keys and
 * signatures are copied, in one array each; messages are only pointed to. Read by the engines,
 * written by {@link SignatureBatch} alone.
 */
public final class Claims {
    private final byte[] keys;
    private final byte[] signatures;
    private final Messages messages;

    Claims(int capacity) {
        keys = new byte[capacity * Ed25519.PUBLIC_KEY_BYTES];
        signatures = new byte[capacity * Ed25519.SIGNATURE_BYTES];
        messages = new Messages(capacity);
    }

    int add(
            byte[] publicKey,
            int keyOffset,
            byte[] signature,
            int signatureOffset,
            Domain domain,
            byte[] message,
            int offset,
            int length) {
        Objects.checkFromIndexSize(keyOffset, Ed25519.PUBLIC_KEY_BYTES, publicKey.length);
        Objects.checkFromIndexSize(signatureOffset, Ed25519.SIGNATURE_BYTES, signature.length);
        int entry = messages.add(domain, message, offset, length);
        System.arraycopy(publicKey, keyOffset, keys, keyOffset(entry), Ed25519.PUBLIC_KEY_BYTES);
        System.arraycopy(
                signature,
                signatureOffset,
                signatures,
                signatureOffset(entry),
                Ed25519.SIGNATURE_BYTES);
        return entry;
    }

    void clear() {
        messages.clear();
    }

    /** Entries. */
    public int size() {
        return messages.size();
    }

    /** All keys, 32 bytes each, from {@link #keyOffset} on. */
    public byte[] keys() {
        return keys;
    }

    /** Where an entry's key begins. */
    public int keyOffset(int entry) {
        return Ed25519.PUBLIC_KEY_BYTES * entry;
    }

    /** All signatures, 64 bytes each, from {@link #signatureOffset} on. */
    public byte[] signatures() {
        return signatures;
    }

    /** Where an entry's signature begins. */
    public int signatureOffset(int entry) {
        return Ed25519.SIGNATURE_BYTES * entry;
    }

    /** The prefix of an entry's message. */
    public Domain domain(int entry) {
        return messages.domain(entry);
    }

    /** The array that holds an entry's message. */
    public byte[] message(int entry) {
        return messages.message(entry);
    }

    /** Where an entry's message begins. */
    public int offset(int entry) {
        return messages.offset(entry);
    }

    /** Bytes of an entry's message, without the prefix. */
    public int length(int entry) {
        return messages.length(entry);
    }
}
