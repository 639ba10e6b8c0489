package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;

import org.jspecify.annotations.Nullable;

import topspin.loadgen.client.NodeClient;
import topspin.loadgen.client.Reply;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Has each node record where it allocates, and asks for the answer: {@code POST
 * /topspin/recording/start} and {@code stop}, with the admin token. A node without these has no
 * such figures.
 */
final class Allocations {
    /**
     * A place in the node's code.
     *
     * @param bytes allocated there, as sampled
     * @param share of all that was sampled, 0 to 1
     */
    record Site(String site, long bytes, double share) {}

    private static final Duration TIME_MAX = Duration.ofSeconds(30);

    private Allocations() {}

    /** Starts recording at every node that can; returns those that do. */
    static List<NodeClient> start(List<NodeClient> nodes) {
        var recording = new ArrayList<NodeClient>();
        for (NodeClient node : nodes) {
            if (node.endpoint().adminToken() == null && !node.endpoint().socketNeedsNoToken()) {
                continue;
            }
            if (reply(node, "/topspin/recording/start") != null) {
                recording.add(node);
            }
        }
        return recording;
    }

    /** Stops the recordings and returns the top sites by node name. */
    static Map<String, List<Site>> stop(List<NodeClient> recording) {
        var sites = new LinkedHashMap<String, List<Site>>();
        for (NodeClient node : recording) {
            Reply reply = reply(node, "/topspin/recording/stop");
            if (reply == null) {
                continue;
            }
            try {
                sites.put(node.name(), sites(reply.json()));
            } catch (IOException e) {
                continue; // Not JSON: no figures.
            }
        }
        return sites;
    }

    private static List<Site> sites(JsonNode json) {
        var sites = new ArrayList<Site>();
        for (JsonNode site : json.path("top_allocations")) {
            sites.add(
                    new Site(
                            site.path("site").asText(),
                            site.path("bytes").asLong(),
                            site.path("share").asDouble()));
        }
        return List.copyOf(sites);
    }

    private static @Nullable Reply reply(NodeClient node, String path) {
        try {
            Reply reply = Queries.await(node.askPrivate("POST", path, TIME_MAX));
            return reply.ok() ? reply : null;
        } catch (LoadFault e) {
            return null;
        }
    }
}
