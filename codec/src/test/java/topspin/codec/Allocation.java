package topspin.codec;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;

/** Measures what a thread allocates. */
public final class Allocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /**
     * The fewest bytes that a window of calls allocated on this thread: windows run before the
     * compiler has done its work pay for boxes and vectors that compiled code does not make.
     *
     * @return bytes per call, rounded up: 0 is none at all
     */
    public static long smallestWindow(int windows, int calls, Runnable call) {
        long smallest = Long.MAX_VALUE;
        for (int window = 0; window < windows; window++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < calls; i++) {
                call.run();
            }
            long after = THREADS.getCurrentThreadAllocatedBytes();
            smallest = Math.min(smallest, Math.ceilDiv(after - before, calls));
        }
        return smallest;
    }
}
