package topspin.node.rest;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import com.sun.management.ThreadMXBean;

import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * What this process uses: memory, time, and who allocates. Any thread reads; close takes the
 * listener back.
 *
 * <p>Names that the load generator reads: {@code topspin_process_allocated_bytes_total}, {@code
 * topspin_process_gc_pause_seconds_total}, {@code topspin_process_gc_pause_recent_max_seconds},
 * {@code topspin_process_heap_used_bytes}, {@code process_resident_memory_bytes}, {@code
 * process_cpu_seconds_total}, {@code topspin_process_compile_seconds_total}, {@code
 * topspin_thread_allocated_bytes}, {@code topspin_thread_cpu_microseconds}.
 */
public final class ProcessFigures implements AutoCloseable {
    /** A scrape a second sees every pause that began since the last one, late as it may be. */
    private static final long RECENT_MILLIS = 2_500;

    private static final int PAUSES_MAX = 256;

    /** Thread names are ours or the JDK's, so few; this only guards against a leak of names. */
    private static final int GROUPS_MAX = 64;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final List<GarbageCollectorMXBean> collectors = pausingCollectors();
    private final NotificationListener listener = this::collected;

    /** Pauses that ended lately: end in milliseconds of JVM uptime, duration in milliseconds. */
    private final ArrayDeque<Pause> pauses = new ArrayDeque<>();

    private record Pause(long endMillis, long millis) {}

    /** Begins to listen for garbage collections. */
    public ProcessFigures() {
        for (GarbageCollectorMXBean collector : collectors) {
            if (collector instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener(listener, null, null);
            }
        }
    }

    /** Puts all figures on a page. */
    public void addTo(MetricsPage page) {
        page.counter(
                "topspin_process_allocated_bytes_total",
                "Bytes allocated on the heap by all threads, ended ones too.",
                threads::getTotalThreadAllocatedBytes);
        page.gauges(
                "topspin_thread_allocated_bytes",
                "Bytes allocated on the heap by living threads, by kind of thread.",
                "threads",
                series -> byKind(threads::getThreadAllocatedBytes).forEach(series::add));
        page.gauges(
                "topspin_thread_cpu_microseconds",
                "Processor time of living threads of Java, by kind of thread.",
                "threads",
                series ->
                        byKind(threads::getThreadCpuTime)
                                .forEach((kind, nanos) -> series.add(kind, nanos / 1_000)));
        page.counter(
                "topspin_process_compile_seconds_total",
                "Time that the compiler took.",
                () -> compiler.getTotalCompilationTime() / 1e3);
        page.counter(
                "topspin_process_gc_pause_seconds_total",
                "Time in which garbage collection stopped the process.",
                () -> pauseMillis() / 1e3);
        page.counters(
                "topspin_gc_collections_total",
                "Garbage collections that stopped the process, by collector.",
                "collector",
                series ->
                        collectors.forEach(
                                each -> series.add(each.getName(), each.getCollectionCount())));
        page.gauge(
                "topspin_process_gc_pause_recent_max_seconds",
                "The longest such stop of the last two and a half seconds.",
                () -> recentPauseMillisMax() / 1e3);
        page.gauge(
                "topspin_process_heap_used_bytes",
                "Heap in use, garbage included.",
                this::heapUsed);
        page.gauges(
                "topspin_process_buffer_bytes",
                "Memory of direct and mapped buffers, by pool.",
                "pool",
                ProcessFigures::bufferPools);
        page.gauge("topspin_process_threads", "Threads alive.", () -> threads.getThreadCount());
        JvmMemoryMetrics.builder().register(page.registry());
        ProcessMetrics.builder().register(page.registry());
    }

    @Override
    public void close() {
        for (GarbageCollectorMXBean collector : collectors) {
            if (collector instanceof NotificationEmitter emitter) {
                try {
                    emitter.removeNotificationListener(listener);
                } catch (ListenerNotFoundException gone) {
                    // Closed before.
                }
            }
        }
    }

    /** Heap in use, garbage included, in bytes. */
    long heapUsed() {
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** What the heap may grow to, in bytes. */
    long heapMax() {
        return memory.getHeapMemoryUsage().getMax();
    }

    /** Milliseconds since the start in which garbage collection stopped the process. */
    long pauseMillis() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            millis += Math.max(0, collector.getCollectionTime());
        }
        return millis;
    }

    private long recentPauseMillisMax() {
        long since = ManagementFactory.getRuntimeMXBean().getUptime() - RECENT_MILLIS;
        long longest = 0;
        synchronized (pauses) {
            for (Pause pause : pauses) {
                if (pause.endMillis >= since) {
                    longest = Math.max(longest, pause.millis);
                }
            }
        }
        return longest;
    }

    private void collected(Notification notification, Object unused) {
        if (notification
                .getType()
                .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            GcInfo info =
                    GarbageCollectionNotificationInfo.from(
                                    (CompositeData) notification.getUserData())
                            .getGcInfo();
            synchronized (pauses) {
                if (pauses.size() == PAUSES_MAX) {
                    pauses.removeFirst();
                }
                pauses.addLast(new Pause(info.getEndTime(), info.getDuration()));
            }
        }
    }

    /** What living threads have used, summed over names that differ in their numbers only. */
    private Map<String, Long> byKind(UnaryOperator<long[]> used) {
        long[] ids = threads.getAllThreadIds();
        ThreadInfo[] infos = threads.getThreadInfo(ids);
        long[] amounts = used.apply(ids);
        Map<String, Long> sums = new TreeMap<>();
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] != null && amounts[i] >= 0) {
                String kind = kind(infos[i].getThreadName());
                if (!sums.containsKey(kind) && sums.size() >= GROUPS_MAX) {
                    kind = "other";
                }
                sums.merge(kind, amounts[i], Long::sum);
            }
        }
        return sums;
    }

    /** A thread's name without the numbers at its end. */
    static String kind(String name) {
        int end = name.length();
        while (end > 0 && "-#0123456789 ".indexOf(name.charAt(end - 1)) >= 0) {
            end--;
        }
        return end == 0 ? "unnamed" : name.substring(0, end);
    }

    private static void bufferPools(MetricsPage.Series series) {
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            series.add(pool.getName(), pool.getMemoryUsed());
        }
    }

    /** All beans but those that count whole concurrent cycles, which stop nobody. */
    private static List<GarbageCollectorMXBean> pausingCollectors() {
        List<GarbageCollectorMXBean> pausing = new ArrayList<>();
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!collector.getName().endsWith("Cycles")) {
                pausing.add(collector);
            }
        }
        return List.copyOf(pausing);
    }
}
