package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.loadgen.StubNode.Action;
import topspin.loadgen.client.Endpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Whole runs over real sockets: whatever a node does to a transaction, the books say so. */
@Timeout(60)
final class LoadRunTest {
    private static final long TPS = 400;
    private static final Duration MEASURED = Duration.ofSeconds(2);
    private static final WarmUp WARM_UP = new WarmUp(Duration.ofMillis(300));
    private static final long ROUND_MILLIS = 100;

    @TempDir private static Path folder;
    private static int sockets;

    private final StubChain chain = new StubChain();
    private final List<StubNode> nodes = new ArrayList<>();

    @BeforeEach
    void startNodes() throws IOException {
        nodes.add(StubNode.onTcp("one", chain));
        nodes.add(StubNode.onUnix("two", chain, folder.resolve("s" + sockets++)));
        chain.everyMillis(ROUND_MILLIS);
    }

    @AfterEach
    void stopNodes() throws IOException {
        for (StubNode node : nodes) {
            node.close();
        }
        chain.close();
    }

    private Session open() {
        List<Endpoint> endpoints = nodes.stream().map(StubNode::endpoint).toList();
        return Session.open(endpoints, Clock.SYSTEM, InstantSource.system());
    }

    private Measurement run(int groupSize, LoadRun.Progress progress) throws InterruptedException {
        var shape = new Shape(1, Mix.parse("pay=100"), groupSize, 8, 1, 1_000, 1_000, false, false);
        var accounts = new Accounts(1, 50);
        try (var session = open()) {
            var workload =
                    new Workload(
                            shape,
                            accounts,
                            Workload.Assets.NONE,
                            session.params().genesisId(),
                            session.params().genesisHash());
            try (var run = new LoadRun(session, workload, RatePlan.steady(TPS), 0, 10, progress)) {
                return run.measure(MEASURED, WARM_UP, false);
            }
        }
    }

    private Measurement run() throws InterruptedException {
        return run(1, (phase, before, now) -> {});
    }

    /** Every transaction asked for is in exactly one place. */
    private static void assertBalanced(Measurement run) {
        long dropped =
                run.settlement().dropped().values().stream().mapToLong(Long::longValue).sum();
        assertThat(
                        run.confirmed()
                                + run.rejectedCount()
                                + run.settlement().expired()
                                + dropped
                                + run.settlement().lost()
                                + run.settlement().unanswered())
                .isEqualTo(run.asked());
        assertThat(run.fault()).isNull();
    }

    private static long asked() {
        return TPS * MEASURED.toSeconds();
    }

    @Test
    void allThatIsTakenIsConfirmed() throws InterruptedException {
        chain.noEmptyBlocks();
        Measurement run = run();
        assertThat(run.asked()).isEqualTo(asked());
        assertThat(run.offered()).isEqualTo(asked());
        assertThat(run.accepted()).isEqualTo(asked());
        assertThat(run.confirmed()).isEqualTo(asked());
        assertThat(run.settlement().lost()).isZero();
        assertThat(run.latencyMicros().getTotalCount()).isEqualTo(asked());
        assertThat(run.submitMicros().getTotalCount()).isEqualTo(asked());
        assertThat(run.rounds().blockTps()).isCloseTo(TPS, within(0.15 * TPS));
        assertThat(run.rounds().whole()).hasSizeBetween(5, 21);
        assertBalanced(run);
    }

    @Test
    void groupsAreConfirmedMemberByMember() throws InterruptedException {
        chain.noEmptyBlocks();
        Measurement run = run(4, (phase, before, now) -> {});
        assertThat(run.confirmed()).isEqualTo(asked());
        assertThat(run.latencyMicros().getTotalCount()).isEqualTo(asked());
        assertBalanced(run);
    }

    @Test
    void refusalsAreCountedByReason() throws InterruptedException {
        nodes.get(0)
                .policy(
                        (n, group) ->
                                n % 4 == 0
                                        ? new Action.Refuse(
                                                400, "TransactionPool.Remember: overspend " + n)
                                        : new Action.Accept());
        nodes.get(1)
                .policy(
                        (n, group) ->
                                n % 10 == 0
                                        ? new Action.Refuse(503, "backlog full")
                                        : new Action.Accept());
        Measurement run = run();
        assertThat(run.rejected()).containsOnlyKeys("overspend N", "HTTP 503 backlog full");
        assertThat(run.rejected().get("overspend N")).isCloseTo(asked() / 8, within(3L));
        assertThat(run.rejected().get("HTTP 503 backlog full")).isCloseTo(asked() / 20, within(3L));
        assertThat(run.settlement().lost()).isZero();
        assertBalanced(run);
    }

    @Test
    void whatNoBlockHoldsIsLostUnlessTheNodeSaysWhy() throws InterruptedException {
        nodes.get(0)
                .policy(
                        (n, group) ->
                                switch ((int) (n % 40)) {
                                    case 0 -> new Action.Forget();
                                    case 1, 2 -> new Action.Drop("overspend 17");
                                    default -> new Action.Accept();
                                });
        Measurement run = run();
        // On a machine so slow that a hundred rounds pass meanwhile, they expire instead.
        assertThat(run.settlement().lost() + run.settlement().expired())
                .isCloseTo(asked() / 80, within(1L));
        assertThat(run.settlement().dropped()).containsOnlyKeys("overspend N");
        assertThat(run.settlement().dropped().get("overspend N"))
                .isCloseTo(asked() / 40, within(2L));
        assertThat(run.drainRounds()).isGreaterThanOrEqualTo(LoadRun.DRAIN_ROUNDS_MAX);
        assertBalanced(run);
    }

    @Test
    void whatOutlivesItsLastRoundIsExpired() throws InterruptedException {
        nodes.get(0).policy((n, group) -> n % 40 == 0 ? new Action.Forget() : new Action.Accept());
        for (int i = 0; i < 2 * Workload.LIFETIME_ROUNDS; i++) {
            chain.produce(); // First rounds are cut down to tens: the run begins at a round of 200.
        }
        var passed = new CountDownLatch(1);
        Measurement run =
                run(
                        1,
                        (phase, before, now) -> {
                            if (phase == LoadRun.Phase.MEASURED && passed.getCount() > 0) {
                                passed.countDown();
                                for (int i = 0; i < Workload.LIFETIME_ROUNDS; i++) {
                                    chain.produce();
                                }
                            }
                        });
        assertThat(run.settlement().expired()).isPositive();
        assertThat(run.settlement().lost()).isZero();
        assertBalanced(run);
    }

    @Test
    void aHangUpLeavesNothingUnaccounted() throws InterruptedException {
        nodes.get(0)
                .policy((n, group) -> n % 100 == 99 ? new Action.HangUp() : new Action.Accept());
        Measurement run = run();
        assertThat(run.settlement().unanswered()).isPositive();
        assertThat(run.silences()).isNotEmpty();
        assertThat(run.settlement().lost()).isZero();
        assertBalanced(run);
    }

    @Test
    void anUnansweredTransactionInABlockIsConfirmed() throws InterruptedException {
        nodes.get(0)
                .policy(
                        (n, group) -> {
                            if (n % 100 == 99) {
                                chain.submit(group);
                                return new Action.HangUp();
                            }
                            return new Action.Accept();
                        });
        Measurement run = run();
        long silent = run.silences().values().stream().mapToLong(Long::longValue).sum();
        assertThat(silent).isPositive();
        assertThat(run.settlement().unanswered()).isLessThan(silent);
        assertBalanced(run);
    }

    @Test
    void aNodeThatIsGoneStopsNothing() throws InterruptedException {
        nodes.get(1)
                .policy(
                        (n, group) -> {
                            closeSecond();
                            return new Action.HangUp();
                        });
        Measurement run = run();
        assertThat(run.rejected()).containsKey(Sender.NO_CONNECTION);
        assertThat(run.asked()).isEqualTo(asked());
        assertThat(run.confirmed()).isGreaterThanOrEqualTo(asked() / 2 - 1);
        assertBalanced(run);
    }

    private void closeSecond() {
        try {
            nodes.get(1).close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /**
     * The open loop at work: a node that stands still is not spared the transactions due meanwhile.
     */
    @Test
    void aStallShowsWholeInTheLatencies() throws InterruptedException {
        long stallMillis = 800;
        try (var timer = Executors.newSingleThreadScheduledExecutor()) {
            var begun = new CountDownLatch(1);
            Measurement run =
                    run(
                            1,
                            (phase, before, now) -> {
                                if (phase == LoadRun.Phase.MEASURED && begun.getCount() > 0) {
                                    begun.countDown();
                                    var over = new CountDownLatch(1);
                                    nodes.get(0).stall(over);
                                    var unused =
                                            timer.schedule(
                                                    over::countDown,
                                                    stallMillis,
                                                    TimeUnit.MILLISECONDS);
                                }
                            });
            assertThat(Latencies.millis(run.latencyMicros(), 100)).isGreaterThan(0.9 * stallMillis);
            assertThat(Latencies.millis(run.latencyMicros(), 99.9))
                    .isGreaterThan(0.9 * stallMillis);
            assertThat(Latencies.millis(run.submitMicros(), 99)).isGreaterThan(0.7 * stallMillis);
            // Half of the transactions of 0.8 of 2 s are held up, evenly: p90 is half of the stall.
            assertThat(Latencies.millis(run.latencyMicros(), 90)).isGreaterThan(0.3 * stallMillis);
            assertThat(run.offered()).isEqualTo(asked());
            assertThat(run.settlement().lost()).isZero();
            assertBalanced(run);
        }
    }

    @Test
    void confirmedMeansAtTheNodeThatWasAsked() throws InterruptedException {
        var withheld = new CountDownLatch(1);
        Measurement run =
                run(
                        1,
                        (phase, before, now) -> {
                            if (phase == LoadRun.Phase.MEASURED && withheld.getCount() > 0) {
                                withheld.countDown();
                                nodes.get(1).withholdRoundsAfter(chain.round());
                            }
                        });
        assertThat(run.confirmed()).isLessThan((long) (0.9 * asked()));
        assertThat(run.settlement().lost()).isPositive();
        assertBalanced(run);
    }

    @Test
    void aRunNeedsNoFiguresOfAForeignNode() throws InterruptedException {
        Measurement run = run();
        assertThat(run.topAllocations()).isEmpty();
        assertThat(run.propagationMicros().getTotalCount()).isZero();
        assertThat(run.last().nodes().getFirst().process().heapBytes()).isNaN();
        assertThat(run.last().pool()).isNotNaN();
    }

    @Test
    void aSegmentEndsWhereTheNextBegins() throws InterruptedException {
        // Forty rounds of a tenth of a second are less than the run: more than one segment.
        long tps = 50; // A segment is signed in milliseconds, with seconds to do it in.
        var shape = new Shape(1, Mix.parse("pay=100"), 1, 8, 1, 1, 1_000, false, false);
        try (var session = open()) {
            assertThat(session.rounds().await(session.rounds().lowest() + 6, Duration.ofMinutes(1)))
                    .isTrue();
            chain.noEmptyBlocks();
            var workload =
                    new Workload(
                            shape,
                            new Accounts(1, 50),
                            Workload.Assets.NONE,
                            StubChain.GENESIS_ID,
                            StubChain.GENESIS_HASH);
            try (var run =
                    new LoadRun(
                            session,
                            workload,
                            RatePlan.steady(tps),
                            7,
                            60,
                            (phase, before, now) -> {})) {
                Measurement measured = run.measure(Duration.ofSeconds(6), WARM_UP, false);
                assertThat(measured.confirmed()).isEqualTo(6 * tps).isEqualTo(measured.asked());
                assertBalanced(measured);
            }
        }
    }

    @Test
    void ratesOfARampAreKeptStepByStep() throws InterruptedException {
        chain.noEmptyBlocks();
        var shape = new Shape(1, Mix.parse("pay=100"), 1, 8, 1, 1, 1_000, false, false);
        try (var session = open()) {
            var workload =
                    new Workload(
                            shape,
                            new Accounts(1, 50),
                            Workload.Assets.NONE,
                            StubChain.GENESIS_ID,
                            StubChain.GENESIS_HASH);
            RatePlan ramp = RatePlan.ramp(100, 300, 100);
            try (var run =
                    new LoadRun(session, workload, ramp, 0, 10, (phase, before, now) -> {})) {
                Measurement measured = run.measure(Duration.ofSeconds(3), WARM_UP, false);
                assertThat(measured.asked()).isCloseTo(600, within(2L));
                List<Second> series = measured.series();
                for (int second = 1; second <= 3; second++) {
                    long asked = series.get(second).asked() - series.get(second - 1).asked();
                    assertThat(asked).isCloseTo(100L * second, within(80L));
                }
                assertBalanced(measured);
            }
        }
    }
}
