package topspin.loadgen;

import java.util.Arrays;

/**
 * The Mann-Whitney test: whether two samples come from one distribution, with no assumption of its
 * form. Exact over all ways to part the values, ties included, where these are few enough; by the
 * normal approximation with correction for ties otherwise.
 */
final class RankTest {
    private static final long WAYS_MAX = 200_000;

    private RankTest() {}

    /**
     * The two-sided probability of samples at least this far apart if they are of one distribution.
     *
     * @param a at least one value
     * @param b at least one value
     */
    static double probability(double[] a, double[] b) {
        int n = a.length + b.length;
        double[] all = Arrays.copyOf(a, n);
        System.arraycopy(b, 0, all, a.length, b.length);
        double[] ranks = ranks(all);
        double observed = 0;
        for (int i = 0; i < a.length; i++) {
            observed += ranks[i];
        }
        double expected = a.length * (n + 1) / 2.0;
        double distance = Math.abs(observed - expected);
        return ways(n, a.length) <= WAYS_MAX
                ? exact(ranks, a.length, expected, distance)
                : approximate(ranks, a.length, distance);
    }

    /** The least probability that samples of these sizes can have. */
    static double leastProbability(int a, int b) {
        return Math.min(1, 2.0 / ways(a + b, a));
    }

    /** Ranks from 1; equal values share the mean of theirs. */
    private static double[] ranks(double[] values) {
        double[] ranks = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            int less = 0;
            int equal = 0;
            for (double other : values) {
                less += other < values[i] ? 1 : 0;
                equal += other == values[i] ? 1 : 0;
            }
            ranks[i] = less + (equal + 1) / 2.0;
        }
        return ranks;
    }

    private static double exact(double[] ranks, int size, double expected, double distance) {
        long[] counts = new long[2]; // All ways, and those at least as far apart.
        choose(ranks, size, 0, 0, expected, distance - 1e-9, counts);
        return (double) counts[1] / counts[0];
    }

    private static void choose(
            double[] ranks,
            int left,
            int from,
            double sum,
            double expected,
            double distance,
            long[] counts) {
        if (left == 0) {
            counts[0]++;
            counts[1] += Math.abs(sum - expected) >= distance ? 1 : 0;
            return;
        }
        for (int i = from; i <= ranks.length - left; i++) {
            choose(ranks, left - 1, i + 1, sum + ranks[i], expected, distance, counts);
        }
    }

    private static double approximate(double[] ranks, int size, double distance) {
        int n = ranks.length;
        double mean = (n + 1) / 2.0;
        double squares = 0;
        for (double rank : ranks) {
            squares += (rank - mean) * (rank - mean);
        }
        double variance = size * (double) (n - size) / n / (n - 1) * squares;
        if (variance == 0) {
            return 1;
        }
        double z = Math.max(0, distance - 0.5) / Math.sqrt(variance);
        return Math.min(1, 2 * upperTail(z));
    }

    /** Of the standard normal distribution, by Abramowitz and Stegun 26.2.17; error below 1e-7. */
    private static double upperTail(double z) {
        double t = 1 / (1 + 0.2316419 * z);
        double polynomial =
                t
                        * (0.319381530
                                + t
                                        * (-0.356563782
                                                + t
                                                        * (1.781477937
                                                                + t
                                                                        * (-1.821255978
                                                                                + t
                                                                                        * 1.330274429))));
        return Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI) * polynomial;
    }

    private static long ways(int n, int k) {
        long ways = 1;
        for (int i = 1; i <= k; i++) {
            if (ways > Long.MAX_VALUE / n) {
                return Long.MAX_VALUE;
            }
            ways = ways * (n - k + i) / i;
        }
        return ways;
    }
}
