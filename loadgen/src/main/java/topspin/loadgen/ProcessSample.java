package topspin.loadgen;

/**
 * What a process has used up to a moment. A figure that its owner does not tell is {@code NaN}.
 *
 * @param allocatedBytes on the heap, since it started
 * @param gcPauseSeconds since it started
 * @param gcPauseMaxSeconds the longest pause since the sample before
 * @param heapBytes in use
 * @param residentBytes of memory
 * @param cpuSeconds since it started
 */
record ProcessSample(
        double allocatedBytes,
        double gcPauseSeconds,
        double gcPauseMaxSeconds,
        double heapBytes,
        double residentBytes,
        double cpuSeconds) {
    static final ProcessSample UNKNOWN =
            new ProcessSample(
                    Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
}
