package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;

import org.HdrHistogram.Histogram;

import topspin.loadgen.client.Body;
import topspin.loadgen.client.NodeClient;
import topspin.loadgen.client.Reply;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * How long a transaction takes from the first node that sees it to the last: {@code GET
 * /topspin/first-seen} tells of one id in 64 when a node saw it, by the wall clock, which nodes of
 * one machine share. Foreign nodes tell nothing. Owned by one thread.
 */
final class FirstSeen {
    /** Ids remembered, at most. */
    static final int IDS_MAX = 200_000;

    private static final Duration TIME_MAX = Duration.ofMillis(500);

    private final List<NodeClient> nodes;
    private final Map<String, long[]> seen = new HashMap<>();
    private boolean absent;

    FirstSeen(List<NodeClient> nodes) {
        this.nodes = nodes;
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
                note(node, reply.json().path("seen"));
            } catch (LoadFault | IOException e) {
                continue; // It may answer the next time.
            }
        }
    }

    private void note(int node, JsonNode list) {
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
     * From first to last sight, of the ids that every node saw, first within the wall-clock span.
     */
    Histogram propagationMicros(long fromMillis, long toMillis) {
        Histogram micros = Latencies.histogram();
        for (long[] times : seen.values()) {
            long first = Arrays.stream(times).min().orElse(0);
            long last = Arrays.stream(times).max().orElse(0);
            long firstMillis = first / 1_000_000;
            if (first > 0 && firstMillis >= fromMillis && firstMillis < toMillis) {
                Latencies.record(micros, last - first);
            }
        }
        return micros;
    }
}
