package topspin.loadgen;

import java.util.Map;

/**
 * What a process has used up to a moment. A figure that its owner does not tell is {@code NaN}.
 *
 * @param allocatedBytes on the heap, since it started
 * @param gcPauseSeconds since it started
 * @param gcPauseMaxSeconds the longest pause since the sample before
 * @param heapBytes in use
 * @param residentBytes of memory
 * @param cpuSeconds since it started
 * @param compileSeconds that its compiler took, since it started
 * @param threads what its Java threads used, by kind; empty where it does not tell
 */
record ProcessSample(
        double allocatedBytes,
        double gcPauseSeconds,
        double gcPauseMaxSeconds,
        double heapBytes,
        double residentBytes,
        double cpuSeconds,
        double compileSeconds,
        Map<String, ThreadUse> threads) {
    static final ProcessSample UNKNOWN =
            new ProcessSample(
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    Map.of());

    /** What living threads of one kind have used since they started; 0 where unknown. */
    record ThreadUse(double allocatedBytes, double cpuSeconds) {
        static final ThreadUse NONE = new ThreadUse(0, 0);

        ThreadUse plus(double bytes, double seconds) {
            return new ThreadUse(allocatedBytes + bytes, cpuSeconds + seconds);
        }

        /** What was used since; a thread that has ended takes its part away, which is no gain. */
        ThreadUse since(ThreadUse before) {
            return new ThreadUse(
                    Math.max(0, allocatedBytes - before.allocatedBytes),
                    Math.max(0, cpuSeconds - before.cpuSeconds));
        }
    }
}
