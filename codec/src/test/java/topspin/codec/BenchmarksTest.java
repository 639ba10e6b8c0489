package topspin.codec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * Every benchmark of this module runs, so that none rots: one shot each, in this JVM; the times
 * mean nothing.
 */
class BenchmarksTest {
    @Test
    void everyBenchmarkRuns() throws Exception {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .include("^topspin\\.codec\\.")
                                        .mode(Mode.SingleShotTime)
                                        .forks(0)
                                        .warmupIterations(0)
                                        .measurementIterations(1)
                                        .timeUnit(TimeUnit.MILLISECONDS)
                                        .shouldFailOnError(true)
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run();
        assertThat(results).isNotEmpty();
    }
}
