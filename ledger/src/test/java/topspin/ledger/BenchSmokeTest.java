package topspin.ledger;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.RunnerException;

import topspin.codec.BenchSmoke;

import java.util.Map;

/** Every benchmark of this module still runs. */
class BenchSmokeTest {
    @Test
    void everyBenchmarkRuns() throws RunnerException {
        BenchSmoke.run("topspin.ledger", Map.of("accounts", "500", "payments", "200"));
    }
}
