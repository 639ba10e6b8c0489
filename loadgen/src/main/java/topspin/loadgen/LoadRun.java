package topspin.loadgen;

import org.HdrHistogram.Histogram;

import topspin.loadgen.client.Body;
import topspin.loadgen.client.NodeClient;
import topspin.loadgen.client.SubmitLane;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * One load from its first slot to the last confirmation: warms up, opens the window, looks once a
 * second, drains, and accounts for everything. Runs on the caller's thread.
 */
final class LoadRun implements AutoCloseable {
    /** Connections for submissions to each node. */
    static final int LANES_PER_NODE = 16;

    /** Rounds after the window within which transactions may still confirm. */
    static final int DRAIN_ROUNDS_MAX = 20;

    private static final Duration ROUND_MAX = Duration.ofSeconds(60);
    private static final long SECOND = 1_000_000_000L;
    private static final long LEAD_NANOS = 250_000_000;
    private static final long LOOK_MILLIS_MAX = 900;

    /** The phases of a run, as a person is told of them. */
    enum Phase {
        WARM_UP,
        MEASURED,
        DRAIN
    }

    /** Told of a run while it lasts: once a second. */
    interface Progress {
        /** What has changed since the look before. */
        void second(Phase phase, Second before, Second now);
    }

    private final Session session;
    private final Workload workload;
    private final RatePlan plan;
    private final long firstSlot;
    private final Progress progress;
    private final Segments segments = new Segments();
    private final Window window = new Window();
    private final Signer signer;
    private final Segment firstSegment;
    private final long startNanos;
    private final Schedule schedule;
    private final Outcomes outcomes;
    private final Sender sender;
    private final Confirmations confirmations;
    private final Pacer pacer;
    private final Thread pacerThread;
    private final FirstSeen firstSeen;
    private Second before;

    /**
     * Signs the first segment and connects; the clock starts when this is done.
     *
     * @param firstSlot slots before it are another run's
     * @param secondsMax how long the run lasts at most, for the size of the first segment
     */
    LoadRun(
            Session session,
            Workload workload,
            RatePlan plan,
            long firstSlot,
            long secondsMax,
            Progress progress) {
        this.session = session;
        this.workload = workload;
        this.plan = plan;
        this.firstSlot = firstSlot;
        this.progress = progress;
        Clock clock = session.clock();
        int groupSize = workload.groupSize();
        signer = new Signer(workload, segments, session.rounds(), clock);
        long slots = plan.highest() * secondsMax / groupSize + 1;
        firstSegment = signer.signFirst(firstSlot, plan.highest(), firstSlot + slots);
        startNanos = clock.nanos() + LEAD_NANOS;
        schedule = new Schedule(firstSlot, startNanos, plan.first(), groupSize);
        outcomes = new Outcomes(schedule, segments, window, groupSize);
        sender =
                new Sender(
                        session.loop(), clock, segments, outcomes, firstSlot, openLanes(outcomes));
        confirmations =
                new Confirmations(
                        session.nodes(),
                        segments,
                        schedule,
                        window,
                        groupSize,
                        clock,
                        session.params().genesisId(),
                        session.params().genesisHash(),
                        firstSlot,
                        session.rounds().highest(),
                        sender::dueEnd);
        pacer = new Pacer(schedule, clock, sender);
        pacerThread = Thread.ofPlatform().name("pacer").unstarted(pacer);
        firstSeen = new FirstSeen(session.nodes());
        before = look();
    }

    private List<List<SubmitLane>> openLanes(Outcomes listener) {
        return onLoop(
                () ->
                        session.nodes().stream()
                                .map(node -> node.openSubmitLanes(LANES_PER_NODE, listener))
                                .toList());
    }

    /**
     * Runs to the end.
     *
     * @param recording whether nodes record where they allocate
     * @throws InterruptedException if somebody ends it
     */
    Measurement measure(Duration duration, WarmUp warmUp, boolean recording)
            throws InterruptedException {
        session.rounds().addListener(confirmations);
        confirmations.start();
        pacerThread.start();
        signer.follow(schedule, firstSegment, plan.highest());

        boolean level = warmUp(warmUp);
        List<NodeClient> recorders = List.of();
        if (recording) {
            recorders = Allocations.start(session.nodes());
            tick(
                    Phase.WARM_UP,
                    session.clock().nanos() + SECOND); // The start of it is over by then.
        }

        long openNanos = openWindow(duration);
        long endNanos = openNanos + duration.toNanos();
        var series = new ArrayList<Second>();
        sleepUntil(openNanos);
        long startMillis = session.wall().millis();
        before = look();
        series.add(before);
        for (long at = openNanos + SECOND; at < endNanos; at += SECOND) {
            series.add(tick(Phase.MEASURED, at));
        }
        series.add(tick(Phase.MEASURED, endNanos));
        long endMillis = session.wall().millis();
        Map<String, List<Allocations.Site>> sites = Allocations.stop(recorders);
        int drainRounds = drain();
        firstSeen.poll();
        return account(
                duration,
                openNanos,
                endNanos,
                startMillis,
                endMillis,
                level,
                drainRounds,
                series,
                sites);
    }

    /** The first slot that no run has used. */
    long endSlot() {
        return Math.max(firstSlot, sender.dueEnd());
    }

    private boolean warmUp(WarmUp warmUp) throws InterruptedException {
        for (long at = startNanos + SECOND; ; at += SECOND) {
            tick(Phase.WARM_UP, at);
            List<Confirmations.Round> rounds = ask(confirmations::rounds);
            Duration elapsed = Duration.ofNanos(at - startNanos);
            if (warmUp.over(rounds, elapsed)) {
                return WarmUp.level(rounds);
            }
        }
    }

    /** Sets the window's slots and the rates within it; answers when the first of them is due. */
    private long openWindow(Duration duration) {
        long first = schedule.slotsDue(session.clock().nanos() + LEAD_NANOS);
        long openNanos = schedule.dueNanos(first);
        List<Long> steps = plan.steps();
        for (int i = 1; i < steps.size(); i++) {
            long boundary = openNanos + duration.toNanos() / steps.size() * i;
            schedule.changeRate(schedule.slotsDue(boundary), steps.get(i));
        }
        long end = schedule.slotsDue(openNanos + duration.toNanos() - 1);
        schedule.endAt(end);
        window.open(first, end);
        if (sender.dueEnd() > first) {
            throw new LoadFault(
                    LoadFault.MACHINE_REFUSED,
                    "the generator stood still for a quarter of a second; the machine is overloaded");
        }
        return openNanos;
    }

    /** Waits for what is under way; answers how many rounds that took. */
    private int drain() throws InterruptedException {
        Rounds rounds = session.rounds();
        long begin = rounds.highest();
        long last = begin;
        long lastNanos = session.clock().nanos();
        while (last - begin < DRAIN_ROUNDS_MAX) {
            boolean allSent = sender.sentEnd() >= schedule.endSlot(); // The last may be late.
            if (allSent && outcomes.all().inFlight() == 0 && ask(confirmations::unsettled) == 0) {
                break;
            }
            tick(Phase.DRAIN, session.clock().nanos() + SECOND / 4);
            if (rounds.highest() > last) {
                last = rounds.highest();
                lastNanos = session.clock().nanos();
            } else if (session.clock().nanos() - lastNanos > ROUND_MAX.toNanos()) {
                break;
            }
        }
        return (int) (last - begin);
    }

    private Measurement account(
            Duration duration,
            long openNanos,
            long endNanos,
            long startMillis,
            long endMillis,
            boolean level,
            int drainRounds,
            List<Second> series,
            Map<String, List<Allocations.Site>> sites) {
        closeLanes(); // What has no answer now will have none.
        Tally tally = outcomes.measured();
        Confirmations.Settlement settlement = ask(confirmations::settle);
        Map<String, Long> rejected = onLoop(outcomes::reasons);
        Map<String, Long> silences = onLoop(outcomes::silences);
        Histogram submit = onLoop(() -> outcomes.submitMicros().copy());
        Histogram lateness = onLoop(() -> outcomes.latenessMicros().copy());
        Histogram latency = ask(() -> confirmations.latencyMicros().copy());
        List<Confirmations.Round> rounds = ask(confirmations::rounds);
        return new Measurement(
                (window.endSlot() - window.firstSlot()) * workload.groupSize(),
                window.endSlot() - window.firstSlot(),
                duration.toNanos() / (double) SECOND,
                startMillis,
                endMillis,
                openNanos,
                tally.offered.get(),
                tally.accepted.get(),
                rejected,
                silences,
                confirmations.confirmedMeasured(),
                settlement,
                tally.lateSlots.get(),
                Second.poolLevel(series),
                drainRounds,
                (openNanos - startNanos) / (double) SECOND,
                level,
                latency,
                submit,
                lateness,
                firstSeen.propagationMicros(startMillis, endMillis, false),
                firstSeen.propagationMicros(startMillis, endMillis, true),
                RoundFigures.of(rounds, openNanos, endNanos),
                List.copyOf(series),
                session.nodes().stream().map(NodeClient::name).toList(),
                sites,
                confirmations.fault());
    }

    /** Looks at a moment and tells of what has changed since the last look. */
    private Second tick(Phase phase, long atNanos) throws InterruptedException {
        sleepUntil(atNanos);
        Second now = look();
        if (phase != Phase.DRAIN || now.atNanos() - before.atNanos() >= SECOND) {
            progress.second(phase, before, now);
            firstSeen.poll();
            before = now;
        }
        return now;
    }

    private Second look() {
        List<CompletableFuture<NodeMetrics>> asked =
                session.nodes().stream().map(LoadRun::metrics).toList();
        long now = session.clock().nanos();
        Tally tally = outcomes.all();
        long due = Math.max(firstSlot, schedule.slotsDue(now));
        ProcessSample own = session.own().sample();
        long rejected = tally.refused.get() + tally.unsent.get();
        return new Second(
                now,
                (due - firstSlot) * workload.groupSize(),
                tally.offered.get(),
                tally.accepted.get(),
                rejected,
                confirmations.confirmed(),
                session.rounds().highest(),
                asked.stream().map(CompletableFuture::join).toList(),
                own);
    }

    private static CompletableFuture<NodeMetrics> metrics(NodeClient node) {
        return node.get("/metrics", new Body(16 << 10), Duration.ofMillis(LOOK_MILLIS_MAX))
                .thenApply(
                        reply -> reply.ok() ? NodeMetrics.parse(reply.body()) : NodeMetrics.UNKNOWN)
                .exceptionally(e -> NodeMetrics.UNKNOWN);
    }

    private void sleepUntil(long nanos) throws InterruptedException {
        while (session.clock().nanos() < nanos) {
            session.clock().parkUntil(nanos);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private void closeLanes() {
        onLoop(
                () -> {
                    session.nodes().forEach(NodeClient::closeSubmitLanes);
                    return true;
                });
        onLoop(() -> true); // What the closing set off has run by now.
    }

    private <T> T ask(java.util.function.Supplier<T> question) {
        return Queries.await(confirmations.ask(question));
    }

    private <T> T onLoop(Callable<T> question) {
        var answer = new CompletableFuture<T>();
        session.loop()
                .execute(
                        () -> {
                            try {
                                answer.complete(question.call());
                            } catch (Exception e) {
                                answer.completeExceptionally(e);
                            }
                        });
        return Queries.await(answer);
    }

    /** Stops at once, whatever is under way. */
    @Override
    public void close() {
        pacer.stop();
        pacerThread.interrupt();
        signer.close();
        closeLanes();
        session.rounds().removeListener(confirmations);
        confirmations.close();
    }
}
