package topspin.loadgen;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.FileNotFoundException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The histograms of a run, whole: microseconds, three significant digits, from zero to whatever
 * came. Not for two threads at once.
 */
final class Latencies {
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final double MICROS_PER_MILLI = 1_000.0;

    private Latencies() {}

    /** A histogram that grows with what it is given. */
    static Histogram histogram() {
        return new Histogram(SIGNIFICANT_DIGITS); // Resizes itself.
    }

    /** Records a time; one before zero, which only clocks apart can give, counts as zero. */
    static void record(Histogram micros, long nanos) {
        micros.recordValue(Math.max(0, nanos) / 1_000);
    }

    /** The value at a percentile, in milliseconds; 0 of an empty histogram. */
    static double millis(Histogram micros, double percentile) {
        if (micros.getTotalCount() == 0) {
            return 0;
        }
        return micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    /** p50, p90, p99, p999 and max, in milliseconds. */
    static Map<String, Double> summary(Histogram micros) {
        var summary = new LinkedHashMap<String, Double>();
        summary.put("p50", millis(micros, 50));
        summary.put("p90", millis(micros, 90));
        summary.put("p99", millis(micros, 99));
        summary.put("p999", millis(micros, 99.9));
        summary.put("max", millis(micros, 100));
        return summary;
    }

    /**
     * Writes histograms, tagged by name, in HdrHistogram's own log format.
     *
     * @param startMillis wall clock at the window's start
     * @param endMillis wall clock at its end
     */
    static void write(
            Path file, long startMillis, long endMillis, Map<String, Histogram> histograms)
            throws FileNotFoundException {
        try (var out = new PrintStream(file.toFile(), StandardCharsets.UTF_8)) {
            var log = new HistogramLogWriter(out);
            log.outputComment("Topspin pingpong; values in microseconds");
            log.outputLogFormatVersion();
            log.outputStartTime(startMillis);
            log.setBaseTime(startMillis);
            log.outputLegend();
            histograms.forEach(
                    (name, histogram) -> {
                        histogram.setTag(name);
                        histogram.setStartTimeStamp(startMillis);
                        histogram.setEndTimeStamp(endMillis);
                        log.outputIntervalHistogram(histogram);
                    });
        } catch (FileNotFoundException e) {
            throw e;
        } catch (java.io.IOException e) {
            throw new AssertionError("UTF-8 is known", e);
        }
    }
}
