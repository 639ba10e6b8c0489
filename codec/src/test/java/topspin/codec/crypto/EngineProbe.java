package topspin.codec.crypto;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * What the engine makes of the JVM that this is run in: calibrates as a node does, up to so many
 * times, while so many other threads keep the processors busy; then judges good and bad signatures.
 */
final class EngineProbe {
    private static final int ENTRIES = 20;
    private static final int BAD = 13;

    private EngineProbe() {}

    private static void keepBusy() {
        var digest = new byte[32];
        while (true) {
            Sha512_256.digest(Domain.TX, digest, 0, 32, digest, 0);
        }
    }

    /** How many trials at most, how many busy threads. */
    public static void main(String[] arguments) {
        int trials = Integer.parseInt(arguments[0]);
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            Thread.ofPlatform().daemon().start(EngineProbe::keepBusy);
        }
        var engine = new SignatureEngine(new SecureRandom());
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Calibration calibration;
        do {
            calibration = engine.calibrate(1_000_000_000L, threads::getCurrentThreadCpuTime);
            System.out.println("engine: " + calibration);
        } while (--trials > 0 && calibration.isWorthRepeating());
        System.out.println("signatures " + engine.signatureMode());
        SignatureBatch batch = engine.newBatch(ENTRIES);
        DigestBatch digests = new DigestBatch(HashFunction.SHA512_256, ENTRIES);
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
