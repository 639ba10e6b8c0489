package topspin.codec.crypto;

import java.util.Arrays;
import java.util.Objects;

/**
 * What a batch of signatures claims: that each key signed a domain's prefix and a span. Keys and
 * signatures are copied, in one array each; messages are only pointed to. Read by the engines,
 * written by {@link SignatureBatch} alone.
 */
public final class Claims {
    private static final byte[] NOTHING = {};

    private final byte[] keys;
    private final byte[] signatures;
    private final Domain[] domains;
    private final byte[][] messages;
    private final int[] offsets;
    private final int[] lengths;
    private int size;

    Claims(int capacity) {
        keys = new byte[capacity * Ed25519.PUBLIC_KEY_BYTES];
        signatures = new byte[capacity * Ed25519.SIGNATURE_BYTES];
        domains = new Domain[capacity];
        messages = new byte[capacity][];
        offsets = new int[capacity];
        lengths = new int[capacity];
        Arrays.fill(domains, Domain.NONE);
        Arrays.fill(messages, NOTHING);
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
        Objects.checkFromIndexSize(offset, length, message.length);
        System.arraycopy(publicKey, keyOffset, keys, keyOffset(size), Ed25519.PUBLIC_KEY_BYTES);
        System.arraycopy(
                signature,
                signatureOffset,
                signatures,
                signatureOffset(size),
                Ed25519.SIGNATURE_BYTES);
        domains[size] = domain;
        messages[size] = message;
        offsets[size] = offset;
        lengths[size] = length;
        return size++;
    }

    void clear() {
        Arrays.fill(messages, 0, size, NOTHING);
        size = 0;
    }

    /** Entries. */
    public int size() {
        return size;
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
        return domains[entry];
    }

    /** The array that holds an entry's message. */
    public byte[] message(int entry) {
        return messages[entry];
    }

    /** Where an entry's message begins. */
    public int offset(int entry) {
        return offsets[entry];
    }

    /** Bytes of an entry's message, without the prefix. */
    public int length(int entry) {
        return lengths[entry];
    }
}
