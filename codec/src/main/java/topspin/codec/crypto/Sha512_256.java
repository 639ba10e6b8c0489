package topspin.codec.crypto;

/**
 * The network's hash, SHA-512/256: short names for {@link HashFunction#SHA512_256}. Any thread may
 * call; a call that writes into the caller's array leaves no garbage.
 */
public final class Sha512_256 {
    /** Bytes of a digest. */
    public static final int BYTES = 32;

    private Sha512_256() {}

    /**
     * Hashes the domain's prefix and the span, and writes 32 bytes at {@code targetOffset}.
     *
     * @throws IndexOutOfBoundsException if the span or the digest does not fit its array; nothing
     *     is written then
     */
    public static void digest(
            Domain domain, byte[] source, int offset, int length, byte[] target, int targetOffset) {
        HashFunction.SHA512_256.digest(domain, source, offset, length, target, targetOffset);
    }

    /** Hashes the domain's prefix and the whole array into an array of its own. */
    public static byte[] digest(Domain domain, byte[] source) {
        return HashFunction.SHA512_256.digest(domain, source, 0, source.length);
    }
}
