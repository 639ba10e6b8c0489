package topspin.loadgen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The whole rounds inside the window: those that began and ended within it, by the node that had
 * them first.
 *
 * @param whole in order
 * @param spanSeconds from the beginning of the first to the end of the last
 */
record RoundFigures(List<Timed> whole, double spanSeconds) {
    /**
     * A round with its length.
     *
     * @param endSeconds since the window's start
     * @param seconds since the round before it
     * @param bytes of its transactions
     */
    record Timed(long round, double endSeconds, double seconds, int transactions, long bytes) {}

    /** The least, the middle and the greatest of some values; zeros if there are none. */
    record Spread(double min, double p50, double max) {
        static Spread of(double[] values) {
            if (values.length == 0) {
                return new Spread(0, 0, 0);
            }
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            return new Spread(sorted[0], sorted[sorted.length / 2], sorted[sorted.length - 1]);
        }
    }

    private static final double NANOS_PER_SECOND = 1e9;

    static RoundFigures of(List<Confirmations.Round> rounds, long startNanos, long endNanos) {
        var whole = new ArrayList<Timed>();
        long begun = 0;
        long ended = 0;
        for (int i = 1; i < rounds.size(); i++) {
            Confirmations.Round before = rounds.get(i - 1);
            Confirmations.Round round = rounds.get(i);
            if (before.atNanos() < startNanos || round.atNanos() > endNanos) {
                continue;
            }
            if (whole.isEmpty()) {
                begun = before.atNanos();
            }
            ended = round.atNanos();
            whole.add(
                    new Timed(
                            round.round(),
                            (round.atNanos() - startNanos) / NANOS_PER_SECOND,
                            (round.atNanos() - before.atNanos()) / NANOS_PER_SECOND,
                            round.transactions(),
                            round.bytes()));
        }
        return new RoundFigures(List.copyOf(whole), (ended - begun) / NANOS_PER_SECOND);
    }

    long transactions() {
        return whole.stream().mapToLong(Timed::transactions).sum();
    }

    /** Transactions of the whole rounds over the time they took; 0 without a whole round. */
    double blockTps() {
        return spanSeconds > 0 ? transactions() / spanSeconds : 0;
    }

    /** What a transaction takes in a block, in bytes; 0 without any. */
    double bytesPerTransaction() {
        long bytes = whole.stream().mapToLong(Timed::bytes).sum();
        return transactions() > 0 ? bytes / (double) transactions() : 0;
    }

    /**
     * What blocks of so many bytes could hold a second, were all of them full, of such transactions
     * and as far apart as these; 0 where that is unknown.
     */
    double ceilingTps(long blockBytesMax) {
        double bytes = bytesPerTransaction();
        double seconds = seconds().p50();
        return bytes > 0 && seconds > 0 ? Math.floor(blockBytesMax / bytes) / seconds : 0;
    }

    Spread seconds() {
        return spread(Timed::seconds);
    }

    Spread sizes() {
        return spread(Timed::transactions);
    }

    private Spread spread(ToDoubleFunction<Timed> value) {
        return Spread.of(whole.stream().mapToDouble(value).toArray());
    }
}
