package topspin.codec.lanes;

import jdk.incubator.vector.DoubleVector;

import topspin.codec.crypto.BatchHasher;
import topspin.codec.crypto.BatchVerifier;
import topspin.codec.crypto.HashFunction;

import java.security.SecureRandom;

/**
 * The one class through which the vector engine is reached; it loads the others only when asked for
 * an engine.
 */
public final class Lanes {
    private Lanes() {}

    /** Lanes of the widest vectors for which the machine has instructions. */
    public static int width() {
        return DoubleVector.SPECIES_PREFERRED.length();
    }

    /** Whether the engine can work with that many. */
    public static boolean isWideEnough() {
        return width() == 4 || width() == 8;
    }

    /**
     * A verifier for batches of up to {@code capacity}.
     *
     * @param random where the factors come from; it must be unforeseeable
     */
    public static BatchVerifier newVerifier(int capacity, SecureRandom random) {
        return new LaneBatch(capacity, random);
    }

    /** A hasher; the function is not SHA-256. */
    public static BatchHasher newHasher(HashFunction function) {
        return new LaneHasher(function);
    }
}
