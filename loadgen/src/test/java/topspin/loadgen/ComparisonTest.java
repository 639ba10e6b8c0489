package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

final class ComparisonTest {
    private static final int PAIRS = 20;
    private static final int RUNS = 7;

    /** A run whose figures scatter by two percent about those of a machine. */
    private static JsonNode run(Random random, double slowdown) {
        ObjectNode report = JsonMapper.builder().build().createObjectNode();
        report.put("schema_version", 1);
        report.put("confirmed", 180_000);
        report.put("confirmed_tps", noisy(random, 3_000));
        report.put("block_tps", noisy(random, 3_000));
        report.putObject("latency_ms")
                .put("p50", noisy(random, 600 * slowdown))
                .put("p99", noisy(random, 1_100));
        report.putObject("submit_ms").put("p99", noisy(random, 3));
        report.putArray("nodes")
                .addObject()
                .put("cpu_s", noisy(random, 20 * slowdown))
                .put("allocated_bytes_per_txn", noisy(random, 5_000))
                .put("rss_mib_max", noisy(random, 400));
        report.putObject("generator").put("cpu_s", noisy(random, 5));
        return report;
    }

    private static double noisy(Random random, double value) {
        return value * (1 + 0.01 * random.nextGaussian());
    }

    private static Comparison compare(Random random, double slowdown) {
        return new Comparison(runs(random, 1), runs(random, slowdown));
    }

    private static List<JsonNode> runs(Random random, double slowdown) {
        return IntStream.range(0, RUNS).mapToObj(i -> run(random, slowdown)).toList();
    }

    @Test
    void sameAgainstSameIsCalledNoChangeNearlyAlways() {
        var random = new Random(42);
        long quiet = IntStream.range(0, PAIRS).filter(i -> !compare(random, 1).differs()).count();
        assertThat(quiet).isGreaterThanOrEqualTo(18);
    }

    @Test
    void fivePercentAreFoundNearlyAlways() {
        var random = new Random(43);
        long found = IntStream.range(0, PAIRS).filter(i -> compare(random, 1.05).differs()).count();
        assertThat(found).isGreaterThanOrEqualTo(18);
    }

    @Test
    void saysWhichFigureAndWhichWay() {
        var random = new Random(44);
        Comparison comparison = compare(random, 1.2);
        Comparison.Row slower =
                comparison.rows().stream()
                        .filter(row -> row.figure().equals("latency_ms p50"))
                        .findFirst()
                        .orElseThrow();
        assertThat(slower.outcome()).isEqualTo(Comparison.Outcome.WORSE);
        assertThat(slower.change()).isBetween(15.0, 25.0);
        assertThat(comparison.text()).contains("significant change").contains("latency_ms p50");
    }

    @Test
    void saysThatTwoRunsTellNothing() {
        var random = new Random(45);
        var comparison =
                new Comparison(runs(random, 1).subList(0, 2), runs(random, 2).subList(0, 2));
        assertThat(comparison.tooFewRuns()).isTrue();
        assertThat(comparison.summary()).startsWith("too few runs");
    }

    @Test
    void aFigureThatSomeRunLacksIsLeftOut() {
        var random = new Random(46);
        JsonNode bare = run(random, 1);
        ((ObjectNode) bare).putArray("nodes");
        var comparison = new Comparison(List.of(bare, run(random, 1)), runs(random, 1));
        assertThat(comparison.rows())
                .extracting(Comparison.Row::figure)
                .doesNotContain("node bytes per txn")
                .contains("confirmed_tps");
    }
}
