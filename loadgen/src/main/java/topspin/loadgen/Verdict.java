package topspin.loadgen;

import static java.util.Locale.ROOT;

import java.util.List;

/**
 * Whether the network held the rate and, if not, what limited the run.
 *
 * @param evidence the figures that say so, for a person
 */
record Verdict(Limit limit, String evidence) {
    /** What limited a run. */
    enum Limit {
        NONE("held"),
        GENERATOR("generator-limited"),
        NODE("node-limited"),
        CONSENSUS("consensus-limited");

        private final String text;

        Limit(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    private static final double HELD_SHARE = 0.99;
    private static final double LATE_SHARE_MAX = 0.01;
    private static final double SUBMIT_MILLIS_MAX = 1_000;
    private static final double BUSY_SHARE = 0.9;

    /**
     * Judges a run.
     *
     * @param nodes in order
     * @param processors of the machine, which nodes and generator are held to share
     */
    static Verdict of(
            Measurement run, List<ProcessFigures> nodes, ProcessFigures generator, int processors) {
        double asked = run.askedTps();
        double oneBlock =
                Math.max(run.rounds().sizes().max(), asked * run.rounds().seconds().max());
        boolean rates =
                run.confirmedTps() >= HELD_SHARE * asked
                        && run.rounds().blockTps() >= HELD_SHARE * asked;
        boolean pool = Double.isNaN(run.poolAtEnd()) || run.poolAtEnd() <= oneBlock;
        String figures =
                String.format(
                        ROOT,
                        "confirmed %.1f %%, blocks %.1f %% of the asked %.0f/s, pool %s at the end",
                        100 * run.confirmedTps() / asked,
                        100 * run.rounds().blockTps() / asked,
                        asked,
                        Double.isNaN(run.poolAtEnd())
                                ? "unknown"
                                : String.format(ROOT, "%.0f", run.poolAtEnd()));
        if (rates && pool && run.fault() == null) {
            return new Verdict(Limit.NONE, figures);
        }
        if (run.fault() != null) {
            return new Verdict(Limit.NODE, run.fault() + "; " + figures);
        }
        return limited(run, nodes, generator, processors, figures);
    }

    private static Verdict limited(
            Measurement run,
            List<ProcessFigures> nodes,
            ProcessFigures generator,
            int processors,
            String figures) {
        long unsigned = run.rejected().getOrDefault(Sender.NOT_SIGNED, 0L);
        long refused = run.rejectedCount() - unsigned;
        double lateness = Latencies.millis(run.latenessMicros(), 99);
        double submit = Latencies.millis(run.submitMicros(), 99);
        double cpu = generator.cpuSeconds();
        for (ProcessFigures node : nodes) {
            cpu += Double.isNaN(node.cpuSeconds()) ? 0 : node.cpuSeconds();
        }
        boolean refuses = refused > (1 - HELD_SHARE) * run.asked();
        boolean late = run.lateSlots() > LATE_SHARE_MAX * run.slots();
        if (!refuses && (unsigned > (1 - HELD_SHARE) * run.asked() || late)) {
            return new Verdict(
                    Limit.GENERATOR,
                    String.format(
                            ROOT,
                            "%d not signed in time, %d of %d slots late, p99 of lateness %.1f ms, generator's"
                                    + " CPU %.1f s of %.0f s; %s",
                            unsigned,
                            run.lateSlots(),
                            run.slots(),
                            lateness,
                            generator.cpuSeconds(),
                            run.seconds(),
                            figures));
        }
        boolean busy = cpu > BUSY_SHARE * processors * run.seconds();
        if (refuses || busy || submit > SUBMIT_MILLIS_MAX) {
            return new Verdict(
                    Limit.NODE,
                    String.format(
                            ROOT,
                            "%d refused%s, p99 of submission %.1f ms, CPU of nodes and generator"
                                    + " %.0f %% of %d processors; %s",
                            refused,
                            commonest(run),
                            submit,
                            100 * cpu / (processors * run.seconds()),
                            processors,
                            figures));
        }
        return new Verdict(
                Limit.CONSENSUS,
                String.format(
                        ROOT,
                        "all accepted, with %.0f %% of %d processors used; rounds of %.2f s held"
                                + " %.0f transactions; %s",
                        100 * cpu / (processors * run.seconds()),
                        processors,
                        run.rounds().seconds().p50(),
                        run.rounds().sizes().p50(),
                        figures));
    }

    private static String commonest(Measurement run) {
        return run.rejected().entrySet().stream()
                .max(java.util.Map.Entry.comparingByValue())
                .map(entry -> " (mostly: " + entry.getKey() + ")")
                .orElse("");
    }
}
