package topspin.loadgen;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * What one run came to: of the measured window, the drain after it and nothing else. Immutable by
 * custom: nobody writes to the histograms any more.
 *
 * @param asked transactions due within the window
 * @param slots that these were in
 * @param seconds of the window
 * @param startMillis wall clock at its start
 * @param endMillis wall clock at its end
 * @param startNanos the run's clock at its start
 * @param offered handed to a socket
 * @param accepted answered 200
 * @param rejected refused, or not sent, by reason
 * @param silences never answered, by reason, whether in a block or not
 * @param confirmed in a block at the node they were sent to, by the end of the drain
 * @param settlement what became of the others
 * @param lateSlots sent later than {@link Sender#LATE_NANOS} after they were due
 * @param poolAtEnd the least that the fullest pool held in the last seconds of the window; {@code
 *     NaN} if unknown
 * @param drainRounds rounds that the drain took
 * @param warmUpSeconds before the window
 * @param warmUpLevel whether the rate was level when the window opened
 * @param quietPropagationMicros of those samples during which no node worked on a block
 * @param series one row for each second of the window, and one for its start
 * @param topAllocations by node name, from its recording; absent where it makes none
 * @param fault why the figures cannot be trusted, or null
 */
record Measurement(
        long asked,
        long slots,
        double seconds,
        long startMillis,
        long endMillis,
        long startNanos,
        long offered,
        long accepted,
        Map<String, Long> rejected,
        Map<String, Long> silences,
        long confirmed,
        Confirmations.Settlement settlement,
        long lateSlots,
        double poolAtEnd,
        int drainRounds,
        double warmUpSeconds,
        boolean warmUpLevel,
        Histogram latencyMicros,
        Histogram submitMicros,
        Histogram latenessMicros,
        Histogram propagationMicros,
        Histogram quietPropagationMicros,
        RoundFigures rounds,
        List<Second> series,
        List<String> nodeNames,
        Map<String, List<Allocations.Site>> topAllocations,
        @Nullable String fault) {

    double askedTps() {
        return asked / seconds;
    }

    double confirmedTps() {
        return confirmed / seconds;
    }

    long rejectedCount() {
        return rejected.values().stream().mapToLong(Long::longValue).sum();
    }

    Second first() {
        return series.getFirst();
    }

    Second last() {
        return series.getLast();
    }
}
