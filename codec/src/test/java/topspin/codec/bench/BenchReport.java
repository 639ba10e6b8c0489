package topspin.codec.bench;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints what came of benchmarks, in one of three forms. */
final class BenchReport {
    /** Whose eyes it is for. */
    enum Form {
        /** People's: a line per rival, with its ratio to the yardstick. */
        TEXT,
        /** JMH's own tools'. */
        JSON,
        /** {@code benchstat}'s: a line per fork. */
        GO
    }

    private final Form form;
    private final PrintStream out;
    private final List<RunResult> results = new ArrayList<>();

    BenchReport(Form form, PrintStream out) {
        this.form = form;
        this.out = out;
    }

    /** Takes the rivals of one group under one set of parameters; the first is the yardstick. */
    void add(String group, List<String> parameters, boolean hasYardstick, List<Rival> rivals) {
        switch (form) {
            case TEXT -> text(group, parameters, hasYardstick, rivals);
            case GO -> rivals.forEach(rival -> go(group, parameters, rival));
            case JSON -> rivals.forEach(rival -> results.add(rival.toJmh()));
        }
        out.flush();
    }

    /** To be called once, when there is no more. */
    void close() {
        if (form == Form.JSON) {
            ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(results);
        }
        out.flush();
    }

    private void text(
            String group, List<String> parameters, boolean hasYardstick, List<Rival> rivals) {
        out.println(group + (parameters.isEmpty() ? "" : "  " + String.join(" ", parameters)));
        for (Rival rival : rivals) {
            boolean isCompared = hasYardstick && rival != rivals.getFirst();
            out.printf(
                    Locale.ROOT,
                    "  %-18s %-28s %-6s %8s B%s%n",
                    rival.name(),
                    rival.time(),
                    rival.unit(),
                    Median.shown(Math.floor(rival.bytes().value() * 10) / 10),
                    isCompared ? "   × " + rival.ratioTo(rivals.getFirst()) : "");
        }
    }

    private void go(String group, List<String> parameters, Rival rival) {
        var name = new StringBuilder("Benchmark").append(group);
        parameters.forEach(parameter -> name.append('/').append(parameter.replace(' ', '_')));
        name.append('/').append(rival.name());
        double nanos = nanos(rival.unit());
        List<double[]> forks = rival.perFork();
        for (int fork = 0; fork < forks.size(); fork++) {
            out.printf(
                    Locale.ROOT,
                    "%s\t%d\t%.2f ns/op\t%.0f B/op%n",
                    name,
                    rival.forks().get(fork).size(),
                    forks.get(fork)[0] * nanos,
                    forks.get(fork)[1]);
        }
    }

    private static double nanos(String unit) {
        return switch (unit) {
            case "ns/op" -> 1;
            case "us/op" -> 1e3;
            case "ms/op" -> 1e6;
            case "s/op" -> 1e9;
            default -> throw new IllegalArgumentException("not a time per operation: " + unit);
        };
    }
}
