package topspin.net;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Fails a class of tests in which a buffer was lost. The build turns Netty's detector on fully. */
public final class LeakFreedom implements BeforeAllCallback, AfterAllCallback {
    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

    @Override
    public void beforeAll(ExtensionContext context) {
        ByteBufUtil.setLeakListener((resource, records) -> LEAKS.add(resource + records));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (ResourceLeakDetector.getLevel() != ResourceLeakDetector.Level.PARANOID) {
            throw new AssertionError("leak detection is not on: io.netty.leakDetection.level");
        }
        // What was lost is reported when it has been collected and a further buffer is made.
        System.gc();
        for (int count = 0; count < 100; count++) {
            PooledByteBufAllocator.DEFAULT.directBuffer().release();
        }
        if (!LEAKS.isEmpty()) {
            throw new AssertionError(LEAKS.size() + " buffers lost, the first: " + LEAKS.poll());
        }
    }
}
