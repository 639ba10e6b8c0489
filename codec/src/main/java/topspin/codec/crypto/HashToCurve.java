package topspin.codec.crypto;

import java.security.MessageDigest;

/**
 * Elligator 2 as ECVRF draft 03 has it: a point of prime order out of a public key and a message.
 * Public data only. For one thread.
 */
final class HashToCurve {
    /** The coefficient A of the Montgomery form, w^3 + A·w^2 + w = v^2. */
    private static final long[] A = {486662, 0, 0, 0, 0};

    private final MessageDigest sha512 = HashFunction.SHA512.newDigest();
    private final byte[] digest = new byte[HashFunction.SHA512.bytes()];
    private final long[] field = new long[6 * Field25519.LIMBS];
    private final long[] scratch = new long[4 * Field25519.LIMBS];
    private final long[] work = new long[Edwards25519.WORK];

    /** Writes the point for SHA-512(suite ‖ 1 ‖ key ‖ prefix ‖ message). */
    void hash(
            long[] target,
            int t,
            byte[] key,
            int keyOffset,
            Domain domain,
            byte[] message,
            int offset,
            int length) {
        sha512.update(Vrf.SUITE);
        sha512.update((byte) 1);
        sha512.update(key, keyOffset, Ed25519.PUBLIC_KEY_BYTES);
        sha512.update(domain.bytes());
        sha512.update(message, offset, length);
        HashFunction.finish(sha512, digest, 0);
        map(
                target,
                t,
                Scalar25519.word(digest, 0),
                Scalar25519.word(digest, 8),
                Scalar25519.word(digest, 16),
                Scalar25519.word(digest, 24));
    }

    private void map(long[] target, int t, long w0, long w1, long w2, long w3) {
        int u = 0, w = 5, x = 10, y = 15, minusA = 20, words = 25;
        Field25519.negate(field, minusA, A, 0);
        // w = −A/(1 + 2u²); the denominator is never 0, as −1/2 is no square.
        Field25519.fromWords(field, u, w0, w1, w2, w3);
        Field25519.square(field, x, field, u);
        Field25519.add(field, x, field, x, field, x);
        Field25519.add(field, x, field, x, Field25519.ONE, 0);
        Field25519.invert(field, x, field, x, scratch, 0);
        Field25519.multiply(field, w, field, minusA, field, x);
        // If w³ + A·w² + w = w·(w·(w + A) + 1) is no square, −w − A is the other candidate.
        Field25519.add(field, x, field, w, A, 0);
        Field25519.multiply(field, x, field, x, field, w);
        Field25519.add(field, x, field, x, Field25519.ONE, 0);
        Field25519.multiply(field, x, field, x, field, w);
        if (isNonSquare(x, y, words)) {
            Field25519.subtract(field, w, field, minusA, field, w);
        }
        // y = (w − 1)/(w + 1), and the x that is even.
        Field25519.add(field, x, field, w, Field25519.ONE, 0);
        Field25519.invert(field, x, field, x, scratch, 0);
        Field25519.subtract(field, y, field, w, Field25519.ONE, 0);
        Field25519.multiply(field, y, field, y, field, x);
        Field25519.toWords(field, words, field, y);
        if (!Edwards25519.decompress(
                target,
                t,
                field[words],
                field[words + 1],
                field[words + 2],
                field[words + 3],
                work)) {
            throw new AssertionError("Elligator 2 always finds a point");
        }
        for (int i = 0; i < 3; i++) {
            Edwards25519.twice(target, t, target, t, i == 2, work);
        }
    }

    /** Euler's criterion: e^((p−1)/2) is −1. Zero counts as a square. */
    private boolean isNonSquare(int e, int power, int words) {
        // (p − 1)/2 = 2^254 − 10 = 4·(2^252 − 3) + 2.
        int square = 15;
        Field25519.powerForRoot(field, power, field, e, scratch, 0);
        Field25519.square(field, power, field, power, 2);
        Field25519.square(scratch, square, field, e);
        Field25519.multiply(field, power, field, power, scratch, square);
        Field25519.add(field, power, field, power, Field25519.ONE, 0);
        return Field25519.isZero(field, power, field, words);
    }
}
