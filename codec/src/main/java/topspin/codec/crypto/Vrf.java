package topspin.codec.crypto;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Objects;

/**
 * The verifiable random function ECVRF-ED25519-SHA512-Elligator2 of IETF draft 03 (agreement.md
 * 2.3), by which accounts are drawn into committees. Verification sees public data only and takes
 * variable time. Any thread may call.
 *
 * <p>Proving takes the same steps and reads the same addresses whatever the secrets are: points are
 * multiplied by {@link SecretMultiplier}, whose comment says how far Java lets that be true, and
 * scalars by those operations of {@link Scalar25519} that branch on no value. Only hashing to the
 * curve takes variable time, and it sees the public key and the message.
 */
public final class Vrf {
    /** Bytes of a proof: the point Γ, 16 bytes of challenge, 32 of response. */
    public static final int PROOF_BYTES = 80;

    /** Bytes of an output. */
    public static final int OUTPUT_BYTES = 64;

    static final byte SUITE = 4;

    private static final int CHALLENGE = 32;
    private static final int CHALLENGE_BYTES = 16;
    private static final int RESPONSE = 48;
    private static final int POINT = Edwards25519.POINT;

    private Vrf() {}

    /**
     * Whether a proof is the key's for the domain's prefix and the span; if so, its output is
     * written.
     *
     * @param output gets {@link #OUTPUT_BYTES} bytes if the proof holds, and is left alone if not
     * @throws IndexOutOfBoundsException if a span does not fit its array
     */
    public static boolean verify(
            byte[] publicKey,
            int keyOffset,
            byte[] proof,
            int proofOffset,
            Domain domain,
            byte[] message,
            int offset,
            int length,
            byte[] output,
            int outputOffset) {
        Objects.checkFromIndexSize(keyOffset, Ed25519.PUBLIC_KEY_BYTES, publicKey.length);
        Objects.checkFromIndexSize(proofOffset, PROOF_BYTES, proof.length);
        Objects.checkFromIndexSize(offset, length, message.length);
        Objects.checkFromIndexSize(outputOffset, OUTPUT_BYTES, output.length);
        var work = new long[Edwards25519.WORK];
        var points = new long[5 * POINT];
        int y = 0, gamma = POINT, h = 2 * POINT, u = 3 * POINT, v = 4 * POINT;
        if (!decode(points, y, publicKey, keyOffset, work)
                || hasSmallOrder(publicKey, keyOffset)
                || !decode(points, gamma, proof, proofOffset, work)) {
            return false;
        }
        new HashToCurve().hash(points, h, publicKey, keyOffset, domain, message, offset, length);
        var scalars = new long[2 * Scalar25519.WORDS];
        int c = 0, s = Scalar25519.WORDS;
        scalars[c] = Scalar25519.word(proof, proofOffset + CHALLENGE);
        scalars[c + 1] = Scalar25519.word(proof, proofOffset + CHALLENGE + 8);
        for (int i = 0; i < Scalar25519.WORDS; i++) {
            scalars[s + i] = Scalar25519.word(proof, proofOffset + RESPONSE + 8 * i);
        }
        // A response of L or more is not refused, but reduced.
        Scalar25519.toMontgomery(scalars, s);
        Scalar25519.fromMontgomery(scalars, s);
        // U = s·B − c·Y and V = s·H − c·Γ are what the prover's k·B and k·H must have been.
        combine(points, u, Edwards25519.BASE, 0, points, y, scalars, work);
        combine(points, v, points, h, points, gamma, scalars, work);
        var encodings = new byte[4 * 32];
        Edwards25519.compress(points, h, encodings, 0, work);
        Edwards25519.compress(points, gamma, encodings, 32, work);
        Edwards25519.compress(points, u, encodings, 64, work);
        Edwards25519.compress(points, v, encodings, 96, work);
        byte[] challenge = challenge(encodings);
        if (!Arrays.equals(
                challenge,
                0,
                CHALLENGE_BYTES,
                proof,
                proofOffset + CHALLENGE,
                proofOffset + RESPONSE)) {
            return false;
        }
        writeOutput(points, gamma, output, outputOffset, work);
        return true;
    }

    /**
     * Writes the output of a proof that is known to hold.
     *
     * @return false, and nothing written, if Γ is no point, so that the proof cannot hold
     * @throws IndexOutOfBoundsException if a span does not fit its array
     */
    public static boolean output(byte[] proof, int proofOffset, byte[] output, int outputOffset) {
        Objects.checkFromIndexSize(proofOffset, PROOF_BYTES, proof.length);
        Objects.checkFromIndexSize(outputOffset, OUTPUT_BYTES, output.length);
        var work = new long[Edwards25519.WORK];
        var gamma = new long[POINT];
        if (!decode(gamma, 0, proof, proofOffset, work)) {
            return false;
        }
        writeOutput(gamma, 0, output, outputOffset, work);
        return true;
    }

    /**
     * Decodes a point whose y is below p; −0 for x is taken as 0, and small orders are let through.
     */
    private static boolean decode(long[] target, int t, byte[] bytes, int offset, long[] work) {
        return Edwards25519.isReduced(
                        Scalar25519.word(bytes, offset),
                        Scalar25519.word(bytes, offset + 8),
                        Scalar25519.word(bytes, offset + 16),
                        Scalar25519.word(bytes, offset + 24))
                && Edwards25519.decompress(target, t, bytes, offset, work);
    }

    private static boolean hasSmallOrder(byte[] key, int offset) {
        return Edwards25519.isSmallOrder(
                Scalar25519.word(key, offset),
                Scalar25519.word(key, offset + 8),
                Scalar25519.word(key, offset + 16),
                Scalar25519.word(key, offset + 24));
    }

    /** s·P − c·Q, with c and then s among the scalars. */
    private static void combine(
            long[] target,
            int t,
            long[] pointP,
            int p,
            long[] pointQ,
            int q,
            long[] scalars,
            long[] work) {
        int entries = ScalarVerifier.ENTRIES;
        var tables = new long[2 * entries * POINT];
        int tableOfQ = entries * POINT;
        Edwards25519.oddMultiples(tables, 0, entries, pointP, p, work);
        Edwards25519.oddMultiples(tables, tableOfQ, entries, pointQ, q, work);
        var digits = new byte[2 * ScalarVerifier.DIGITS];
        int digitsOfC = ScalarVerifier.DIGITS;
        Scalar25519.nonAdjacentForm(
                digits, 0, 1, ScalarVerifier.WIDTH, scalars[4], scalars[5], scalars[6], scalars[7]);
        Scalar25519.nonAdjacentForm(
                digits, digitsOfC, 1, ScalarVerifier.WIDTH, scalars[0], scalars[1], 0, 0);
        var sum = new long[POINT];
        Edwards25519.identity(sum, 0);
        for (int i = ScalarVerifier.DIGITS - 1; i >= 0; i--) {
            Edwards25519.twice(sum, 0, sum, 0, true, work);
            ScalarVerifier.addMultiple(sum, tables, 0, digits[i], work);
            ScalarVerifier.addMultiple(sum, tables, tableOfQ, -digits[digitsOfC + i], work);
        }
        Edwards25519.copy(target, t, sum, 0);
    }

    /** SHA-512 of suite, 2 and four encoded points, of which the first 16 bytes count. */
    private static byte[] challenge(byte[] encodings) {
        MessageDigest sha512 = HashFunction.SHA512.newDigest();
        sha512.update(SUITE);
        sha512.update((byte) 2);
        return sha512.digest(encodings);
    }

    private static void writeOutput(
            long[] point, int gamma, byte[] output, int outputOffset, long[] work) {
        for (int i = 0; i < 3; i++) {
            Edwards25519.twice(point, gamma, point, gamma, i == 2, work);
        }
        var encoding = new byte[32];
        Edwards25519.compress(point, gamma, encoding, 0, work);
        MessageDigest sha512 = HashFunction.SHA512.newDigest();
        sha512.update(SUITE);
        sha512.update((byte) 3);
        sha512.update(encoding);
        HashFunction.finish(sha512, output, outputOffset);
    }

    /**
     * A seed with what follows from it. One thread at a time may prove; {@link #close} wipes it,
     * after which proving fails.
     */
    public static final class KeyPair implements AutoCloseable {
        private final byte[] publicKey;
        private final long[] secret = new long[Scalar25519.WORDS];
        private final byte[] nonceKey;
        private boolean closed;

        private KeyPair(byte[] seed) {
            byte[] hash = HashFunction.SHA512.newDigest().digest(seed);
            hash[0] &= (byte) 0xf8;
            hash[31] &= 0x7f;
            hash[31] |= 0x40;
            for (int i = 0; i < Scalar25519.WORDS; i++) {
                secret[i] = Scalar25519.word(hash, 8 * i);
            }
            // Only points of prime order are multiplied by it, so it may be taken modulo L.
            Scalar25519.toMontgomery(secret, 0);
            Scalar25519.fromMontgomery(secret, 0);
            nonceKey = Arrays.copyOfRange(hash, 32, 64);
            Arrays.fill(hash, (byte) 0);
            try (var signing = Ed25519.KeyPair.fromSeed(seed)) {
                publicKey = signing.publicKey();
            }
        }

        /**
         * The pair of a 32-byte seed.
         *
         * @throws IllegalArgumentException if the seed has another length
         */
        public static KeyPair fromSeed(byte[] seed) {
            if (seed.length != Ed25519.SEED_BYTES) {
                throw new IllegalArgumentException(
                        "a seed has 32 bytes, this one has " + seed.length);
            }
            return new KeyPair(seed);
        }

        /** The 32 bytes of the public key, copied. */
        public byte[] publicKey() {
            return publicKey.clone();
        }

        /** The proof for the domain's prefix and the span: 80 bytes, the same every time. */
        public byte[] prove(Domain domain, byte[] message, int offset, int length) {
            if (closed) {
                throw new IllegalStateException("this key pair was closed and its secret wiped");
            }
            Objects.checkFromIndexSize(offset, length, message.length);
            var work = new long[Edwards25519.WORK];
            var points = new long[2 * POINT];
            var encodings = new byte[4 * 32];
            var scalars = new long[2 * Scalar25519.WORDS];
            var multiplier = new SecretMultiplier();
            byte[] nonce = {};
            int h = 0, product = POINT;
            try {
                new HashToCurve().hash(points, h, publicKey, 0, domain, message, offset, length);
                Edwards25519.compress(points, h, encodings, 0, work);
                multiplier.multiply(points, product, points, h, secret, 0);
                Edwards25519.compress(points, product, encodings, 32, work);
                // The nonce k, then k·B and k·H.
                MessageDigest sha512 = HashFunction.SHA512.newDigest();
                sha512.update(nonceKey);
                sha512.update(encodings, 0, 32);
                nonce = sha512.digest();
                int k = 0, response = Scalar25519.WORDS;
                Scalar25519.reduce(scalars, k, nonce, 0, work, 0);
                multiplier.multiply(points, product, Edwards25519.BASE, 0, scalars, k);
                Edwards25519.compress(points, product, encodings, 64, work);
                multiplier.multiply(points, product, points, h, scalars, k);
                Edwards25519.compress(points, product, encodings, 96, work);
                byte[] challenge = challenge(encodings);
                // The response c·x + k.
                Scalar25519.montgomery(
                        scalars,
                        response,
                        secret[0],
                        secret[1],
                        secret[2],
                        secret[3],
                        Scalar25519.word(challenge, 0),
                        Scalar25519.word(challenge, 8),
                        0,
                        0);
                Scalar25519.toMontgomery(scalars, response);
                Scalar25519.add(scalars, response, scalars, response, scalars, k);
                var proof = new byte[PROOF_BYTES];
                System.arraycopy(encodings, 32, proof, 0, 32);
                System.arraycopy(challenge, 0, proof, CHALLENGE, CHALLENGE_BYTES);
                Scalar25519.toBytes(scalars, response, proof, RESPONSE);
                return proof;
            } finally {
                multiplier.wipe();
                Arrays.fill(scalars, 0);
                Arrays.fill(nonce, (byte) 0);
                Arrays.fill(work, 0);
            }
        }

        @Override
        public void close() {
            closed = true;
            Arrays.fill(secret, 0);
            Arrays.fill(nonceKey, (byte) 0);
        }
    }
}
