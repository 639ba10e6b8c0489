package topspin.codec.crypto;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;

/**
 * A signature by a key that serves one round: the master key signed a batch key, the batch key an
 * offset key, and the offset key the message (agreement.md 2.5). Votes and heartbeats carry it.
 *
 * @param signature of the message, by {@code publicKey}; 64 bytes
 * @param publicKey the offset key
 * @param publicKeySignature of the offset key's identity, by {@code batchKey}; 64 bytes
 * @param batchKey the batch key
 * @param batchKeySignature of the batch key's identity, by the master key; 64 bytes
 */
public record OneTimeSignature(
        Bytes signature,
        Digest publicKey,
        Bytes publicKeySignature,
        Digest batchKey,
        Bytes batchKeySignature) {
    /** Claims that {@link #addTo} adds. */
    public static final int CLAIMS = 3;

    private static final Key BATCH = Key.of("batch");
    private static final Key OFFSET = Key.of("off");
    private static final Key PUBLIC_KEY = Key.of("pk");

    /** Checks the sizes; an absent signature is 64 zeros. */
    public OneTimeSignature {
        requireSignature(signature);
        requireSignature(publicKeySignature);
        requireSignature(batchKeySignature);
    }

    private static void requireSignature(Bytes signature) {
        if (signature.length() != Ed25519.SIGNATURE_BYTES) {
            throw new IllegalArgumentException(
                    "a signature has 64 bytes, this one has " + signature.length());
        }
    }

    /** The batch key's identity, which {@link Domain#OT1} precedes when the master key signs it. */
    static byte[] batchIdentity(long batch, Digest key) {
        var out = new CanonicalWriter(64);
        long map = out.openMap();
        out.key(BATCH);
        out.writeUint(batch);
        out.key(PUBLIC_KEY);
        out.writeDigest(key);
        out.closeMap(map);
        return out.toByteArray();
    }

    /** The offset key's identity, which {@link Domain#OT2} precedes when the batch key signs it. */
    static byte[] offsetIdentity(long batch, long offset, Digest key) {
        var out = new CanonicalWriter(64);
        long map = out.openMap();
        out.key(BATCH);
        out.writeUint(batch);
        out.key(OFFSET);
        out.writeUint(offset);
        out.key(PUBLIC_KEY);
        out.writeDigest(key);
        out.closeMap(map);
        return out.toByteArray();
    }

    /**
     * Whether all three signatures hold.
     *
     * @param masterKey the account's voting key
     * @param batch round divided by the key's dilution
     * @param offset the remainder of that
     */
    public boolean verify(
            Digest masterKey, long batch, long offset, Domain domain, byte[] message) {
        return holds(publicKey, signature, domain, message)
                && holds(
                        batchKey,
                        publicKeySignature,
                        Domain.OT2,
                        offsetIdentity(batch, offset, publicKey))
                && holds(masterKey, batchKeySignature, Domain.OT1, batchIdentity(batch, batchKey));
    }

    private static boolean holds(Digest key, Bytes signature, Domain domain, byte[] message) {
        return Ed25519.verify(
                key.toBytes(),
                0,
                signature.array(),
                signature.offset(),
                domain,
                message,
                0,
                message.length);
    }

    /**
     * Adds the three claims to a batch, where votes are verified many at once; all three must hold.
     *
     * @return the index of the first of {@link #CLAIMS} entries
     * @throws IllegalStateException if they do not fit
     */
    public int addTo(
            SignatureBatch signatures,
            Digest masterKey,
            long batch,
            long offset,
            Domain domain,
            byte[] message) {
        if (signatures.capacity() - signatures.size() < CLAIMS) {
            throw new IllegalStateException("no room for three claims");
        }
        int first = add(signatures, publicKey, signature, domain, message);
        add(
                signatures,
                batchKey,
                publicKeySignature,
                Domain.OT2,
                offsetIdentity(batch, offset, publicKey));
        add(signatures, masterKey, batchKeySignature, Domain.OT1, batchIdentity(batch, batchKey));
        return first;
    }

    private static int add(
            SignatureBatch signatures, Digest key, Bytes signature, Domain domain, byte[] message) {
        return signatures.add(
                key.toBytes(),
                0,
                signature.array(),
                signature.offset(),
                domain,
                message,
                0,
                message.length);
    }
}
