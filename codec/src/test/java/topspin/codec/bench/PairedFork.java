package topspin.codec.bench;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One fork: runs the rivals' JMH iterations in turn, first to warm all of them up, then to measure,
 * and leaves the results, one {@link BenchmarkResult} of one iteration each, in a file. Every
 * iteration has a state of its own, so that no rival owes its figure to where its arrays came to
 * lie.
 */
final class PairedFork {
    private PairedFork() {}

    /**
     * The file; warm-up rounds, measured rounds, milliseconds of an iteration; the benchmarks, with
     * commas; then parameters, {@code name=value}.
     */
    public static void main(String[] arguments) throws IOException, RunnerException {
        Path file = Path.of(arguments[0]);
        int warmups = Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        var time = TimeValue.milliseconds(Long.parseLong(arguments[3]));
        List<String> rivals = List.of(arguments[4].split(","));
        List<String> parameters = Arrays.asList(arguments).subList(5, arguments.length);

        Map<String, List<BenchmarkResult>> results = new HashMap<>();
        for (int round = 0; round < warmups + rounds; round++) {
            for (int i = 0; i < rivals.size(); i++) {
                // Whoever comes first in a round must not always do so.
                String rival = rivals.get((round + i) % rivals.size());
                RunResult result = iteration(rival, parameters, time);
                if (round >= warmups) {
                    results.computeIfAbsent(rival, name -> new ArrayList<>())
                            .addAll(result.getBenchmarkResults());
                }
            }
        }
        try (var out = new ObjectOutputStream(Files.newOutputStream(file))) {
            out.writeObject(results);
        }
    }

    private static RunResult iteration(String rival, List<String> parameters, TimeValue time)
            throws RunnerException {
        var options =
                new OptionsBuilder()
                        .include("^" + rival.replace(".", "\\.") + "$")
                        .forks(0)
                        // The setup falls into this one, and its garbage into nobody's figure.
                        .warmupIterations(1)
                        .warmupTime(TimeValue.milliseconds(1))
                        .measurementIterations(1)
                        .measurementTime(time)
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT);
        for (String parameter : parameters) {
            int equals = parameter.indexOf('=');
            options.param(parameter.substring(0, equals), parameter.substring(equals + 1));
        }
        return new Runner(options.build()).runSingle();
    }
}
