package topspin.loadgen;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Two sets of runs, figure by figure: the change of the medians, and whether it exceeds the noise.
 * The figures are tested together (Holm's correction), so that the chance to call equal sets
 * different in any figure is {@link #ALPHA}.
 */
final class Comparison {
    /** The chance to call equal sets different. */
    static final double ALPHA = 0.05;

    /** A figure of a report, and which way is better. */
    private record Figure(String name, boolean moreIsBetter, ToDoubleFunction<JsonNode> of) {}

    /**
     * A figure in both sets.
     *
     * @param change of the median, in percent of the first set's
     * @param probability of such a difference between equal sets
     */
    record Row(
            String figure,
            double medianA,
            double medianB,
            double change,
            double probability,
            Outcome outcome) {}

    /** What can be said of a figure. */
    enum Outcome {
        BETTER("better"),
        WORSE("worse"),
        NO_SIGNIFICANT_CHANGE("no significant change");

        private final String text;

        Outcome(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    private static final List<Figure> FIGURES =
            List.of(
                    new Figure("confirmed_tps", true, path("/confirmed_tps")),
                    new Figure("block_tps", true, path("/block_tps")),
                    new Figure("latency_ms p50", false, path("/latency_ms/p50")),
                    new Figure("latency_ms p99", false, path("/latency_ms/p99")),
                    new Figure("submit_ms p99", false, path("/submit_ms/p99")),
                    new Figure("cpu_us per txn", false, Comparison::cpuMicros),
                    new Figure("node bytes per txn", false, Comparison::nodeBytes),
                    new Figure("node rss_mib max", false, Comparison::nodeResident));

    private final List<Row> rows;
    private final int runsA;
    private final int runsB;

    /**
     * Compares reports.
     *
     * @param a at least one
     * @param b at least one
     */
    Comparison(List<JsonNode> a, List<JsonNode> b) {
        runsA = a.size();
        runsB = b.size();
        rows = decide(measure(a, b));
    }

    List<Row> rows() {
        return rows;
    }

    /** Whether any figure differs. */
    boolean differs() {
        return rows.stream().anyMatch(row -> row.outcome() != Outcome.NO_SIGNIFICANT_CHANGE);
    }

    /** Whether so few runs could show a difference at all. */
    boolean tooFewRuns() {
        return RankTest.leastProbability(runsA, runsB) > ALPHA / Math.max(1, rows.size());
    }

    private static List<Row> measure(List<JsonNode> a, List<JsonNode> b) {
        var rows = new ArrayList<Row>();
        for (Figure figure : FIGURES) {
            double[] valuesA = values(figure, a);
            double[] valuesB = values(figure, b);
            if (valuesA.length < a.size() || valuesB.length < b.size()) {
                continue; // Some run does not tell it.
            }
            double medianA = median(valuesA);
            double medianB = median(valuesB);
            double change = medianA == 0 ? 0 : 100 * (medianB - medianA) / medianA;
            boolean better = medianB > medianA == figure.moreIsBetter();
            rows.add(
                    new Row(
                            figure.name(),
                            medianA,
                            medianB,
                            change,
                            RankTest.probability(valuesA, valuesB),
                            better ? Outcome.BETTER : Outcome.WORSE));
        }
        return rows;
    }

    /** Holm's step-down: the smallest probability is held to the strictest bound. */
    private static List<Row> decide(List<Row> measured) {
        List<Row> byProbability =
                measured.stream().sorted(Comparator.comparingDouble(Row::probability)).toList();
        int significant = 0;
        while (significant < byProbability.size()
                && byProbability.get(significant).probability()
                        <= ALPHA / (byProbability.size() - significant)) {
            significant++;
        }
        List<Row> differing = byProbability.subList(0, significant);
        return measured.stream()
                .map(row -> differing.contains(row) ? row : unchanged(row))
                .toList();
    }

    private static Row unchanged(Row row) {
        return new Row(
                row.figure(),
                row.medianA(),
                row.medianB(),
                row.change(),
                row.probability(),
                Outcome.NO_SIGNIFICANT_CHANGE);
    }

    /** For a person. */
    String text() {
        var out = new StringBuilder();
        out.append(
                String.format(
                        ROOT,
                        "%-20s %14s %14s %9s %8s%n",
                        "figure (median)",
                        "A, " + runsA + " runs",
                        "B, " + runsB + " runs",
                        "change",
                        "p"));
        for (Row row : rows) {
            out.append(
                    String.format(
                            ROOT,
                            "%-20s %,14.2f %,14.2f %+8.2f%% %8.4f  %s%n",
                            row.figure(),
                            row.medianA(),
                            row.medianB(),
                            row.change(),
                            row.probability(),
                            row.outcome().text()));
        }
        out.append(summary());
        return out.append('\n').toString();
    }

    /** In one line. */
    String summary() {
        if (tooFewRuns()) {
            return "too few runs to tell: no difference could exceed the noise; make more of each";
        }
        return differs() ? "significant change" : "no significant change";
    }

    /** For a program. */
    JsonNode json() {
        ObjectNode out = JsonMapper.builder().build().createObjectNode();
        out.put("runs_a", runsA).put("runs_b", runsB).put("alpha", ALPHA);
        out.put("summary", summary());
        ArrayNode list = out.putArray("figures");
        for (Row row : rows) {
            list.addObject()
                    .put("figure", row.figure())
                    .put("median_a", row.medianA())
                    .put("median_b", row.medianB())
                    .put("change_percent", row.change())
                    .put("p", row.probability())
                    .put("outcome", row.outcome().text());
        }
        return out;
    }

    private static double[] values(Figure figure, List<JsonNode> reports) {
        return reports.stream()
                .mapToDouble(figure.of())
                .filter(value -> !Double.isNaN(value))
                .toArray();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static ToDoubleFunction<JsonNode> path(String pointer) {
        return report -> report.at(pointer).asDouble(Double.NaN);
    }

    private static double cpuMicros(JsonNode report) {
        double seconds = report.at("/generator/cpu_s").asDouble(Double.NaN);
        for (JsonNode node : report.path("nodes")) {
            seconds += node.path("cpu_s").asDouble(Double.NaN);
        }
        return 1e6 * seconds / report.path("confirmed").asDouble(Double.NaN);
    }

    private static double nodeBytes(JsonNode report) {
        double sum = 0;
        int count = 0;
        for (JsonNode node : report.path("nodes")) {
            sum += node.path("allocated_bytes_per_txn").asDouble(Double.NaN);
            count++;
        }
        return sum / count;
    }

    private static double nodeResident(JsonNode report) {
        double most = 0;
        for (JsonNode node : report.path("nodes")) {
            most = Math.max(most, node.path("rss_mib_max").asDouble(Double.NaN));
        }
        return most;
    }
}
