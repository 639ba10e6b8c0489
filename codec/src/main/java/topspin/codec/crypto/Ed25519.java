package topspin.codec.crypto;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;

/**
 * Ed25519 as the network has it. Signing touches secrets and is Bouncy Castle's, whose scalar
 * multiplication reads no table by a secret index; verification sees public data only and may take
 * variable time.
 */
public final class Ed25519 {
    /** Bytes of a secret seed. */
    public static final int SEED_BYTES = 32;

    /** Bytes of a public key. */
    public static final int PUBLIC_KEY_BYTES = 32;

    /** Bytes of a signature: the point R, then the scalar S. */
    public static final int SIGNATURE_BYTES = 64;

    private static final ThreadLocal<ScalarVerifier> VERIFIERS =
            ThreadLocal.withInitial(ScalarVerifier::new);

    private Ed25519() {}

    /**
     * Whether the signature of the domain's prefix and the span holds by the network's rule
     * (validation.md 6.3): S below the group order; R and A canonical encodings of curve points; A
     * not of small order, though R may be; and [8](S·B − R − k·A) = 0, with k over the bytes as
     * given.
     *
     * @throws IndexOutOfBoundsException if a span does not fit its array
     */
    public static boolean verify(
            byte[] publicKey,
            int keyOffset,
            byte[] signature,
            int signatureOffset,
            Domain domain,
            byte[] message,
            int offset,
            int length) {
        Objects.checkFromIndexSize(keyOffset, PUBLIC_KEY_BYTES, publicKey.length);
        Objects.checkFromIndexSize(signatureOffset, SIGNATURE_BYTES, signature.length);
        Objects.checkFromIndexSize(offset, length, message.length);
        return VERIFIERS
                .get()
                .verify(
                        publicKey,
                        keyOffset,
                        signature,
                        signatureOffset,
                        domain,
                        message,
                        offset,
                        length);
    }

    /**
     * As the longer form, over whole arrays; false too if key or signature has another length than
     * theirs.
     */
    public static boolean verify(
            byte[] publicKey, byte[] signature, Domain domain, byte[] message) {
        return publicKey.length == PUBLIC_KEY_BYTES
                && signature.length == SIGNATURE_BYTES
                && verify(publicKey, 0, signature, 0, domain, message, 0, message.length);
    }

    /**
     * The checks that need no arithmetic: S below L, A and R canonical encodings, A not of small
     * order.
     */
    public static boolean isWellFormed(
            byte[] publicKey, int keyOffset, byte[] signature, int signatureOffset) {
        long a0 = Scalar25519.word(publicKey, keyOffset);
        long a1 = Scalar25519.word(publicKey, keyOffset + 8);
        long a2 = Scalar25519.word(publicKey, keyOffset + 16);
        long a3 = Scalar25519.word(publicKey, keyOffset + 24);
        return Scalar25519.isCanonical(signature, signatureOffset + 32)
                && Edwards25519.isCanonical(a0, a1, a2, a3)
                && Edwards25519.isCanonical(
                        Scalar25519.word(signature, signatureOffset),
                        Scalar25519.word(signature, signatureOffset + 8),
                        Scalar25519.word(signature, signatureOffset + 16),
                        Scalar25519.word(signature, signatureOffset + 24))
                && !Edwards25519.isSmallOrder(a0, a1, a2, a3);
    }

    /**
     * A seed and its public key. Any thread may sign; {@link #close} wipes the seed, after which
     * signing fails.
     */
    public static final class KeyPair implements AutoCloseable {
        private final byte[] seed;
        private final byte[] publicKey = new byte[PUBLIC_KEY_BYTES];
        private volatile boolean closed;

        private KeyPair(byte[] seed) {
            this.seed = seed;
            org.bouncycastle.math.ec.rfc8032.Ed25519.generatePublicKey(seed, 0, publicKey, 0);
        }

        /**
         * The pair of a 32-byte seed, which is copied.
         *
         * @throws IllegalArgumentException if the seed has another length
         */
        public static KeyPair fromSeed(byte[] seed) {
            if (seed.length != SEED_BYTES) {
                throw new IllegalArgumentException(
                        "a seed has 32 bytes, this one has " + seed.length);
            }
            return new KeyPair(seed.clone());
        }

        /** A fresh pair. */
        public static KeyPair generate(SecureRandom random) {
            var seed = new byte[SEED_BYTES];
            random.nextBytes(seed);
            return new KeyPair(seed);
        }

        /** The 32 bytes of the public key, copied: a single-key account's address. */
        public byte[] publicKey() {
            return publicKey.clone();
        }

        /** The 32 bytes of the seed, copied; the caller wipes them when done. */
        public byte[] seed() {
            requireOpen();
            return seed.clone();
        }

        /** Signs the domain's prefix and the span, and writes 64 bytes at {@code targetOffset}. */
        public void sign(
                Domain domain,
                byte[] message,
                int offset,
                int length,
                byte[] target,
                int targetOffset) {
            requireOpen();
            byte[] signed = domain.prepend(message, offset, length);
            org.bouncycastle.math.ec.rfc8032.Ed25519.sign(
                    seed, 0, publicKey, 0, signed, 0, signed.length, target, targetOffset);
        }

        /** Signs the domain's prefix and the span into an array of its own. */
        public byte[] sign(Domain domain, byte[] message, int offset, int length) {
            var signature = new byte[SIGNATURE_BYTES];
            sign(domain, message, offset, length, signature, 0);
            return signature;
        }

        /** Signs the domain's prefix and the whole array into an array of its own. */
        public byte[] sign(Domain domain, byte[] message) {
            return sign(domain, message, 0, message.length);
        }

        @Override
        public void close() {
            closed = true;
            Arrays.fill(seed, (byte) 0);
        }

        private void requireOpen() {
            if (closed) {
                throw new IllegalStateException("this key pair was closed and its seed wiped");
            }
        }
    }
}
