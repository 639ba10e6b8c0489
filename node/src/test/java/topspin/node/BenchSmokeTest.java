package topspin.node;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.RunnerException;

import topspin.codec.BenchSmoke;

class BenchSmokeTest {
    @Test
    void everyBenchmarkRuns() throws RunnerException {
        BenchSmoke.run("topspin.node");
    }
}
