package topspin.codec.crypto;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/**
 * The hash functions that the network commits with, each the JDK's own, whose compression is an
 * intrinsic. Any thread may call; each has its own state, and a call leaves no garbage.
 */
public enum HashFunction {
    /** The default: ids, addresses, block hashes. */
    SHA512_256("SHA-512/256", 32, 128),
    /** Commitments that outsiders verify. */
    SHA256("SHA-256", 32, 64),
    /** Long commitments, and the hash inside Ed25519. */
    SHA512("SHA-512", 64, 128);

    /** A message of less than so many blocks is fed so that the state collects each. */
    private static final int BLOCKS_COLLECTED = 2;

    private final String algorithm;
    private final int bytes;
    private final int blockBytes;

    @SuppressWarnings("ImmutableEnumChecker") // Each thread sees its own, and only within a call.
    private final ThreadLocal<MessageDigest> digests;

    HashFunction(String algorithm, int bytes, int blockBytes) {
        this.algorithm = algorithm;
        this.bytes = bytes;
        this.blockBytes = blockBytes;
        this.digests = ThreadLocal.withInitial(this::newDigest);
    }

    /** Bytes of a digest. */
    public int bytes() {
        return bytes;
    }

    /**
     * Hashes the domain's prefix and the span, and writes the digest into the caller's array.
     *
     * @throws IndexOutOfBoundsException if the span or the digest does not fit its array; nothing
     *     is written then
     */
    public void digest(
            Domain domain, byte[] source, int offset, int length, byte[] target, int targetOffset) {
        // Checked first: an exception halfway would leave this thread's state with half a message
        // in it.
        Objects.checkFromIndexSize(offset, length, source.length);
        Objects.checkFromIndexSize(targetOffset, bytes, target.length);
        MessageDigest digest = digests.get();
        digest.update(domain.bytes());
        digest.update(source, offset, length);
        finish(digest, target, targetOffset);
    }

    /**
     * The same for a span that begins with its prefix: one update less, and the first block is
     * hashed where it lies.
     *
     * @throws IndexOutOfBoundsException if the span or the digest does not fit its array; nothing
     *     is written then
     */
    public void digest(byte[] source, int offset, int length, byte[] target, int targetOffset) {
        Objects.checkFromIndexSize(offset, length, source.length);
        Objects.checkFromIndexSize(targetOffset, bytes, target.length);
        MessageDigest digest = digests.get();
        // A block that the state has collected is compressed at once; one that lies in the source,
        // by a routine for many, whose entry costs as much as a quarter of a block.
        int first = length < BLOCKS_COLLECTED * blockBytes ? Math.min(length, blockBytes / 2) : 0;
        digest.update(source, offset, first);
        digest.update(source, offset + first, length - first);
        finish(digest, target, targetOffset);
    }

    /** Hashes the domain's prefix and the span into an array of its own. */
    public byte[] digest(Domain domain, byte[] source, int offset, int length) {
        var target = new byte[bytes];
        digest(domain, source, offset, length, target, 0);
        return target;
    }

    /** A state of its own, for a class that feeds its message in pieces. */
    MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no " + algorithm, e);
        }
    }

    /** Ends the message and writes its digest; the array has room, as the caller checked. */
    static void finish(MessageDigest digest, byte[] target, int targetOffset) {
        try {
            digest.digest(target, targetOffset, target.length - targetOffset);
        } catch (DigestException e) {
            throw new AssertionError(e);
        }
    }
}
