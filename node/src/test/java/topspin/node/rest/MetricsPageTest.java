package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;

final class MetricsPageTest {
    private final MetricsPage page = new MetricsPage();

    private String text() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        page.writeTo(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void namesStandAsGiven() throws IOException {
        page.counter("algod_ledger_transactions_total", "help", () -> 7);
        page.gauge("algod_ledger_round", "help", () -> 8);
        page.counters("topspin_drops_total", "help", "reason", s -> s.add("FULL", 9));
        assertThat(text())
                .contains("# TYPE algod_ledger_transactions_total counter\n")
                .contains("\nalgod_ledger_transactions_total 7.0\n")
                .contains("\nalgod_ledger_round 8.0\n")
                .contains("\ntopspin_drops_total{reason=\"FULL\"} 9.0\n");
        assertThatThrownBy(() -> page.counter("topspin_x", "help", () -> 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tellsWhatTheLoadGeneratorReads() throws IOException {
        try (ProcessFigures figures = new ProcessFigures()) {
            figures.addTo(page);
            assertThat(text())
                    .contains("\ntopspin_process_allocated_bytes_total ")
                    .contains("\ntopspin_process_gc_pause_seconds_total ")
                    .contains("\ntopspin_process_gc_pause_recent_max_seconds ")
                    .contains("\ntopspin_process_heap_used_bytes ")
                    .contains("\nprocess_cpu_seconds_total ")
                    .contains("\ntopspin_thread_allocated_bytes{threads=\"main\"} ");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "rest-1, rest",
        "verify-12-3, verify",
        "main, main",
        "'C2 CompilerThread0', C2 CompilerThread",
        "17, unnamed",
        "rest-worker-2, rest-worker",
        "'Thread #5', Thread"
    })
    void threadsOfAKindAreOne(String name, String kind) {
        assertThat(ProcessFigures.kind(name)).isEqualTo(kind);
    }

    @Test
    void aRecordingNamesWhoAllocates(@TempDir Path folder) throws IOException {
        try (Recordings recordings = new Recordings(folder, InstantSource.system())) {
            assertThatThrownBy(recordings::stop).hasMessage("no recording is running");
            recordings.start();
            assertThatThrownBy(recordings::start).hasMessage("a recording is running already");
            byte[] last = new byte[0];
            for (int i = 0; i < 400; i++) {
                last = allocateALot(i);
            }
            Recordings.Result result = recordings.stop();
            assertThat(last).isNotEmpty();
            assertThat(result.file()).isNotEmptyFile();
            assertThat(result.topAllocations())
                    .anyMatch(site -> site.site().contains("MetricsPageTest.allocateALot:"));
            assertThat(result.topAllocations().getFirst().share()).isBetween(0.0, 1.0);
        }
    }

    private static byte[] allocateALot(int i) {
        return new byte[1 << 20 | i];
    }
}
