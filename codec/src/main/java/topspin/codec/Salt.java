package topspin.codec;

import java.security.SecureRandom;

/** What makes our hash tables unpredictable to those who choose the keys: drawn once a process. */
final class Salt {
    static final long FIRST;
    static final long ODD;

    static {
        var random = new SecureRandom();
        FIRST = random.nextLong();
        ODD = random.nextLong() | 1;
    }

    private Salt() {}

    /** Spreads a 32-byte value; a peer that knows neither constant cannot aim at a slot. */
    static int mix(long a, long b, long c, long d) {
        long hash = (a ^ FIRST) * ODD;
        hash = (hash ^ (hash >>> 32) ^ b) * ODD;
        hash = (hash ^ (hash >>> 32) ^ c) * ODD;
        hash = (hash ^ (hash >>> 32) ^ d) * ODD;
        return (int) (hash >>> 32);
    }
}
