package topspin.node.ingest;

/**
 * Bounds of the way in.
 *
 * @param ringGroups groups that may wait for the ingest thread, a power of two
 * @param ringBytes their bytes together
 * @param workers threads that verify signatures
 * @param filterGroups messages that the duplicate filter remembers at least; at most twice that
 */
public record IngestConfig(int ringGroups, long ringBytes, int workers, int filterGroups) {
    /** About a block of groups, 64 MiB of them, a worker per core. */
    public static final IngestConfig DEFAULT =
            new IngestConfig(
                    32_768,
                    64L << 20,
                    Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 64),
                    131_072);

    public IngestConfig {
        require(
                ringGroups >= 2 && Integer.bitCount(ringGroups) == 1,
                "ringGroups must be a power of two",
                ringGroups);
        require(ringBytes > 0, "ringBytes must be positive", ringBytes);
        require(workers >= 1 && workers <= 64, "workers must lie between 1 and 64", workers);
        require(filterGroups >= 64, "filterGroups must be at least 64", filterGroups);
    }

    private static void require(boolean holds, String rule, long value) {
        if (!holds) {
            throw new IllegalArgumentException(rule + ", not " + value);
        }
    }
}
