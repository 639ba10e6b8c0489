package topspin.loadgen;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a run may have come to, and how to change it: ten seconds at 3,000 a second. */
final class SampleRun {
    private static final long SECOND = 1_000_000_000L;
    private static final Machine MACHINE = new Machine("Linux 6", "amd64", 2, "A CPU", 8_192, "25");

    long asked = 30_000;
    long offered = 30_000;
    long confirmed = 29_990;
    long lateSlots = 3;
    long perRound = 3_000;
    double pool = 2_900;
    double cpuSeconds = 2;
    boolean nodesTell = true;
    Map<String, Long> rejected = new TreeMap<>(Map.of("overspend </script> {{run}}", 10L));

    Measurement build() {
        var series = new ArrayList<Second>();
        for (int i = 0; i <= 10; i++) {
            ProcessSample process =
                    new ProcessSample(
                            1e6 * i,
                            0.001 * i,
                            0.002,
                            (100 + i) * 1048576.0,
                            3e8,
                            cpuSeconds * i / 10,
                            cpuSeconds * i / 40,
                            Map.of(
                                    "pool", new ProcessSample.ThreadUse(2e5 * i, 0.01 * i),
                                    "verify", new ProcessSample.ThreadUse(1e5 * i, 0.03 * i)));
            NodeMetrics node =
                    nodesTell
                            ? new NodeMetrics(process, pool, 1_060_000.0 * i, 1_000_000.0 * i)
                            : NodeMetrics.UNKNOWN;
            series.add(
                    new Second(
                            5 * SECOND + i * SECOND,
                            3_000L * i,
                            3_000L * i,
                            3_000L * i,
                            i,
                            3_000L * i,
                            10 + i,
                            List.of(node, node),
                            process));
        }
        var rounds = new ArrayList<Confirmations.Round>();
        for (int i = 0; i <= 12; i++) {
            int size = (int) perRound;
            rounds.add(
                    new Confirmations.Round(
                            9 + i, 4_500_000_000L + i * SECOND, size, size, 200L * size));
        }
        return new Measurement(
                asked,
                asked,
                10,
                1_700_000_000_000L,
                1_700_000_010_000L,
                5 * SECOND,
                offered,
                offered - 10,
                rejected,
                Map.of(),
                confirmed,
                new Confirmations.Settlement(0, Map.of(), 0, 0),
                lateSlots,
                nodesTell ? pool : Double.NaN,
                2,
                6,
                true,
                histogram(600_000),
                histogram(2_000),
                histogram(100),
                histogram(3_000),
                histogram(2_000),
                RoundFigures.of(rounds, 5 * SECOND, 15 * SECOND),
                series,
                List.of("node1", "node2"),
                Map.of("node1", List.of(new Allocations.Site("topspin.A.b:7", 1_000, 0.5))),
                null);
    }

    Report report() {
        return report(List.of());
    }

    Report report(List<NetworkEvent> events) {
        return new Report(build(), MACHINE, "abc dirty", Map.of("tps", "3000"), List.of(), events);
    }

    private static Histogram histogram(long aboutMicros) {
        Histogram histogram = Latencies.histogram();
        for (int i = 0; i < 1_000; i++) {
            histogram.recordValue(aboutMicros / 2 + aboutMicros * i / 1_000);
        }
        return histogram;
    }
}
