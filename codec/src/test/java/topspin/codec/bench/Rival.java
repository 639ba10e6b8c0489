package topspin.codec.bench;

import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What was measured of one benchmark with one set of parameters: per fork its iterations, in the
 * order of the rounds, which is every rival's.
 *
 * @param name the method's
 * @param forks per fork, one result per round
 */
record Rival(String name, List<List<BenchmarkResult>> forks) {
    /** Time per operation, in the benchmark's unit. */
    Median time() {
        return acrossForks(fork -> median(fork, Rival::score));
    }

    String unit() {
        return forks.getFirst().getFirst().getScoreUnit();
    }

    /** Bytes allocated per operation. */
    Median bytes() {
        return acrossForks(fork -> median(fork, Rival::bytes));
    }

    /** Time as a multiple of the yardstick's: per round, its median per fork, theirs in the end. */
    Median ratioTo(Rival yardstick) {
        var ratios = new double[forks.size()];
        for (int fork = 0; fork < ratios.length; fork++) {
            var rounds = new double[forks.get(fork).size()];
            for (int round = 0; round < rounds.length; round++) {
                rounds[round] =
                        score(forks.get(fork).get(round))
                                / score(yardstick.forks.get(fork).get(round));
            }
            ratios[fork] = Median.of(rounds).value();
        }
        return Median.of(ratios);
    }

    /** Time and bytes of each fork. */
    List<double[]> perFork() {
        List<double[]> figures = new ArrayList<>();
        for (List<BenchmarkResult> fork : forks) {
            figures.add(new double[] {median(fork, Rival::score), median(fork, Rival::bytes)});
        }
        return figures;
    }

    /** All of it in JMH's own terms. */
    RunResult toJmh() {
        List<BenchmarkResult> results = new ArrayList<>();
        for (List<BenchmarkResult> fork : forks) {
            results.add(
                    new BenchmarkResult(
                            fork.getFirst().getParams(),
                            fork.stream()
                                    .flatMap(result -> result.getIterationResults().stream())
                                    .toList()));
        }
        return new RunResult(results.getFirst().getParams(), results);
    }

    private Median acrossForks(ToDoubleFunction<List<BenchmarkResult>> figure) {
        return Median.of(forks.stream().mapToDouble(figure).toArray());
    }

    private static double median(
            List<BenchmarkResult> fork, ToDoubleFunction<BenchmarkResult> figure) {
        return Median.of(fork.stream().mapToDouble(figure).toArray()).value();
    }

    private static double score(BenchmarkResult result) {
        return result.getPrimaryResult().getScore();
    }

    private static double bytes(BenchmarkResult result) {
        Result<?> bytes = result.getSecondaryResults().get("gc.alloc.rate.norm");
        if (bytes == null) {
            throw new IllegalStateException("this JVM does not count what threads allocate");
        }
        return bytes.getScore();
    }
}
