package topspin.codec.crypto;

import java.security.SecureRandom;
import java.util.SplittableRandom;

/** Good signatures of distinct keys, the same in every run. */
public final class SampleSignatures {
    /** About a signed payment's transaction. */
    private static final int MESSAGE_BYTES = 150;

    private SampleSignatures() {}

    /** So many claims, all true. */
    public static Claims claims(int count) {
        var claims = new Claims(count);
        var random = new SplittableRandom(64);
        for (int i = 0; i < count; i++) {
            var seed = new byte[Ed25519.SEED_BYTES];
            var message = new byte[MESSAGE_BYTES];
            random.nextBytes(seed);
            random.nextBytes(message);
            try (var pair = Ed25519.KeyPair.fromSeed(seed)) {
                byte[] signature = pair.sign(Domain.TX, message);
                claims.add(
                        pair.publicKey(), 0, signature, 0, Domain.TX, message, 0, message.length);
            }
        }
        return claims;
    }

    /** The scalar engine's verifier, of batches of up to {@code capacity}. */
    public static BatchVerifier scalar(int capacity) {
        return new SignatureEngine(new SecureRandom())
                .newVerifier(SignatureEngine.Mode.SCALAR, capacity);
    }
}
