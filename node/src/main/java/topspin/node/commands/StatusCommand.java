package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.locks.LockSupport;

/** {@code topspin status}: how a node is. */
@Command(
        name = "status",
        description = "Says how a node is: round, peers, pool, transactions a second, memory.",
        footer = {"", "Example:", "  topspin status --node 2"})
public final class StatusCommand implements Runnable {
    /** Rounds that the rate is taken over. */
    private static final long RATE_ROUNDS = 10;

    /** Older than this and a node that should see blocks is behind. */
    private static final double STALE_SECONDS = 30;

    private static final double MIB = 1 << 20;

    @Option(names = "--watch", description = "Redraw every second until Ctrl-C.")
    private boolean watch;

    @Mixin private Target target = new Target();
    @Mixin private Output output = new Output();

    @Override
    public void run() {
        NodeClient node = target.client();
        if (!watch) {
            show(node);
            return;
        }
        while (!Thread.interrupted()) {
            if (Output.isTerminal()) {
                output.line("\u001b[H\u001b[2J");
            }
            show(node);
            LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
        }
    }

    private void show(NodeClient node) {
        JsonNode status = node.json("/v2/status");
        long round = status.path("last-round").longValue();
        double age = status.path("time-since-last-round").longValue() / 1e9;
        boolean catchingUp = status.path("catchup-time").longValue() > 0;
        String metrics = metrics(node);
        ObjectNode result = Output.newObject();
        result.put("round", round);
        result.put("seconds_since_round", age);
        result.put("synced", !catchingUp && age < STALE_SECONDS);
        put(result, "peers", metric(metrics, "topspin_net_peers"));
        put(result, "pool", metric(metrics, "algod_tx_pool_count"));
        result.put("tps", rate(node, round));
        put(result, "heap_mib", scale(metric(metrics, "topspin_process_heap_used_bytes")));
        put(result, "rss_mib", scale(metric(metrics, "process_resident_memory_bytes")));
        output.object(result);
        output.line(String.format(Locale.ROOT, "round   %d, %.1f s ago", round, age));
        output.line("synced  " + (result.path("synced").booleanValue() ? "yes" : "no"));
        output.line("peers   " + shown(result, "peers"));
        output.line("pool    " + shown(result, "pool"));
        output.line(
                String.format(
                        Locale.ROOT,
                        "tps     %.1f over the last %d rounds",
                        result.path("tps").doubleValue(),
                        Math.min(RATE_ROUNDS, round)));
        output.line("heap    " + shown(result, "heap_mib") + " MiB");
        output.line("rss     " + shown(result, "rss_mib") + " MiB");
    }

    private static String metrics(NodeClient node) {
        try {
            return node.get("/metrics").text();
        } catch (IOException unreachable) {
            throw node.unreachable(unreachable);
        }
    }

    /** Sum over the labels of one metric in the Prometheus text. */
    private static OptionalDouble metric(String text, String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .reduce(Double::sum);
    }

    private static OptionalDouble scale(OptionalDouble bytes) {
        return bytes.isPresent() ? OptionalDouble.of(bytes.getAsDouble() / MIB) : bytes;
    }

    private static void put(ObjectNode object, String key, OptionalDouble value) {
        if (value.isPresent()) {
            object.put(key, Math.round(value.getAsDouble()));
        }
    }

    private static String shown(ObjectNode object, String key) {
        return object.has(key) ? object.path(key).asText() : "?";
    }

    /**
     * Transactions a second between two headers, from the counter and the clock that blocks carry.
     */
    private static double rate(NodeClient node, long round) {
        JsonNode last = header(node, round);
        JsonNode first = header(node, Math.max(0, round - RATE_ROUNDS));
        if (last == null || first == null) {
            return 0;
        }
        long seconds = last.path("ts").longValue() - first.path("ts").longValue();
        long transactions = last.path("tc").longValue() - first.path("tc").longValue();
        return seconds > 0 && seconds < 1_000_000 ? (double) transactions / seconds : 0;
    }

    private static @Nullable JsonNode header(NodeClient node, long round) {
        try {
            NodeClient.Answer answer = node.get("/v2/blocks/" + round + "?header-only=true");
            return answer.isOk() ? answer.json().path("block") : null;
        } catch (IOException unreachable) {
            throw node.unreachable(unreachable);
        }
    }
}
