package topspin.codec.crypto;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * What the random factors of a batch equation are made of: 128 bits each, which nobody can have
 * foreseen when choosing the signatures. Without them, wrong signatures could be made to cancel
 * each other out. Four come out of each SHA-512 of 32 fresh random bytes and a counter, since
 * asking the operating system for all would cost more than the hashing. For one thread.
 */
public final class Coefficients {
    private static final int SEED_BYTES = 32;
    private static final int PER_DIGEST = 4;

    private final SecureRandom random;
    private final MessageDigest digest = HashFunction.SHA512.newDigest();
    private final byte[] seed = new byte[SEED_BYTES];
    private final byte[] counter = new byte[Integer.BYTES];
    private final byte[] output = new byte[HashFunction.SHA512.bytes()];
    private int drawn;

    public Coefficients(SecureRandom random) {
        this.random = random;
    }

    /** Starts a batch, once its signatures are fixed. */
    public void restart() {
        random.nextBytes(seed);
        Arrays.fill(counter, (byte) 0);
        drawn = 0;
    }

    /** Draws the next 128 bits into two words. */
    public void next(long[] words, int w) {
        int place = drawn % PER_DIGEST;
        if (place == 0) {
            int block = drawn / PER_DIGEST;
            counter[0] = (byte) block;
            counter[1] = (byte) (block >>> 8);
            counter[2] = (byte) (block >>> 16);
            counter[3] = (byte) (block >>> 24);
            digest.update(seed);
            digest.update(counter);
            HashFunction.finish(digest, output, 0);
        }
        drawn++;
        words[w] = Scalar25519.word(output, 16 * place);
        words[w + 1] = Scalar25519.word(output, 16 * place + 8);
    }
}
