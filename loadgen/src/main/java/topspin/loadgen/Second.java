package topspin.loadgen;

import java.util.List;

/**
 * All figures at a moment: counts since the run began, gauges as they stand.
 *
 * @param atNanos by the run's clock
 * @param asked transactions due
 * @param rejected refused, and those not sent
 * @param confirmed in a block, at the node they were sent to
 * @param round the highest of any node
 * @param nodes in order; unknown where a node did not answer in time
 */
record Second(
        long atNanos,
        long asked,
        long offered,
        long accepted,
        long rejected,
        long confirmed,
        long round,
        List<NodeMetrics> nodes,
        ProcessSample generator) {
    /** More than a round takes, so that the moment after a block is among them. */
    private static final int LEVEL_SECONDS = 5;

    /** Transactions in the fullest pool; {@code NaN} if no node tells. */
    double pool() {
        double pool = Double.NaN;
        for (NodeMetrics node : nodes) {
            double theirs = node.poolTransactions();
            pool = Double.isNaN(pool) || theirs > pool ? theirs : pool;
        }
        return pool;
    }

    /**
     * What a pool held beside the block that was being agreed on: a pool rises and falls with every
     * round, and the least of the last {@link #LEVEL_SECONDS} is its level. {@code NaN} if no node
     * tells.
     */
    static double poolLevel(List<Second> series) {
        double level = Double.NaN;
        for (Second second :
                series.subList(Math.max(0, series.size() - LEVEL_SECONDS), series.size())) {
            double pool = second.pool();
            level = Double.isNaN(level) || pool < level ? pool : level;
        }
        return level;
    }
}
