package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import topspin.node.LocalNetwork;
import topspin.node.LocalNetwork.Member;
import topspin.node.devmode.SnapshotFolder;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** {@code network snapshot} and {@code network revert}: all nodes, pools and clock together. */
final class NetworkSnapshots {
    private static final String PATH = "/topspin/snapshots/";

    /** How long a node may take to stop and start again. */
    private static final Duration BACK_MAX = Duration.ofSeconds(60);

    private static final Duration POLL = Duration.ofMillis(20);

    private NetworkSnapshots() {}

    /** {@code network snapshot}. */
    @Command(
            name = "snapshot",
            description =
                    "Keeps how all nodes are: blocks, pools and clock, to go back to as often as"
                            + " wanted (block modes other than agreement). The nodes go on. One of"
                            + " the same name is replaced; 16 are kept, in the nodes' folders, and"
                            + " share with the ledger what has not changed since.",
            footer = {"", "Example:", "  topspin network snapshot before-upgrade"})
    static final class Take implements Runnable {
        @Parameters(paramLabel = "NAME", description = "1 to 64 letters, digits, _ or -.")
        private String name = "";

        @Mixin private NetworkFolder where = new NetworkFolder();

        @Mixin private Output output = new Output();

        @Override
        public void run() {
            Map<Member, NodeClient> nodes = nodes(where.open(), name);
            ObjectNode result = Output.newObject().put("name", name);
            ArrayNode all = result.putArray("nodes");
            // The node that makes the blocks is the last, so that none knows more than it does.
            for (var node : List.copyOf(nodes.entrySet()).reversed()) {
                String member = node.getKey().name();
                JsonNode taken = post(member, node.getValue(), PATH + name);
                ObjectNode entry = all.insertObject(0).put("name", member);
                entry.put("round", taken.path("round").asLong());
                entry.put("waiting", taken.path("waiting").asInt());
                result.put("timestamp", taken.path("timestamp").asLong());
            }
            output.object(result);
            output.line(
                    "kept as "
                            + name
                            + ": round "
                            + all.path(0).path("round").asLong()
                            + ", "
                            + Instant.ofEpochSecond(result.path("timestamp").asLong()));
            for (JsonNode entry : all) {
                output.line(
                        "  "
                                + entry.path("name").asText()
                                + "  round "
                                + entry.path("round").asLong()
                                + ", "
                                + entry.path("waiting").asInt()
                                + " waiting");
            }
        }
    }

    /** {@code network revert}. */
    @Command(
            name = "revert",
            description =
                    "Goes back to a snapshot: blocks, pools and clock of all nodes are as they were"
                            + " then. The nodes serve at the same addresses; what they remember of"
                            + " earlier requests is gone.",
            footer = {"", "Example:", "  topspin network revert before-upgrade"})
    static final class Revert implements Runnable {
        @Parameters(paramLabel = "NAME", description = "A name that 'network snapshot' gave.")
        private String name = "";

        @Mixin private NetworkFolder where = new NetworkFolder();

        @Mixin private Output output = new Output();

        @Override
        public void run() {
            Map<Member, NodeClient> nodes = nodes(where.open(), name);
            nodes.forEach(this::requireSnapshot);
            // All are held before the first goes on: none meets another's future.
            Map<Member, Long> wanted = new LinkedHashMap<>();
            nodes.forEach(
                    (member, node) -> {
                        JsonNode answer = post(member.name(), node, PATH + name + "/revert");
                        wanted.put(member, answer.path("reverts").asLong());
                    });
            wanted.forEach(Revert::awaitBack);
            ObjectNode result = Output.newObject().put("name", name);
            ArrayNode all = result.putArray("nodes");
            for (Member member : nodes.keySet()) {
                NodeClient back = NodeClient.ofFolder(member.folder());
                long round = back.json("/v2/status").path("last-round").asLong();
                var unused = post(member.name(), back, "/topspin/resume");
                all.addObject().put("name", member.name()).put("round", round);
            }
            output.object(result);
            output.line("back at " + name + ": round " + all.path(0).path("round").asLong());
        }

        private void requireSnapshot(Member member, NodeClient node) {
            List<String> names = new ArrayList<>();
            node.json("/topspin/snapshots")
                    .path("snapshots")
                    .forEach(snapshot -> names.add(snapshot.path("name").asText()));
            if (!names.contains(name)) {
                throw CommandFault.argument(
                        member.name()
                                + " has no snapshot '"
                                + name
                                + "'; "
                                + (names.isEmpty()
                                        ? "it has none yet"
                                        : "it has " + String.join(", ", names)));
            }
        }

        /** Polls, since there is nothing to wait on while a node does not serve. */
        private static void awaitBack(Member member, long wanted) {
            long deadline = System.nanoTime() + BACK_MAX.toNanos();
            while (reverts(member) < wanted) {
                if (System.nanoTime() - deadline > 0) {
                    throw CommandFault.machine(
                            member.name()
                                    + " is not back after "
                                    + BACK_MAX.toSeconds()
                                    + " s; see "
                                    + member.folder().resolve("node.log"));
                }
                LockSupport.parkNanos(POLL.toNanos());
            }
        }

        private static long reverts(Member member) {
            try {
                NodeClient.Answer answer =
                        NodeClient.ofFolder(member.folder()).get("/topspin/snapshots");
                return answer.isOk() ? answer.json().path("reverts").asLong() : -1;
            } catch (IOException | CommandFault notYet) {
                return -1;
            }
        }
    }

    /** All nodes, the one that makes the blocks first; or why there can be no snapshot. */
    private static Map<Member, NodeClient> nodes(LocalNetwork network, String name) {
        try {
            SnapshotFolder.checkName(name);
        } catch (IllegalArgumentException wrong) {
            throw CommandFault.argument(String.valueOf(wrong.getMessage()), wrong);
        }
        if (network.plan().agrees()) {
            throw CommandFault.argument(
                    "the nodes of "
                            + network.folder()
                            + " agree on blocks, and there are no snapshots of that; make a network"
                            + " with --blocks instant, interval:1s or manual");
        }
        Map<Member, NodeClient> nodes = new LinkedHashMap<>();
        for (Member member : network.members()) {
            if (member.process().isEmpty()) {
                throw CommandFault.machine(
                        member.name() + " does not run; 'network up' starts the network");
            }
            nodes.put(member, NodeClient.ofFolder(member.folder()));
        }
        return nodes;
    }

    private static JsonNode post(String name, NodeClient node, String path) {
        try {
            NodeClient.Answer answer = node.post(path, new byte[0]);
            if (answer.isOk()) {
                return answer.json();
            }
            String line = name + ": " + answer.message();
            throw answer.status() == 400 ? CommandFault.argument(line) : CommandFault.machine(line);
        } catch (IOException unreachable) {
            throw node.unreachable(unreachable);
        }
    }
}
