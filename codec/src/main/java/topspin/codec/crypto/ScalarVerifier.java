package topspin.codec.crypto;

import java.security.MessageDigest;

/**
 * Verifies one signature after another without vectors: −k·A + S·B by one chain of doublings, minus
 * R, times eight. For public data; one per thread.
 */
final class ScalarVerifier {
    /**
     * Width of the digits of A's and R's factors, and entries of a table of odd multiples for it.
     */
    static final int WIDTH = 5;

    static final int ENTRIES = 1 << (WIDTH - 2);

    /** The same for the base point, whose table all share. */
    static final int BASE_WIDTH = 8;

    static final long[] BASE_TABLE = new long[(1 << (BASE_WIDTH - 2)) * Edwards25519.POINT];

    static {
        Edwards25519.oddMultiples(
                BASE_TABLE,
                0,
                1 << (BASE_WIDTH - 2),
                Edwards25519.BASE,
                0,
                new long[Edwards25519.WORK]);
    }

    /** Binary digits of a factor. */
    static final int DIGITS = 256;

    private final MessageDigest sha512 = HashFunction.SHA512.newDigest();
    private final byte[] digest = new byte[HashFunction.SHA512.bytes()];
    private final long[] work = new long[Edwards25519.WORK];
    private final long[] pointA = new long[Edwards25519.POINT];
    private final long[] pointR = new long[Edwards25519.POINT];
    private final long[] table = new long[ENTRIES * Edwards25519.POINT];
    private final long[] scalar = new long[2 * Scalar25519.WORDS];
    private final byte[] digitsA = new byte[DIGITS];
    private final byte[] digitsB = new byte[DIGITS];

    /** As {@link Ed25519#verify}; spans are the caller's to check. */
    boolean verify(
            byte[] key,
            int keyOffset,
            byte[] signature,
            int signatureOffset,
            Domain domain,
            byte[] message,
            int offset,
            int length) {
        if (!Ed25519.isWellFormed(key, keyOffset, signature, signatureOffset)
                || !Edwards25519.decompress(pointA, 0, key, keyOffset, work)
                || !Edwards25519.decompress(pointR, 0, signature, signatureOffset, work)) {
            return false;
        }
        challenge(
                scalar,
                0,
                key,
                keyOffset,
                signature,
                signatureOffset,
                domain,
                message,
                offset,
                length);
        Edwards25519.oddMultiples(table, 0, ENTRIES, pointA, 0, work);
        return holds(table, 0, pointR, 0, scalar, 0, signature, signatureOffset);
    }

    /** Writes k = SHA-512(R, A, prefix, message) mod L, in Montgomery form. */
    void challenge(
            long[] target,
            int t,
            byte[] key,
            int keyOffset,
            byte[] signature,
            int signatureOffset,
            Domain domain,
            byte[] message,
            int offset,
            int length) {
        sha512.update(signature, signatureOffset, 32);
        sha512.update(key, keyOffset, 32);
        sha512.update(domain.bytes());
        sha512.update(message, offset, length);
        HashFunction.finish(sha512, digest, 0);
        Scalar25519.reduce(
                target,
                t,
                Scalar25519.word(digest, 0),
                Scalar25519.word(digest, 8),
                Scalar25519.word(digest, 16),
                Scalar25519.word(digest, 24),
                Scalar25519.word(digest, 32),
                Scalar25519.word(digest, 40),
                Scalar25519.word(digest, 48),
                Scalar25519.word(digest, 56),
                scalar,
                Scalar25519.WORDS);
    }

    /**
     * Whether [8](S·B − k·A − R) = 0, given the odd multiples of A and k in Montgomery form. R's
     * point is overwritten.
     */
    boolean holds(
            long[] multiplesOfA,
            int a,
            long[] r,
            int ri,
            long[] challenge,
            int k,
            byte[] signature,
            int signatureOffset) {
        Scalar25519.montgomery(
                scalar,
                0,
                challenge[k],
                challenge[k + 1],
                challenge[k + 2],
                challenge[k + 3],
                1,
                0,
                0,
                0);
        Scalar25519.negate(scalar, 0);
        Scalar25519.nonAdjacentForm(
                digitsA, 0, 1, WIDTH, scalar[0], scalar[1], scalar[2], scalar[3]);
        Scalar25519.nonAdjacentForm(
                digitsB,
                0,
                1,
                BASE_WIDTH,
                Scalar25519.word(signature, signatureOffset + 32),
                Scalar25519.word(signature, signatureOffset + 40),
                Scalar25519.word(signature, signatureOffset + 48),
                Scalar25519.word(signature, signatureOffset + 56));
        int top = DIGITS - 1;
        while (top >= 0 && (digitsA[top] | digitsB[top]) == 0) {
            top--;
        }
        long[] sum = pointA; // A itself is needed no more: its multiples are in the table.
        Edwards25519.identity(sum, 0);
        for (int i = top; i >= 0; i--) {
            // T serves only an addition, so a doubling that another follows leaves it out.
            Edwards25519.twice(sum, 0, sum, 0, i == 0 || (digitsA[i] | digitsB[i]) != 0, work);
            addMultiple(sum, multiplesOfA, a, digitsA[i], work);
            addMultiple(sum, BASE_TABLE, 0, digitsB[i], work);
        }
        Edwards25519.cache(r, ri, r, ri);
        Edwards25519.subtract(sum, 0, sum, 0, r, ri, work);
        return Edwards25519.isIdentityTimesEight(sum, 0, work);
    }

    /** Adds an odd multiple, or nothing if the digit is zero, to the point at 0. */
    static void addMultiple(long[] sum, long[] table, int t, int digit, long[] work) {
        if (digit > 0) {
            int entry = t + (digit >> 1) * Edwards25519.POINT;
            Edwards25519.add(sum, 0, sum, 0, table, entry, work);
        } else if (digit < 0) {
            int entry = t + (-digit >> 1) * Edwards25519.POINT;
            Edwards25519.subtract(sum, 0, sum, 0, table, entry, work);
        }
    }
}
