package topspin.net;

import io.netty.util.ResourceLeakDetector;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.RunnerException;

import topspin.codec.BenchSmoke;

/** Every benchmark of this module still runs. */
class BenchSmokeTest {
    /** Benchmarks leave their buffers to the end of their process; other tests count them. */
    @Test
    void everyBenchmarkRuns() throws RunnerException {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try {
            BenchSmoke.run("topspin.net");
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }
}
