package topspin.loadgen;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.databind.JsonNode;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.Ed25519;
import topspin.loadgen.client.Endpoint;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The whole scenario: a network, accounts with money, a run or a search for the highest rate, a
 * report.
 */
final class PingPong {
    private static final Duration TRIAL = Duration.ofSeconds(30);
    private static final Duration SEARCH_MAX = Duration.ofMinutes(15);
    private static final double STEP = 1.05;
    private static final long SEARCH_FROM = 1_000;

    /**
     * Rounds that transactions of a rate that holds may take to confirm, at the 99th percentile.
     */
    private static final int ROUNDS_OF_LATENCY_MAX = 2;

    /** Seconds of load planned for beyond warm-up and window: recordings start, rounds end. */
    private static final long SPARE_SECONDS = 15;

    /**
     * What is asked, checked.
     *
     * @param fee null for the network's least
     * @param options as given and defaulted, by name, for the report
     */
    record Wish(
            Rate rate,
            Duration duration,
            WarmUp warmUp,
            int accounts,
            long seed,
            Mix mix,
            int groupSize,
            int noteBytes,
            long amountMin,
            long amountMax,
            @Nullable Long fee,
            boolean leases,
            boolean rekeys,
            double minConfirmed,
            Path report,
            @Nullable JsonNode baseline,
            boolean recording,
            Map<String, String> options) {}

    private final Wish wish;
    private final PrintWriter out;
    private final PrintWriter progress;
    private final boolean json;
    private final Path home;
    private final Clock clock;
    private final InstantSource wall;
    private String protocol = "unknown";
    private @Nullable Path network;

    /**
     * Results go to {@code out}, all else to {@code progress}.
     *
     * @param json whether the result is the report itself
     * @param home a folder of the checkout that this program was built from
     */
    PingPong(
            Wish wish,
            PrintWriter out,
            PrintWriter progress,
            boolean json,
            Path home,
            Clock clock,
            InstantSource wall) {
        this.wish = wish;
        this.out = out;
        this.progress = progress;
        this.json = json;
        this.home = home;
        this.clock = clock;
        this.wall = wall;
    }

    /** Makes a network, loads it, and takes it down again. */
    int runOn(TemporaryNetwork.Wish network) throws InterruptedException {
        say("starting %d nodes …", network.nodes());
        try (var temporary = TemporaryNetwork.start(network)) {
            Path folder = temporary.folder();
            return runOn(folder, LocalNetworkFolder.endpoints(folder), Wallet.ofNetwork(folder));
        }
    }

    /**
     * Loads a local network that runs; the report has what is done to its nodes meanwhile.
     *
     * @return as {@link #run} does
     */
    int runOn(Path folder, List<Endpoint> endpoints, List<Ed25519.KeyPair> wallet)
            throws InterruptedException {
        network = folder;
        return run(endpoints, wallet);
    }

    /**
     * Loads a network that runs.
     *
     * @return 0, or 1 if it did not reach what was asked
     */
    int run(List<Endpoint> endpoints, List<Ed25519.KeyPair> wallet) throws InterruptedException {
        try (Session session = Session.open(endpoints, clock, wall)) {
            protocol = session.params().protocol();
            long fee = wish.fee() != null ? wish.fee() : session.params().minFee();
            var shape =
                    new Shape(
                            wish.seed(),
                            wish.mix(),
                            wish.groupSize(),
                            wish.noteBytes(),
                            wish.amountMin(),
                            wish.amountMax(),
                            fee,
                            wish.leases(),
                            wish.rekeys());
            var accounts = new Accounts(wish.seed(), wish.accounts());
            var load = new Load(session, accounts, new Funding(session, accounts, wallet), shape);
            Report report =
                    switch (wish.rate()) {
                        case Rate.Planned(RatePlan plan) ->
                                report(
                                        load.run(
                                                plan,
                                                wish.duration(),
                                                wish.warmUp(),
                                                wish.recording()),
                                        List.of());
                        case Rate.Highest() -> search(load);
                    };
            return conclude(report);
        }
    }

    /** Runs against one network, one after the other. */
    private final class Load {
        private final Session session;
        private final Accounts accounts;
        private final Funding funding;
        private final Shape shape;
        private @Nullable Workload workload;
        private long nextSlot;

        Load(Session session, Accounts accounts, Funding funding, Shape shape) {
            this.session = session;
            this.accounts = accounts;
            this.funding = funding;
            this.shape = shape;
        }

        Measurement run(RatePlan plan, Duration duration, WarmUp warmUp, boolean recording)
                throws InterruptedException {
            long seconds = duration.toSeconds() + warmUp.longest().toSeconds() + SPARE_SECONDS;
            say("funding %,d accounts …", accounts.size());
            funding.ensure(plan.highest() * seconds, shape);
            Workload load = workload;
            if (load == null) {
                Workload.Assets assets = funding.prepare(shape.mix());
                Queries.Params params = session.params();
                load =
                        new Workload(
                                shape, accounts, assets, params.genesisId(), params.genesisHash());
                workload = load;
            }
            say("signing …");
            try (var run =
                    new LoadRun(session, load, plan, nextSlot, seconds, PingPong.this::tell)) {
                tellHeads();
                Measurement measurement = run.measure(duration, warmUp, recording);
                nextSlot = run.endSlot();
                return measurement;
            }
        }
    }

    /** The highest rate that holds, by bisection, and a run of the full length just below it. */
    private Report search(Load load) throws InterruptedException {
        var trials = new ArrayList<Report.Trial>();
        long deadline = clock.nanos() + SEARCH_MAX.toNanos();
        int low = -1; // Highest step that held.
        int high = Integer.MAX_VALUE; // Lowest that did not.
        int stride = 16; // Steps of 5 %: a little more than double.
        int step = stride;
        while (high - low > 1 && clock.nanos() < deadline) {
            long tps = tps(step);
            say("trying %,d/s …", tps);
            Measurement run = load.run(RatePlan.steady(tps), TRIAL, wish.warmUp(), false);
            boolean holds = holds(run);
            trials.add(
                    new Report.Trial(
                            tps,
                            holds,
                            run.confirmedTps(),
                            Latencies.millis(run.latencyMicros(), 99),
                            run.rejectedCount()));
            say("%,d/s %s", tps, holds ? "holds" : "is too much");
            if (holds) {
                low = step;
            } else {
                high = step;
            }
            step = high == Integer.MAX_VALUE ? step + stride : (low + high) / 2;
            if (step < 0 || tps(step) > Rate.TPS_MAX) {
                break;
            }
        }
        long tps = tps(Math.max(0, low - 1));
        say("confirming %,d/s …", tps);
        Measurement run =
                load.run(RatePlan.steady(tps), wish.duration(), wish.warmUp(), wish.recording());
        return report(run, trials);
    }

    private static long tps(int step) {
        return Math.round(SEARCH_FROM * Math.pow(STEP, step));
    }

    private static boolean holds(Measurement run) {
        double latencyMax = ROUNDS_OF_LATENCY_MAX * 1_000 * run.rounds().seconds().p50();
        return run.fault() == null
                && run.rejectedCount() == 0
                && run.settlement().lost() == 0
                && run.settlement().unanswered() == 0
                && run.confirmed() == run.asked()
                && Latencies.millis(run.latencyMicros(), 99) < latencyMax;
    }

    private Report report(Measurement run, List<Report.Trial> trials) {
        var options = new TreeMap<String, String>(wish.options());
        options.put("protocol", protocol);
        List<NetworkEvent> events =
                network == null
                        ? List.of()
                        : NetworkEvent.within(network, run.startMillis(), run.endMillis());
        return new Report(run, Machine.here(), Machine.commit(home), options, trials, events);
    }

    private int conclude(Report report) {
        try {
            report.write(wish.report(), wish.baseline());
        } catch (IOException e) {
            throw new LoadFault(
                    LoadFault.MACHINE_REFUSED,
                    "--report " + wish.report() + ": cannot be written: " + e.getMessage(),
                    e);
        }
        if (json) {
            out.println(report.text());
        } else {
            out.println();
            out.print(Table.of(report));
            out.println("report          " + wish.report().resolve(Report.PAGE_FILE));
        }
        out.flush();
        Measurement run = report.run();
        double share = 100.0 * run.confirmed() / Math.max(1, run.asked());
        boolean reached =
                share >= wish.minConfirmed() && run.settlement().lost() == 0 && run.fault() == null;
        return reached ? 0 : LoadFault.NOT_REACHED;
    }

    private void say(String format, Object... values) {
        progress.println(String.format(ROOT, format, values));
        progress.flush();
    }

    private void tellHeads() {
        say("%9s %9s %9s %9s %9s %8s", "", "asked/s", "accepted", "confirmed", "pool", "round");
    }

    private void tell(LoadRun.Phase phase, Second before, Second now) {
        String name =
                switch (phase) {
                    case WARM_UP -> "warm-up";
                    case MEASURED -> "measured";
                    case DRAIN -> "drain";
                };
        long rejected = now.rejected() - before.rejected();
        say(
                "%9s %,9d %,9d %,9d %9s %8d%s",
                name,
                now.asked() - before.asked(),
                now.accepted() - before.accepted(),
                now.confirmed() - before.confirmed(),
                Double.isNaN(now.pool()) ? "–" : String.format(ROOT, "%,.0f", now.pool()),
                now.round(),
                rejected == 0 ? "" : String.format(ROOT, "   rejected %,d", rejected));
    }
}
