package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;

/**
 * The generator alone, against an endpoint that takes everything: it must never be what limits a
 * run. Needs a machine with nothing else to do, so it runs with the long tests.
 */
@Tag("long")
@Timeout(300)
final class ThroughputTest {
    private static final long TPS = 30_000;
    private static final long SECONDS = 5;

    @TempDir private Path folder;

    /** What the threads that are the generator's, not the endpoint's, have used. */
    private record Use(double cpuSeconds, long allocatedBytes) {
        static Use now() {
            var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            double nanos = 0;
            long bytes = 0;
            for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
                String name = info == null ? "" : info.getThreadName();
                if (name.equals("pacer")
                        || name.equals("confirmations")
                        || name.toLowerCase(Locale.ROOT).contains("eventloop")) {
                    nanos += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
                    bytes += Math.max(0, threads.getThreadAllocatedBytes(info.getThreadId()));
                }
            }
            return new Use(nanos / 1e9, bytes);
        }
    }

    @Test
    void offersThirtyThousandASecondWithOneProcessor() throws IOException, InterruptedException {
        try (var chain = new StubChain();
                StubNode node = StubNode.onUnix("sink", chain, folder.resolve("s"));
                Session session =
                        Session.open(
                                List.of(node.endpoint()), Clock.SYSTEM, InstantSource.system())) {
            node.sink();
            chain.everyMillis(500);
            var shape = new Shape(1, Mix.parse("pay=100"), 1, 8, 1, 1_000, 1_000, false, false);
            var workload =
                    new Workload(
                            shape,
                            new Accounts(1, 500),
                            Workload.Assets.NONE,
                            StubChain.GENESIS_ID,
                            StubChain.GENESIS_HASH);
            Use[] use = new Use[2];
            LoadRun.Progress progress =
                    (phase, before, now) -> {
                        int end = phase == LoadRun.Phase.MEASURED ? 1 : 0;
                        if (phase != LoadRun.Phase.DRAIN) {
                            use[end] = Use.now();
                        }
                    };
            // Nothing confirms here, so the drain has no rounds to wait for beyond its limit.
            try (var run = new LoadRun(session, workload, RatePlan.steady(TPS), 0, 12, progress)) {
                var warmUp = new WarmUp(Duration.ofSeconds(5));
                Measurement measured = run.measure(Duration.ofSeconds(SECONDS), warmUp, false);
                double share = (use[1].cpuSeconds() - use[0].cpuSeconds()) / SECONDS;
                long allocated = use[1].allocatedBytes() - use[0].allocatedBytes();
                String figures =
                        String.format(
                                Locale.ROOT,
                                "offered %d, late %d, lateness p99 %.3f ms, %.2f processors, %.2f us a"
                                        + " transaction, %.1f B allocated a transaction",
                                measured.offered(),
                                measured.lateSlots(),
                                Latencies.millis(measured.latenessMicros(), 99),
                                share,
                                1e6 * share / TPS,
                                (double) allocated / (TPS * SECONDS));
                System.getLogger("throughput").log(System.Logger.Level.INFO, figures);
                assertThat(measured.offered()).isEqualTo(TPS * SECONDS);
                assertThat(measured.accepted()).isEqualTo(TPS * SECONDS);
                assertThat(share).as("processors").isLessThan(1);
                assertThat(Latencies.millis(measured.latenessMicros(), 99)).isLessThan(1);
            }
        }
    }
}
