package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;

import org.HdrHistogram.Histogram;

import topspin.loadgen.client.Body;
import topspin.loadgen.client.NodeClient;
import topspin.loadgen.client.Reply;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * How long a transaction takes from the first node that sees it to the last: {@code GET
 * /topspin/first-seen} tells of one id in 64 when a node saw it, by the wall clock, which nodes of
 * one machine share. Foreign nodes tell nothing. Owned by one thread.
 */
final class FirstSeen {
    /** Ids remembered, at most. */
    static final int IDS_MAX = 200_000;

    /** Times of work on blocks remembered of each node, at most: the latest. */
    static final int WORK_MAX = 20_000;

    private static final long SLACK_NANOS = 1_000_000;

    /** Work on a block takes less. */
    private static final long WORK_NANOS_MAX = 60_000_000_000L;

    private static final Duration TIME_MAX = Duration.ofMillis(500);

    private final List<NodeClient> nodes;
    private final Map<String, long[]> seen = new HashMap<>();

    /** When each node worked on blocks: its end by its beginning. */
    private final List<NavigableMap<Long, Long>> work = new ArrayList<>();

    private boolean absent;

    FirstSeen(List<NodeClient> nodes) {
        this.nodes = nodes;
        nodes.forEach(node -> work.add(new TreeMap<>()));
    }

    /** Asks all nodes what they have seen lately, if the first answers told anything. */
    void poll() {
        if (absent || nodes.size() < 2) {
            return;
        }
        List<CompletableFuture<Reply>> replies =
                nodes.stream()
                        .map(node -> node.get("/topspin/first-seen", new Body(4096), TIME_MAX))
                        .toList();
        for (int node = 0; node < nodes.size(); node++) {
            try {
                Reply reply = Queries.await(replies.get(node));
                if (!reply.ok()) {
                    absent |= reply.status() == 404;
                    continue;
                }
                JsonNode told = reply.json();
                note(node, told.path("seen"));
                noteWork(node, told.path("block_work"));
            } catch (LoadFault | IOException e) {
                continue; // It may answer the next time.
            }
        }
    }

    void note(int node, JsonNode list) {
        for (JsonNode entry : list) {
            String id = entry.path("id").asText();
            long[] times = seen.get(id);
            if (times == null && seen.size() < IDS_MAX) {
                times = new long[nodes.size()];
                seen.put(id, times);
            }
            if (times != null && times[node] == 0) {
                times[node] = entry.path("at_ns_wall").asLong();
            }
        }
    }

    /**
     * A span is told with every answer, by how long ago it was, and so at times that differ by
     * microseconds: what lies within another, but for a millisecond, is that one.
     */
    void noteWork(int node, JsonNode list) {
        NavigableMap<Long, Long> known = work.get(node);
        for (JsonNode entry : list) {
            long from = entry.path("from_ns_wall").asLong();
            long to = entry.path("to_ns_wall").asLong();
            Map.Entry<Long, Long> before = known.floorEntry(from + SLACK_NANOS);
            if (before == null || before.getValue() < to - SLACK_NANOS) {
                known.put(from, to);
            }
            if (known.size() > WORK_MAX) {
                known.pollFirstEntry();
            }
        }
    }

    /**
     * From first to last sight, of the ids that every node saw, first within the wall-clock span.
     *
     * @param quiet only of those meanwhile no node worked on a block
     */
    Histogram propagationMicros(long fromMillis, long toMillis, boolean quiet) {
        Histogram micros = Latencies.histogram();
        for (long[] times : seen.values()) {
            long first = Arrays.stream(times).min().orElse(0);
            long last = Arrays.stream(times).max().orElse(0);
            long firstMillis = first / 1_000_000;
            if (first > 0
                    && firstMillis >= fromMillis
                    && firstMillis < toMillis
                    && !(quiet && isDisturbed(first, last))) {
                Latencies.record(micros, last - first);
            }
        }
        return micros;
    }

    /** Whether a node worked on a block within the span. */
    private boolean isDisturbed(long first, long last) {
        for (NavigableMap<Long, Long> known : work) {
            for (long to : known.subMap(first - WORK_NANOS_MAX, true, last, true).values()) {
                if (to >= first) {
                    return true;
                }
            }
        }
        return false;
    }
}
