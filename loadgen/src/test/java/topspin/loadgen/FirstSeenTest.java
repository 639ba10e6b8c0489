package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.api.Test;

import topspin.loadgen.client.NodeClient;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

final class FirstSeenTest {
    private static final long MILLI = 1_000_000;

    private final FirstSeen firstSeen = new FirstSeen(Arrays.asList(new NodeClient[2]));

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    private void seen(int node, String id, long millis) throws IOException {
        firstSeen.note(node, json("[{'id':'%s','at_ns_wall':%d}]".formatted(id, millis * MILLI)));
    }

    private void worked(int node, long fromMillis, long toMillis, long nanosOff)
            throws IOException {
        firstSeen.noteWork(
                node,
                json(
                        "[{'from_ns_wall':%d,'to_ns_wall':%d}]"
                                .formatted(
                                        fromMillis * MILLI + nanosOff,
                                        toMillis * MILLI + nanosOff)));
    }

    private List<Long> counts() {
        return List.of(
                firstSeen.propagationMicros(1_000, 2_000, false).getTotalCount(),
                firstSeen.propagationMicros(1_000, 2_000, true).getTotalCount());
    }

    @Test
    void whatBothSawWithinTheWindowCounts() throws IOException {
        seen(0, "A", 1_000);
        seen(1, "A", 1_004);
        seen(1, "A", 1_900); // Only the first time counts.
        seen(0, "B", 1_500); // Never seen by the other.
        seen(0, "C", 999);
        seen(1, "C", 1_001);
        assertThat(counts()).containsExactly(1L, 1L);
        assertThat(firstSeen.propagationMicros(1_000, 2_000, false).getMaxValue())
                .isBetween(3_990L, 4_010L);
    }

    @Test
    void whatFellIntoWorkOnABlockIsLeftOutOfTheQuiet() throws IOException {
        seen(0, "A", 1_010); // Before the work.
        seen(1, "A", 1_019);
        seen(0, "B", 1_010); // Into it.
        seen(1, "B", 1_021);
        seen(1, "C", 1_030); // Within it, the other way.
        seen(0, "C", 1_031);
        seen(0, "D", 1_050); // Out of it.
        seen(1, "D", 1_090);
        seen(0, "E", 1_061); // After it.
        seen(1, "E", 1_062);
        worked(1, 1_020, 1_060, 0);
        worked(1, 1_020, 1_060, 700); // The same, told again.
        worked(1, 1_020, 1_060, -700);
        assertThat(counts()).containsExactly(5L, 2L);
    }
}
