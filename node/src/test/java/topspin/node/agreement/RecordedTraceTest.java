package topspin.node.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;
import topspin.codec.params.ConsensusVersions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the state machine of two reference nodes did, event by event: ours does the same.
 *
 * <p>The recording names the kind of each event, not its content. What a node may have received is
 * what the other one had sent by then, so that the contents are found by search: there must be a
 * way to hand over the messages such that every step asks for the recorded actions and deadlines.
 */
final class RecordedTraceTest {
    private static final String FOLDER = "reference/ledger/";

    @Test
    void stockNetworkDoesTheSameStepByStep() {
        replay("v42", rules(ConsensusVersions.V42));
    }

    @Test
    void fastNetworkDoesTheSameStepByStep() {
        replay("fast", rules("fast"));
    }

    private static void replay(String network, AgreementRules rules) {
        List<Vectors.Row> rows =
                Vectors.rows(FOLDER + "trace.jsonl.gz").stream()
                        .filter(row -> row.text("net").equals(network))
                        .filter(row -> !row.text("event").equals("filterTimeout"))
                        .toList();
        assertThat(rows).hasSizeGreaterThan(500);
        // The recording is of some rounds only: each stretch is for itself.
        for (List<Vectors.Row> stretch : stretches(rows)) {
            new TraceSearch(rules).run(stretch);
        }
    }

    private static List<List<Vectors.Row>> stretches(List<Vectors.Row> rows) {
        var byRound = new TreeMap<Long, List<Vectors.Row>>();
        for (Vectors.Row row : rows) {
            byRound.computeIfAbsent(round(row), absent -> new ArrayList<>()).add(row);
        }
        List<List<Vectors.Row>> stretches = new ArrayList<>();
        long last = -1;
        for (long round : byRound.keySet()) {
            if (round != last + 1) {
                stretches.add(new ArrayList<>());
            }
            stretches.getLast().addAll(byRound.get(round));
            last = round;
        }
        stretches.forEach(
                stretch -> stretch.sort(Comparator.comparingLong(row -> row.number("t_ns"))));
        return stretches;
    }

    private static long round(Vectors.Row row) {
        return ((Number) Objects.requireNonNull(row.list("before").getFirst())).longValue();
    }

    @Test
    void filterTimeoutsFollowTheRecordedArrivals() {
        int full = 0;
        for (Vectors.Row row : Vectors.rows(FOLDER + "trace.jsonl.gz")) {
            if (!row.text("event").equals("filterTimeout")) {
                continue;
            }
            boolean isFast = row.text("net").equals("fast");
            AgreementRules rules = rules(isFast ? "fast" : ConsensusVersions.V42);
            long longest = rules.filterTimeout(row.number("period"));
            var history = new ArrivalHistory();
            if (row.has("samples_ns")) {
                for (Object sample : row.list("samples_ns")) {
                    history.store(((Number) Objects.requireNonNull(sample)).longValue());
                }
            }
            if (row.flag("full") && !row.has("samples_ns")) {
                continue; // Where they are left out, nothing can be said.
            }
            full += row.flag("full") ? 1 : 0;
            boolean isDynamic = !isFast && row.number("period") == 0;
            assertThat(isDynamic ? history.timeout(longest, rules.timing()) : longest)
                    .isEqualTo(row.number("result_ns"));
        }
        assertThat(full).isPositive();
    }

    static AgreementRules rules(String version) {
        ConsensusVersions versions = ConsensusVersions.builtIn();
        if (version.equals("fast")) {
            try {
                versions =
                        versions.with(
                                Files.readString(
                                        Vectors.file(FOLDER + "chain_fast/consensus.json")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new AgreementRules(
                version, Objects.requireNonNull(versions.get(version)), Timing.DEFAULT);
    }
}
