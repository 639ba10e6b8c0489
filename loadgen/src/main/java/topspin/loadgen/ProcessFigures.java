package topspin.loadgen;

import topspin.loadgen.ProcessSample.ThreadUse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What a process used within the window. {@code NaN} where its owner does not tell.
 *
 * @param allocatedBytesPerTransaction per confirmed transaction of the window
 * @param compileSeconds of the compiler, part of {@code cpuSeconds} or nearly so
 * @param threads what Java threads used in all of it, by kind, most processor time first
 */
record ProcessFigures(
        String name,
        double allocatedBytesPerTransaction,
        double allocatedBytesPerSecond,
        double gcPauseMillis,
        double gcPauseMaxMillis,
        double heapMibMiddle,
        double heapMibMax,
        double residentMibMax,
        double cpuSeconds,
        double compileSeconds,
        Map<String, ThreadUse> threads) {
    static final double MIB = 1 << 20;

    /**
     * From the samples of the window, its start first.
     *
     * @param confirmed transactions of the window
     */
    static ProcessFigures of(
            String name, List<ProcessSample> samples, double seconds, long confirmed) {
        double allocated = growth(samples, ProcessSample::allocatedBytes);
        double[] heaps = known(samples, ProcessSample::heapBytes);
        List<ProcessSample> within = samples.subList(Math.min(1, samples.size()), samples.size());
        return new ProcessFigures(
                name,
                confirmed == 0 ? Double.NaN : allocated / confirmed,
                allocated / seconds,
                growth(samples, ProcessSample::gcPauseSeconds) * 1e3,
                greatest(known(within, ProcessSample::gcPauseMaxSeconds)) * 1e3,
                heaps.length == 0 ? Double.NaN : heaps[heaps.length / 2] / MIB,
                greatest(heaps) / MIB,
                greatest(known(samples, ProcessSample::residentBytes)) / MIB,
                growth(samples, ProcessSample::cpuSeconds),
                growth(samples, ProcessSample::compileSeconds),
                threads(samples));
    }

    private static Map<String, ThreadUse> threads(List<ProcessSample> samples) {
        List<Map<String, ThreadUse>> known =
                samples.stream()
                        .map(ProcessSample::threads)
                        .filter(threads -> !threads.isEmpty())
                        .toList();
        if (known.isEmpty()) {
            return Map.of();
        }
        Map<String, ThreadUse> first = known.getFirst();
        var used = new ArrayList<Map.Entry<String, ThreadUse>>();
        known.getLast()
                .forEach(
                        (kind, use) ->
                                used.add(
                                        Map.entry(
                                                kind,
                                                use.since(
                                                        first.getOrDefault(
                                                                kind, ThreadUse.NONE)))));
        used.sort(Comparator.comparingDouble(entry -> -entry.getValue().cpuSeconds()));
        var ordered = new LinkedHashMap<String, ThreadUse>();
        used.forEach(entry -> ordered.put(entry.getKey(), entry.getValue()));
        return ordered;
    }

    /** From the first known value to the last; unknown if it ever fell, as it does at a restart. */
    private static double growth(List<ProcessSample> samples, ToDoubleFunction<ProcessSample> of) {
        double first = Double.NaN;
        double last = Double.NaN;
        for (ProcessSample sample : samples) {
            double value = of.applyAsDouble(sample);
            if (Double.isNaN(value)) {
                continue;
            }
            if (value < last) {
                return Double.NaN;
            }
            first = Double.isNaN(first) ? value : first;
            last = value;
        }
        return last - first;
    }

    /** The known values, sorted. */
    private static double[] known(List<ProcessSample> samples, ToDoubleFunction<ProcessSample> of) {
        double[] values =
                samples.stream().mapToDouble(of).filter(value -> !Double.isNaN(value)).toArray();
        Arrays.sort(values);
        return values;
    }

    private static double greatest(double[] sorted) {
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
    }
}
