package topspin.node.pool;

/**
 * Bounds of the pool.
 *
 * @param transactionsMax transactions, not groups, that may wait; algod's {@code TxPoolSize}
 * @param evictedMax how many dropped transactions keep their error text at least; at most twice
 *     that
 */
public record PoolConfig(int transactionsMax, int evictedMax) {
    /** The network's size; the errors of half as many are kept, up to as many. */
    public static final PoolConfig DEFAULT = new PoolConfig(75_000, 37_500);

    public PoolConfig {
        if (transactionsMax < 1 || transactionsMax > 1_000_000) {
            throw new IllegalArgumentException(
                    "TxPoolSize lies between 1 and 1000000, not " + transactionsMax);
        }
        if (evictedMax < 1) {
            throw new IllegalArgumentException("evictedMax must be positive, not " + evictedMax);
        }
    }

    /** As the default, with room for so many transactions. */
    public static PoolConfig ofSize(int transactionsMax) {
        return new PoolConfig(transactionsMax, Math.max(1, transactionsMax / 2));
    }
}
