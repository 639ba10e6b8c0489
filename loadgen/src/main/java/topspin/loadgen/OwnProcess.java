package topspin.loadgen;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import topspin.loadgen.ProcessSample.ThreadUse;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/** What this process, the generator, uses: it must not be what limits a run unseen. */
final class OwnProcess implements AutoCloseable {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final Path STATUS = Path.of("/proc/self/status");

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private final AtomicLong longestPauseMillis = new AtomicLong();
    private final NotificationListener listener = this::onNotification;

    OwnProcess() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector).addNotificationListener(listener, null, null);
        }
    }

    ProcessSample sample() {
        long pauseMillis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            pauseMillis += Math.max(0, collector.getCollectionTime());
        }
        return new ProcessSample(
                threads.getTotalThreadAllocatedBytes(),
                pauseMillis / MILLIS_PER_SECOND,
                longestPauseMillis.getAndSet(0) / MILLIS_PER_SECOND,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                residentBytes(),
                system.getProcessCpuTime() / NANOS_PER_SECOND,
                compiler.getTotalCompilationTime() / MILLIS_PER_SECOND,
                threads());
    }

    /** Threads whose names differ in what stands behind the letters only are of one kind. */
    private Map<String, ThreadUse> threads() {
        long[] ids = threads.getAllThreadIds();
        ThreadInfo[] infos = threads.getThreadInfo(ids);
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        long[] nanos = threads.getThreadCpuTime(ids);
        var kinds = new TreeMap<String, ThreadUse>();
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] != null && bytes[i] >= 0 && nanos[i] >= 0) {
                String kind = infos[i].getThreadName().replaceAll("[-#0-9 ]+$", "");
                ThreadUse before = kinds.getOrDefault(kind, ThreadUse.NONE);
                kinds.put(kind, before.plus(bytes[i], nanos[i] / NANOS_PER_SECOND));
            }
        }
        return kinds;
    }

    private void onNotification(Notification notification, Object unused) {
        String type = GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION;
        if (notification.getType().equals(type)) {
            var data = (CompositeData) notification.getUserData();
            long millis = GarbageCollectionNotificationInfo.from(data).getGcInfo().getDuration();
            longestPauseMillis.accumulateAndGet(millis, Math::max);
        }
    }

    private static double residentBytes() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith("VmRSS:")) {
                    return Double.parseDouble(line.replaceAll("\\D", "")) * 1024;
                }
            }
        } catch (IOException e) {
            return Double.NaN; // No Linux.
        }
        return Double.NaN;
    }

    @Override
    public void close() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            try {
                ((NotificationEmitter) collector).removeNotificationListener(listener);
            } catch (ListenerNotFoundException e) {
                throw new AssertionError(e);
            }
        }
    }
}
