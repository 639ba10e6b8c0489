package topspin.net;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.RunnerException;

import topspin.codec.BenchSmoke;

/** Every benchmark of this module still runs. */
class BenchSmokeTest {
    @Test
    void everyBenchmarkRuns() throws RunnerException {
        BenchSmoke.run("topspin.net");
    }
}
