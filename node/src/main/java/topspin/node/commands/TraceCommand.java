package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import topspin.node.LocalNetwork;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** {@code topspin trace}: where each node saw a transaction, and what became of it. */
@Command(
        name = "trace",
        description =
                "Tells, for each node of a network or for the one that is named, from whom it had a"
                        + " transaction, each step with its time, its block or why it was dropped."
                        + " Nodes remember their last 131,072 transactions; of older ones they know"
                        + " the block, for 1,000 rounds.",
        footer = {
            "",
            "Example:",
            "  topspin trace PVAG2NDPPIGWB2VQT7LDVWTY6DFWCIITPN5ASGFI66JJO2BXFNMA"
        })
public final class TraceCommand implements Runnable {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS", Locale.ROOT).withZone(ZoneOffset.UTC);

    @Parameters(paramLabel = "TXID", description = "Id of the transaction.")
    private String id = "";

    @Mixin private Target target = new Target();
    @Mixin private Output output = new Output();

    @Override
    public void run() {
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        Map<String, String> names = new HashMap<>();
        if (target.isOneNode()) {
            nodes.put("node", target.client());
        } else {
            for (LocalNetwork.Member member : target.network().members()) {
                if (member.process().isPresent()) {
                    nodes.put(member.name(), NodeClient.ofFolder(member.folder()));
                }
                member.announced("algod-listen.net")
                        .ifPresent(
                                address ->
                                        names.put(
                                                address.substring(address.lastIndexOf('/') + 1),
                                                member.name()));
            }
            if (nodes.isEmpty()) {
                throw CommandFault.machine(
                        "no node of " + target.directory() + " runs; start it with 'network up'");
            }
        }
        ObjectNode result = Output.newObject().put("id", id);
        ArrayNode all = result.putArray("nodes");
        nodes.forEach(
                (name, node) -> {
                    JsonNode answer = ask(node);
                    ObjectNode entry = all.addObject().put("name", name);
                    entry.setAll((ObjectNode) answer);
                    show(name, answer, names);
                });
        output.object(result);
    }

    private JsonNode ask(NodeClient node) {
        if (!id.matches("[A-Z2-7]{52}")) {
            throw CommandFault.argument(
                    "TXID '" + id + "' is none: 52 characters of A to Z and 2 to 7");
        }
        return node.json("/topspin/trace/" + id);
    }

    private void show(String name, JsonNode answer, Map<String, String> names) {
        StringBuilder head = new StringBuilder(name).append("  ");
        head.append(answer.path("state").asText());
        if (answer.has("round")) {
            head.append(" in round ").append(answer.path("round").asLong());
        }
        if (answer.has("reason")) {
            head.append(": ").append(answer.path("reason").asText());
        }
        output.line(head.toString());
        if (!answer.path("text").asText().isEmpty()) {
            output.line("       " + answer.path("text").asText());
        }
        for (JsonNode step : answer.path("steps")) {
            Instant at = Instant.EPOCH.plus(step.path("at_us").asLong(), ChronoUnit.MICROS);
            String from = answer.path("from").asText();
            boolean first = step.path("step").asText().equals("received");
            output.line(
                    String.format(
                            Locale.ROOT,
                            "       %-9s %s  +%.3f ms%s",
                            step.path("step").asText(),
                            TIME.format(at),
                            step.path("after_us").asLong() / 1e3,
                            first ? "  from " + names.getOrDefault(from, from) : ""));
        }
        if (answer.path("copies").asInt() > 0) {
            output.line("       came again " + answer.path("copies").asInt() + " times");
        }
    }
}
