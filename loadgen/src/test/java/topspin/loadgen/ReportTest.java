package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

final class ReportTest {

    @TempDir private Path folder;

    @Test
    void whatWasDoneToNodesStandsInTheSeriesAndTheTable() throws IOException {
        Files.writeString(
                folder.resolve(NetworkEvent.FILE),
                """
                {"at_ms":999,"event":"pause","node":"node1"}
                {"at_ms":1000,"event":"pause","node":"node2"}
                {"at_ms":3500,"event":"resume","node":"node2"}
                {"at_ms":9001,"event":"kill","node":"node2"}
                {"at_ms":20""");
        List<NetworkEvent> events = NetworkEvent.within(folder, 1000, 9000);
        assertThat(events)
                .containsExactly(
                        new NetworkEvent(0, "pause", "node2"),
                        new NetworkEvent(2.5, "resume", "node2"));
        Report report = new SampleRun().report(events);
        JsonNode series = report.json().at("/series/events");
        assertThat(series).hasSize(2);
        assertThat(series.path(1).path("t").doubleValue()).isEqualTo(2.5);
        assertThat(series.path(1).path("event").textValue()).isEqualTo("resume");
        assertThat(series.path(1).path("node").textValue()).isEqualTo("node2");
        assertThat(Table.of(report))
                .containsPattern("events +0.0 s  node2 pause\n +2.5 s  node2 resume\n");
        assertThat(NetworkEvent.within(folder.resolve("none"), 0, Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void hasEveryFieldOfTheSchema() {
        JsonNode json = new SampleRun().report().json();
        assertThat(json.path("schema_version").intValue()).isEqualTo(1);
        for (String field :
                List.of(
                        "asked_tps",
                        "offered",
                        "accepted",
                        "rejected",
                        "confirmed",
                        "confirmed_tps",
                        "block_tps",
                        "lost",
                        "late_slots",
                        "latency_ms",
                        "submit_ms",
                        "propagation_ms",
                        "propagation_quiet_ms",
                        "gossip",
                        "rounds",
                        "nodes",
                        "generator",
                        "series",
                        "top_allocations",
                        "machine",
                        "jdk",
                        "commit",
                        "options",
                        "verdict")) {
            assertThat(json.has(field)).as(field).isTrue();
        }
        for (String times :
                List.of("latency_ms", "submit_ms", "propagation_ms", "propagation_quiet_ms")) {
            assertThat(json.path(times).fieldNames())
                    .toIterable()
                    .containsExactly("p50", "p90", "p99", "p999", "max");
        }
        assertThat(json.at("/gossip/bytes_out").longValue()).isEqualTo(21_200_000);
        assertThat(json.at("/gossip/payload_bytes").longValue()).isEqualTo(20_000_000);
        assertThat(json.at("/gossip/ratio").doubleValue()).isEqualTo(1.06);
        assertThat(json.at("/rounds/seconds").fieldNames())
                .toIterable()
                .containsExactly("min", "p50", "max");
        assertThat(json.at("/rounds/txns").fieldNames())
                .toIterable()
                .containsExactly("min", "p50", "max");
        for (JsonNode process :
                List.of(json.at("/nodes/0"), json.at("/nodes/1"), json.path("generator"))) {
            assertThat(process.fieldNames())
                    .toIterable()
                    .contains(
                            "name",
                            "allocated_bytes_per_txn",
                            "allocated_bytes_per_s",
                            "gc_pause_ms",
                            "heap_mib",
                            "rss_mib_max",
                            "cpu_s",
                            "compile_s",
                            "cpu_us_per_txn",
                            "threads");
        }
        assertThat(json.at("/top_allocations/0/site").textValue()).isEqualTo("topspin.A.b:7");
    }

    @Test
    void figuresAreOfTheWindow() {
        JsonNode json = new SampleRun().report().json();
        assertThat(json.path("asked_tps").doubleValue()).isEqualTo(3_000);
        assertThat(json.path("confirmed_tps").doubleValue()).isEqualTo(2_999);
        // Rounds end at 4.5, 5.5, … 16.5 s; the window is 5 to 15 s: nine are whole within it.
        assertThat(json.at("/rounds/count").intValue()).isEqualTo(9);
        assertThat(json.path("block_tps").doubleValue()).isEqualTo(3_000);
        assertThat(json.at("/nodes/0/allocated_bytes_per_txn").doubleValue())
                .isCloseTo(1e7 / 29_990, within(0.001));
        assertThat(json.at("/nodes/0/allocated_bytes_per_s").doubleValue()).isEqualTo(1e6);
        assertThat(json.at("/nodes/0/gc_pause_ms/total").doubleValue())
                .isCloseTo(10, within(0.001));
        assertThat(json.at("/nodes/0/gc_pause_ms/max").doubleValue()).isCloseTo(2, within(0.001));
        assertThat(json.at("/nodes/0/heap_mib/max").doubleValue()).isEqualTo(110);
        assertThat(json.at("/ceiling/bytes_per_txn").doubleValue()).isEqualTo(200);
        assertThat(json.at("/ceiling/tps").doubleValue()).isEqualTo(26_214); // 5,242,880 / 200
        assertThat(json.at("/nodes/0/compile_s").doubleValue()).isEqualTo(0.5);
        JsonNode busiest = json.at("/nodes/0/threads/0");
        assertThat(busiest.path("threads").textValue()).isEqualTo("verify");
        assertThat(busiest.path("allocated_bytes_per_txn").doubleValue())
                .isCloseTo(1e6 / 29_990, within(0.001));
        assertThat(busiest.path("cpu_us_per_txn").doubleValue())
                .isCloseTo(3e5 / 29_990, within(0.001));
        assertThat(json.at("/series/generator/threads_cpu_s/pool/4").doubleValue()).isEqualTo(0.01);
        assertThat(json.at("/series/nodes/1/threads_allocated_mib_per_s/pool/4").doubleValue())
                .isCloseTo(2e5 / (1 << 20), within(0.001));
        assertThat(json.at("/series/t")).hasSize(10);
        assertThat(json.at("/series/confirmed/3").doubleValue()).isEqualTo(3_000);
        assertThat(json.at("/series/nodes/1/heap_mib/9").doubleValue()).isEqualTo(110);
    }

    @Test
    void whatNobodyTellsIsAbsentAndNotZero() {
        var sample = new SampleRun();
        sample.nodesTell = false;
        JsonNode json = sample.report().json();
        assertThat(json.at("/nodes/0").fieldNames()).toIterable().containsExactly("name");
        assertThat(json.has("pool_at_end")).isFalse();
        assertThat(json.at("/series/pool/0").isNull()).isTrue();
    }

    @Test
    void verdictsNameWhatLimits() {
        assertThat(new SampleRun().report().verdict().limit()).isEqualTo(Verdict.Limit.NONE);

        var late = new SampleRun();
        late.confirmed = 20_000;
        late.lateSlots = 3_000;
        assertThat(late.report().verdict().limit()).isEqualTo(Verdict.Limit.GENERATOR);

        var unsent = new SampleRun();
        unsent.offered = 20_000;
        unsent.confirmed = 20_000;
        unsent.rejected = new TreeMap<>(Map.of(Sender.NOT_SIGNED, 10_000L));
        assertThat(unsent.report().verdict().limit()).isEqualTo(Verdict.Limit.GENERATOR);

        var refused = new SampleRun();
        refused.confirmed = 20_000;
        refused.rejected = new TreeMap<>(Map.of("transaction pool has reached capacity", 10_000L));
        assertThat(refused.report().verdict().limit()).isEqualTo(Verdict.Limit.NODE);
        assertThat(refused.report().verdict().evidence()).contains("reached capacity");

        var busy = new SampleRun();
        busy.perRound = 2_500;
        busy.cpuSeconds = 7;
        assertThat(busy.report().verdict().limit()).isEqualTo(Verdict.Limit.NODE);

        var slowRounds = new SampleRun();
        slowRounds.perRound = 2_500;
        assertThat(slowRounds.report().verdict().limit()).isEqualTo(Verdict.Limit.CONSENSUS);

        var piledUp = new SampleRun();
        piledUp.pool = 9_000;
        assertThat(piledUp.report().verdict().limit())
                .as("a pool that grew is not held, whatever the rates")
                .isNotEqualTo(Verdict.Limit.NONE);
    }

    @Test
    void writesAPageThatRefersToNothingOutside() throws IOException {
        Report report = new SampleRun().report();
        report.write(folder, new SampleRun().report().json());
        String page = Files.readString(folder.resolve("index.html"));
        assertThat(page)
                .contains("uPlot")
                .contains("prefers-color-scheme: dark")
                .contains("@media print");
        assertThat(page.replaceAll("href=\"data:,\"", ""))
                .doesNotContainPattern("(?i)(src|href)\\s*=")
                .doesNotContainPattern("(?i)@import")
                .doesNotContainPattern("(?i)url\\(");
        assertThat(page).as("a node's words stay words").doesNotContain("overspend </script>");
        assertThat(page).doesNotContain("{{uplot-js}}").doesNotContain("{{run}}");
        String start = "<script type=\"application/json\" id=\"run\">";
        String embedded = page.substring(page.indexOf(start) + start.length());
        JsonNode read =
                JsonMapper.builder()
                        .build()
                        .readTree(embedded.substring(0, embedded.indexOf("</script>")));
        assertThat(read.at("/rejected").fieldNames())
                .toIterable()
                .containsExactly("overspend </script> {{run}}");
    }

    @Test
    void writesTheWholeHistograms() throws IOException {
        new SampleRun().report().write(folder, null);
        var tags = new ArrayList<String>();
        try (var reader = new HistogramLogReader(folder.resolve("latency.hlog").toFile())) {
            for (var next = reader.nextIntervalHistogram();
                    next != null;
                    next = reader.nextIntervalHistogram()) {
                tags.add(next.getTag());
                assertThat(((Histogram) next).getTotalCount()).isEqualTo(1_000);
            }
        }
        assertThat(tags).containsExactly("latency", "submit", "lateness", "propagation");
    }

    @Test
    void readsBackWhatItWroteAndRefusesOtherFiles() throws IOException {
        Report report = new SampleRun().report();
        report.write(folder, null);
        assertThat(Report.read(folder)).isEqualTo(Report.read(folder.resolve("report.json")));
        Path other = Files.writeString(folder.resolve("other.json"), "{\"a\":1}", UTF_8);
        assertThatThrownBy(() -> Report.read(other))
                .isInstanceOf(LoadFault.class)
                .hasMessageContaining("no report of schema version 1");
        assertThatThrownBy(() -> Report.read(folder.resolve("none.json")))
                .isInstanceOf(LoadFault.class)
                .hasMessageContaining("cannot be read");
    }

    @Test
    void theTableHasNoHoles() {
        String table = Table.of(new SampleRun().report());
        assertThat(table)
                .contains("asked")
                .contains("held")
                .contains("node2")
                .doesNotContain("NaN");
        var silent = new SampleRun();
        silent.nodesTell = false;
        assertThat(Table.of(silent.report())).contains("tells no figures").doesNotContain("NaN");
    }
}
