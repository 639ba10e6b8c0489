package topspin.codec.crypto;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * What the engine makes of the JVM that this is run in: calibrates for a second, then judges good
 * and bad signatures.
 */
final class EngineProbe {
    private static final int ENTRIES = 20;
    private static final int BAD = 13;

    private EngineProbe() {}

    public static void main(String[] arguments) {
        var engine = new SignatureEngine(new SecureRandom());
        System.out.println(engine.calibrate(1_000_000_000L, System::nanoTime));
        System.out.println("signatures " + engine.signatureMode());
        SignatureBatch batch = engine.newBatch(ENTRIES);
        DigestBatch digests = engine.newDigests(HashFunction.SHA512_256, ENTRIES);
        var expected = new byte[ENTRIES * 32];
        try (var pair = Ed25519.KeyPair.fromSeed(new byte[32])) {
            for (int i = 0; i < ENTRIES; i++) {
                var message = new byte[100 + i];
                byte[] signature = pair.sign(Domain.TX, message);
                signature[40] ^= (byte) (i == BAD ? 1 : 0);
                batch.add(pair.publicKey(), 0, signature, 0, Domain.TX, message, 0, message.length);
                digests.add(Domain.TX, message, 0, message.length);
                Sha512_256.digest(Domain.TX, message, 0, message.length, expected, 32 * i);
            }
        }
        boolean isRight = !batch.verify();
        for (int i = 0; i < ENTRIES; i++) {
            isRight &= batch.isValid(i) == (i != BAD);
        }
        System.out.println(isRight ? "verdicts right" : "verdicts WRONG");
        var actual = new byte[expected.length];
        digests.digest(actual, 0);
        System.out.println(Arrays.equals(actual, expected) ? "digests right" : "digests WRONG");
    }
}
