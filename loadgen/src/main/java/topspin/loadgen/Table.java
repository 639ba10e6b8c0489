package topspin.loadgen;

import static java.util.Locale.ROOT;

import org.HdrHistogram.Histogram;

import java.util.Map;

/** A run's result as text for a terminal. */
final class Table {
    private Table() {}

    static String of(Report report) {
        Measurement run = report.run();
        var out = new StringBuilder();
        line(
                out,
                "asked",
                "%,d (%,.0f/s for %.0f s), offered %,d, late %,d",
                run.asked(),
                run.askedTps(),
                run.seconds(),
                run.offered(),
                run.lateSlots());
        line(out, "accepted", "%,d, rejected %,d", run.accepted(), run.rejectedCount());
        run.rejected().forEach((reason, count) -> line(out, "", "%,d: %s", count, reason));
        line(
                out,
                "confirmed",
                "%,d (%,.1f/s), in blocks %,.1f/s",
                run.confirmed(),
                run.confirmedTps(),
                run.rounds().blockTps());
        Confirmations.Settlement rest = run.settlement();
        line(
                out,
                "not in a block",
                "lost %,d, expired %,d, dropped %,d, never answered %,d",
                rest.lost(),
                rest.expired(),
                rest.dropped().values().stream().mapToLong(Long::longValue).sum(),
                rest.unanswered());
        times(out, "latency ms", run.latencyMicros());
        times(out, "submit ms", run.submitMicros());
        times(out, "propagation ms", run.propagationMicros());
        times(out, "outside block work", run.quietPropagationMicros());
        times(out, "lateness ms", run.latenessMicros());
        RoundFigures.Spread seconds = run.rounds().seconds();
        RoundFigures.Spread sizes = run.rounds().sizes();
        line(
                out,
                "rounds",
                "%d, seconds %.2f / %.2f / %.2f, transactions %,.0f / %,.0f / %,.0f (min, p50, max)",
                run.rounds().whole().size(),
                seconds.min(),
                seconds.p50(),
                seconds.max(),
                sizes.min(),
                sizes.p50(),
                sizes.max());
        if (report.ceilingTps() > 0) {
            line(
                    out,
                    "ceiling",
                    "%,.0f/s: such transactions, %.0f bytes each, in full blocks at this pace",
                    report.ceilingTps(),
                    run.rounds().bytesPerTransaction());
        }
        String heading = "events";
        for (NetworkEvent event : report.events()) {
            line(out, heading, "%.1f s  %s %s", event.seconds(), event.node(), event.event());
            heading = "";
        }
        report.nodes().forEach(node -> process(out, node));
        process(out, report.generator());
        line(out, "verdict", "%s", report.verdict().limit().text());
        line(out, "", "%s", report.verdict().evidence());
        return out.toString();
    }

    private static void times(StringBuilder out, String name, Histogram micros) {
        if (micros.getTotalCount() == 0) {
            return;
        }
        var values = new StringBuilder();
        for (Map.Entry<String, Double> entry : Latencies.summary(micros).entrySet()) {
            values.append(String.format(ROOT, "%s %,.2f  ", entry.getKey(), entry.getValue()));
        }
        line(out, name, "%s", values.toString().stripTrailing());
    }

    private static void process(StringBuilder out, ProcessFigures figures) {
        if (Double.isNaN(figures.cpuSeconds()) && Double.isNaN(figures.heapMibMax())) {
            line(out, figures.name(), "tells no figures of its own");
            return;
        }
        line(
                out,
                figures.name(),
                "%,.0f B/transaction, GC %,.0f ms (longest %,.0f), heap %,.0f MiB (most %,.0f),"
                        + " RSS %,.0f MiB, CPU %.1f s (compiler %.1f)",
                figures.allocatedBytesPerTransaction(),
                figures.gcPauseMillis(),
                figures.gcPauseMaxMillis(),
                figures.heapMibMiddle(),
                figures.heapMibMax(),
                figures.residentMibMax(),
                figures.cpuSeconds(),
                figures.compileSeconds());
    }

    private static void line(StringBuilder out, String name, String format, Object... values) {
        out.append(String.format(ROOT, "%-15s ", name));
        out.append(String.format(ROOT, format, values).replace("NaN", "–")).append('\n');
    }
}
