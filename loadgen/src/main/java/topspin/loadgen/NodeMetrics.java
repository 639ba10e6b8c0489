package topspin.loadgen;

import static java.nio.charset.StandardCharsets.US_ASCII;

import topspin.loadgen.ProcessSample.ThreadUse;
import topspin.loadgen.client.Body;

import java.util.Map;
import java.util.TreeMap;

/**
 * A node's {@code /metrics} page, of which the generator needs a few lines. A foreign node has
 * others; what is absent is unknown, not zero.
 *
 * @param poolTransactions that wait for a block
 * @param gossipBytesOut bytes of transaction gossip to peers, with all that it takes
 * @param gossipPayloadBytes bytes of transactions that peers gossiped and that were new
 */
record NodeMetrics(
        ProcessSample process,
        double poolTransactions,
        double gossipBytesOut,
        double gossipPayloadBytes) {
    static final NodeMetrics UNKNOWN =
            new NodeMetrics(ProcessSample.UNKNOWN, Double.NaN, Double.NaN, Double.NaN);

    private static final String ALLOCATED = "topspin_process_allocated_bytes_total";
    private static final String GC_PAUSE = "topspin_process_gc_pause_seconds_total";
    private static final String GC_PAUSE_MAX = "topspin_process_gc_pause_recent_max_seconds";
    private static final String HEAP = "topspin_process_heap_used_bytes";
    private static final String RESIDENT = "process_resident_memory_bytes";
    private static final String CPU = "process_cpu_seconds_total";
    private static final String COMPILE = "topspin_process_compile_seconds_total";
    private static final String THREAD_ALLOCATED = "topspin_thread_allocated_bytes{threads=\"";
    private static final String THREAD_CPU = "topspin_thread_cpu_microseconds{threads=\"";
    private static final String POOL = "algod_tx_pool_count";
    private static final String GOSSIP_OUT = "topspin_gossip_sent_bytes_total";
    private static final String GOSSIP_PAYLOAD = "topspin_gossip_fresh_bytes_total";

    /** Reads a page in Prometheus's text format. */
    static NodeMetrics parse(Body page) {
        String text = new String(page.bytes(), 0, page.length(), US_ASCII);
        var process =
                new ProcessSample(
                        value(text, ALLOCATED),
                        value(text, GC_PAUSE),
                        value(text, GC_PAUSE_MAX),
                        value(text, HEAP),
                        value(text, RESIDENT),
                        value(text, CPU),
                        value(text, COMPILE),
                        threads(text));
        return new NodeMetrics(
                process, value(text, POOL), value(text, GOSSIP_OUT), value(text, GOSSIP_PAYLOAD));
    }

    private static Map<String, ThreadUse> threads(String page) {
        var threads = new TreeMap<String, ThreadUse>();
        for (String line : page.lines().toList()) {
            boolean allocated = line.startsWith(THREAD_ALLOCATED);
            if (!allocated && !line.startsWith(THREAD_CPU)) {
                continue;
            }
            int start = (allocated ? THREAD_ALLOCATED : THREAD_CPU).length();
            int end = line.indexOf('"', start);
            double value = value(line, line.substring(0, line.indexOf('{')));
            if (end > start && !Double.isNaN(value)) {
                String kind = line.substring(start, end);
                ThreadUse before = threads.getOrDefault(kind, ThreadUse.NONE);
                threads.put(kind, before.plus(allocated ? value : 0, allocated ? 0 : value / 1e6));
            }
        }
        return threads;
    }

    /** The value of the first line of that name, with or without labels. */
    static double value(String page, String name) {
        int start = 0;
        while ((start = page.indexOf(name, start)) >= 0) {
            int after = start + name.length();
            boolean whole = start == 0 || page.charAt(start - 1) == '\n';
            char next = after < page.length() ? page.charAt(after) : '\n';
            if (whole && (next == ' ' || next == '{')) {
                int end = page.indexOf('\n', after);
                String line = page.substring(after, end < 0 ? page.length() : end);
                String value = line.substring(line.lastIndexOf('}') + 1).strip();
                int space = value.indexOf(' '); // A time stamp may follow.
                try {
                    return Double.parseDouble(space < 0 ? value : value.substring(0, space));
                } catch (NumberFormatException e) {
                    return Double.NaN;
                }
            }
            start = after;
        }
        return Double.NaN;
    }
}
