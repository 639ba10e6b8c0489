package topspin.ledger.store;

/**
 * How much of the machine the store may take. These bound native memory, outside the heap.
 *
 * @param cacheBytes block cache, indexes and filters included; memtables are charged to it
 * @param memtableBytes changes kept in memory before they are written to table files, over all
 *     columns; a part of {@code cacheBytes}
 * @param openFilesMax table files held open
 */
public record StoreConfig(long cacheBytes, long memtableBytes, int openFilesMax) {
    public static final StoreConfig DEFAULT = new StoreConfig(128L << 20, 64L << 20, 512);

    public StoreConfig {
        if (memtableBytes < 1L << 20 || cacheBytes < memtableBytes) {
            throw new IllegalArgumentException(
                    "the store needs 1 MiB <= memtableBytes <= cacheBytes: "
                            + memtableBytes
                            + ", "
                            + cacheBytes);
        }
        if (openFilesMax < 32) {
            throw new IllegalArgumentException("openFilesMax must be at least 32: " + openFilesMax);
        }
    }
}
