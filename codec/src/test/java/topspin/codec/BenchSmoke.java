package topspin.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Runs benchmarks once each, so that none of them rots. The figures mean nothing. */
public final class BenchSmoke {
    private BenchSmoke() {}

    /**
     * Runs each benchmark below {@code packageName} with each of its parameters, one shot, in this
     * process.
     */
    public static void run(String packageName) throws RunnerException {
        run(packageName, Map.of());
    }

    /**
     * The same with some parameters smaller than the benchmarks', where those take minutes to set
     * up.
     *
     * @param smaller values by name of parameter
     */
    public static void run(String packageName, Map<String, String> smaller) throws RunnerException {
        String pattern = "^" + packageName.replace(".", "\\.") + "\\..*";
        var options =
                new OptionsBuilder()
                        .include(pattern)
                        .mode(Mode.SingleShotTime)
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .timeout(TimeValue.seconds(60))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT);
        smaller.forEach(options::param);
        Collection<RunResult> results = new Runner(options.build()).run();
        Set<String> ran = new TreeSet<>();
        results.forEach(result -> ran.add(result.getParams().getBenchmark()));
        assertEquals(declared(pattern), ran);
        assertFalse(ran.isEmpty());
    }

    private static Set<String> declared(String pattern) {
        Set<String> declared = new TreeSet<>();
        var silent =
                OutputFormatFactory.createFormatInstance(
                        new java.io.PrintStream(
                                java.io.OutputStream.nullOutputStream(),
                                false,
                                java.nio.charset.StandardCharsets.UTF_8),
                        VerboseMode.SILENT);
        for (BenchmarkListEntry entry :
                BenchmarkList.defaultList().find(silent, List.of(pattern), List.of())) {
            declared.add(entry.getUsername());
        }
        return declared;
    }
}
