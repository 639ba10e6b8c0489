package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import topspin.codec.block.Block;
import topspin.loadgen.ProcessSample.ThreadUse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A run as {@code report.json} tells it (cli.md section 4, schema version 1), the page made of it,
 * and the whole histograms. A figure that nobody told is absent, never zero.
 */
final class Report {
    static final int SCHEMA_VERSION = 1;

    /** Names of the files in a report's folder. */
    static final String JSON_FILE = "report.json";

    static final String PAGE_FILE = "index.html";
    static final String HISTOGRAM_FILE = "latency.hlog";

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    private static final double[] PERCENTILES = {
        0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100
    };

    /** A step of the search for the highest rate. */
    record Trial(
            long askedTps, boolean held, double confirmedTps, double p99Millis, long rejected) {}

    private final Measurement run;
    private final List<NetworkEvent> events;
    private final List<ProcessFigures> nodes;
    private final ProcessFigures generator;
    private final Verdict verdict;
    private final ObjectNode json;

    /**
     * Makes the report of a run.
     *
     * @param options as given and defaulted, by name
     * @param trials that led to this run; empty unless it was searched for
     */
    Report(
            Measurement run,
            Machine machine,
            String commit,
            Map<String, String> options,
            List<Trial> trials,
            List<NetworkEvent> events) {
        this.run = run;
        this.events = List.copyOf(events);
        var nodeFigures = new java.util.ArrayList<ProcessFigures>();
        for (int i = 0; i < run.nodeNames().size(); i++) {
            nodeFigures.add(figures(run.nodeNames().get(i), nodeSamples(i)));
        }
        nodes = List.copyOf(nodeFigures);
        generator = figures("generator", run.series().stream().map(Second::generator).toList());
        verdict = Verdict.of(run, nodes, generator, machine.processors());
        json = write(machine, commit, options, trials);
    }

    private ProcessFigures figures(String name, List<ProcessSample> samples) {
        return ProcessFigures.of(name, samples, run.seconds(), run.confirmed());
    }

    private List<ProcessSample> nodeSamples(int node) {
        return run.series().stream().map(second -> second.nodes().get(node).process()).toList();
    }

    /** What was done to nodes within the window, in its order. */
    List<NetworkEvent> events() {
        return events;
    }

    Measurement run() {
        return run;
    }

    List<ProcessFigures> nodes() {
        return nodes;
    }

    /**
     * What full blocks at the pace of this run could have held of its transactions a second; 0 if
     * unknown. All protocols so far have blocks of the same size.
     */
    double ceilingTps() {
        return run.rounds().ceilingTps(Block.TRANSACTIONS_BYTES_MAX);
    }

    ProcessFigures generator() {
        return generator;
    }

    Verdict verdict() {
        return verdict;
    }

    /** The whole of {@code report.json}. */
    JsonNode json() {
        return json;
    }

    String text() {
        return json.toPrettyString();
    }

    /**
     * Writes the files into a folder, which is made if it is not there.
     *
     * @param baseline another run's report, shown in each picture; null for none
     * @throws IOException if one cannot be written
     */
    void write(Path folder, @Nullable JsonNode baseline) throws IOException {
        Files.createDirectories(folder);
        MAPPER.writeValue(folder.resolve(JSON_FILE).toFile(), json);
        Files.writeString(folder.resolve(PAGE_FILE), Page.of(json, baseline));
        var histograms = new LinkedHashMap<String, Histogram>();
        histograms.put("latency", run.latencyMicros());
        histograms.put("submit", run.submitMicros());
        histograms.put("lateness", run.latenessMicros());
        histograms.put("propagation", run.propagationMicros());
        Latencies.write(
                folder.resolve(HISTOGRAM_FILE), run.startMillis(), run.endMillis(), histograms);
    }

    /**
     * Reads a report of this schema.
     *
     * @param place the file, or the folder that holds it
     * @throws LoadFault naming the file and what is wrong
     */
    static JsonNode read(Path place) {
        Path file = Files.isDirectory(place) ? place.resolve(JSON_FILE) : place;
        try {
            JsonNode json = MAPPER.readTree(file.toFile());
            if (json.path("schema_version").asInt() != SCHEMA_VERSION) {
                throw new LoadFault(
                        LoadFault.BAD_ARGUMENT,
                        file + " is no report of schema version " + SCHEMA_VERSION);
            }
            return json;
        } catch (IOException e) {
            throw new LoadFault(
                    LoadFault.BAD_ARGUMENT, file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private ObjectNode write(
            Machine machine, String commit, Map<String, String> options, List<Trial> trials) {
        ObjectNode out = MAPPER.createObjectNode();
        out.put("schema_version", SCHEMA_VERSION);
        out.put("verdict", verdict.limit().text());
        out.put("evidence", verdict.evidence());
        out.put("started", Instant.ofEpochMilli(run.startMillis()).toString());
        out.put("seconds", run.seconds());
        out.put("asked_tps", rounded(run.askedTps()));
        out.put("asked", run.asked());
        out.put("offered", run.offered());
        out.put("accepted", run.accepted());
        counts(out.putObject("rejected"), run.rejected());
        out.put("confirmed", run.confirmed());
        out.put("confirmed_tps", rounded(run.confirmedTps()));
        out.put("block_tps", rounded(run.rounds().blockTps()));
        out.put("lost", run.settlement().lost());
        out.put("expired", run.settlement().expired());
        counts(out.putObject("dropped"), run.settlement().dropped());
        out.put("unanswered", run.settlement().unanswered());
        counts(out.putObject("unanswered_reasons"), run.silences());
        out.put("late_slots", run.lateSlots());
        out.put("late_slot_ms", Sender.LATE_NANOS / 1_000_000);
        percentiles(out, "latency_ms", run.latencyMicros());
        percentiles(out, "submit_ms", run.submitMicros());
        percentiles(out, "propagation_ms", run.propagationMicros());
        percentiles(out, "propagation_quiet_ms", run.quietPropagationMicros());
        percentiles(out, "lateness_ms", run.latenessMicros());
        gossip(out);
        ObjectNode rounds = out.putObject("rounds");
        rounds.put("count", run.rounds().whole().size());
        spread(rounds.putObject("seconds"), run.rounds().seconds());
        spread(rounds.putObject("txns"), run.rounds().sizes());
        double ceiling = ceilingTps();
        if (ceiling > 0) {
            out.putObject("ceiling")
                    .put("block_bytes_max", Block.TRANSACTIONS_BYTES_MAX)
                    .put("bytes_per_txn", rounded(run.rounds().bytesPerTransaction()))
                    .put("round_s", rounded(run.rounds().seconds().p50()))
                    .put("tps", rounded(ceiling));
        }
        known(out, "pool_at_end", run.poolAtEnd());
        out.put("drain_rounds", run.drainRounds());
        out.putObject("warmup").put("seconds", run.warmUpSeconds()).put("level", run.warmUpLevel());
        ArrayNode nodeList = out.putArray("nodes");
        nodes.forEach(node -> process(nodeList.addObject(), node));
        process(out.putObject("generator"), generator);
        series(out.putObject("series"));
        ArrayNode sites = out.putArray("top_allocations");
        run.topAllocations()
                .forEach(
                        (node, list) ->
                                list.forEach(
                                        site ->
                                                sites.addObject()
                                                        .put("node", node)
                                                        .put("site", site.site())
                                                        .put("bytes", site.bytes())
                                                        .put("share", site.share())));
        if (!trials.isEmpty()) {
            ArrayNode search = out.putArray("search");
            for (Trial trial : trials) {
                search.addObject()
                        .put("asked_tps", trial.askedTps())
                        .put("held", trial.held())
                        .put("confirmed_tps", rounded(trial.confirmedTps()))
                        .put("p99_ms", trial.p99Millis())
                        .put("rejected", trial.rejected());
            }
        }
        out.set("machine", MAPPER.valueToTree(machineFacts(machine)));
        out.put("jdk", machine.jdk());
        out.put("commit", commit);
        out.set("options", MAPPER.valueToTree(options));
        return out;
    }

    private static Map<String, Object> machineFacts(Machine machine) {
        var facts = new LinkedHashMap<String, Object>();
        facts.put("os", machine.os());
        facts.put("arch", machine.architecture());
        facts.put("processors", machine.processors());
        facts.put("processor", machine.processor());
        facts.put("memory_mib", machine.memoryMib());
        return facts;
    }

    /** Of all nodes together; absent unless every one told at both ends of the window. */
    private void gossip(ObjectNode out) {
        double bytes = 0;
        double payload = 0;
        for (int node = 0; node < run.nodeNames().size(); node++) {
            NodeMetrics first = run.first().nodes().get(node);
            NodeMetrics last = run.last().nodes().get(node);
            bytes += last.gossipBytesOut() - first.gossipBytesOut();
            payload += last.gossipPayloadBytes() - first.gossipPayloadBytes();
        }
        if (payload > 0) {
            ObjectNode gossip = out.putObject("gossip");
            gossip.put("bytes_out", (long) bytes);
            gossip.put("payload_bytes", (long) payload);
            gossip.put("ratio", rounded(bytes / payload));
        }
    }

    private static void counts(ObjectNode out, Map<String, Long> counts) {
        counts.forEach(out::put);
    }

    private static void percentiles(ObjectNode out, String name, Histogram micros) {
        if (micros.getTotalCount() > 0) {
            Latencies.summary(micros).forEach(out.putObject(name)::put);
        }
    }

    private static void spread(ObjectNode out, RoundFigures.Spread spread) {
        out.put("min", rounded(spread.min()));
        out.put("p50", rounded(spread.p50()));
        out.put("max", rounded(spread.max()));
    }

    private void process(ObjectNode out, ProcessFigures figures) {
        out.put("name", figures.name());
        known(out, "allocated_bytes_per_txn", figures.allocatedBytesPerTransaction());
        known(out, "allocated_bytes_per_s", figures.allocatedBytesPerSecond());
        if (!Double.isNaN(figures.gcPauseMillis())) {
            ObjectNode pauses = out.putObject("gc_pause_ms");
            known(pauses, "total", figures.gcPauseMillis());
            known(pauses, "max", figures.gcPauseMaxMillis());
        }
        if (!Double.isNaN(figures.heapMibMax())) {
            ObjectNode heap = out.putObject("heap_mib");
            known(heap, "p50", figures.heapMibMiddle());
            known(heap, "max", figures.heapMibMax());
        }
        known(out, "rss_mib_max", figures.residentMibMax());
        known(out, "cpu_s", figures.cpuSeconds());
        known(out, "compile_s", figures.compileSeconds());
        if (run.confirmed() > 0 && !figures.threads().isEmpty()) {
            known(out, "cpu_us_per_txn", figures.cpuSeconds() * 1e6 / run.confirmed());
            ArrayNode threads = out.putArray("threads");
            figures.threads()
                    .forEach(
                            (kind, use) ->
                                    threads.addObject()
                                            .put("threads", kind)
                                            .put(
                                                    "allocated_bytes_per_txn",
                                                    rounded(use.allocatedBytes() / run.confirmed()))
                                            .put(
                                                    "cpu_us_per_txn",
                                                    rounded(
                                                            use.cpuSeconds()
                                                                    * 1e6
                                                                    / run.confirmed())));
        }
    }

    private static void known(ObjectNode out, String name, double value) {
        if (!Double.isNaN(value)) {
            out.put(name, rounded(value));
        }
    }

    /** Three decimals are more than any figure here is worth. */
    private static double rounded(double value) {
        return Math.round(value * 1_000) / 1_000.0;
    }

    /** Columns, one entry a second: what happened within it, or how things stood at its end. */
    private void series(ObjectNode out) {
        column(out, "t", now -> (now.atNanos() - run.startNanos()) / 1e9);
        growth(out, "asked", Second::asked);
        growth(out, "offered", Second::offered);
        growth(out, "accepted", Second::accepted);
        growth(out, "rejected", Second::rejected);
        growth(out, "confirmed", Second::confirmed);
        column(out, "pool", Second::pool);
        column(out, "round", Second::round);
        ArrayNode nodeList = out.putArray("nodes");
        for (int i = 0; i < nodes.size(); i++) {
            int node = i;
            ObjectNode columns = nodeList.addObject();
            columns.put("name", run.nodeNames().get(node));
            process(columns, second -> second.nodes().get(node).process());
        }
        process(out.putObject("generator"), Second::generator);
        gossip(out);
        ArrayNode done = out.putArray("events");
        for (NetworkEvent event : events) {
            done.addObject()
                    .put("t", rounded(event.seconds()))
                    .put("event", event.event())
                    .put("node", event.node());
        }
        ObjectNode rounds = out.putObject("rounds");
        ArrayNode ends = rounds.putArray("t");
        ArrayNode seconds = rounds.putArray("seconds");
        ArrayNode sizes = rounds.putArray("txns");
        for (RoundFigures.Timed round : run.rounds().whole()) {
            ends.add(rounded(round.endSeconds()));
            seconds.add(rounded(round.seconds()));
            sizes.add(round.transactions());
        }
        ObjectNode percentiles = out.putObject("percentiles");
        ArrayNode of = percentiles.putArray("percentile");
        ArrayNode latency = percentiles.putArray("latency_ms");
        ArrayNode submit = percentiles.putArray("submit_ms");
        for (double percentile : PERCENTILES) {
            of.add(percentile);
            latency.add(Latencies.millis(run.latencyMicros(), percentile));
            submit.add(Latencies.millis(run.submitMicros(), percentile));
        }
    }

    private void process(
            ObjectNode out, java.util.function.Function<Second, ProcessSample> process) {
        column(out, "heap_mib", now -> process.apply(now).heapBytes() / ProcessFigures.MIB);
        column(out, "rss_mib", now -> process.apply(now).residentBytes() / ProcessFigures.MIB);
        growth(
                out,
                "allocated_mib_per_s",
                now -> process.apply(now).allocatedBytes() / ProcessFigures.MIB);
        growth(out, "gc_pause_ms", now -> process.apply(now).gcPauseSeconds() * 1e3);
        growth(out, "cpu_s", now -> process.apply(now).cpuSeconds());
        growth(out, "compile_s", now -> process.apply(now).compileSeconds());
        ObjectNode threads = out.putObject("threads_allocated_mib_per_s");
        for (String kind : process.apply(run.last()).threads().keySet()) {
            growth(
                    threads,
                    kind,
                    now -> use(process.apply(now), kind).allocatedBytes() / ProcessFigures.MIB);
        }
        ObjectNode processors = out.putObject("threads_cpu_s");
        for (String kind : process.apply(run.last()).threads().keySet()) {
            growth(processors, kind, now -> use(process.apply(now), kind).cpuSeconds());
        }
    }

    private static ThreadUse use(ProcessSample process, String kind) {
        return process.threads().getOrDefault(kind, ThreadUse.NONE);
    }

    private void column(ObjectNode out, String name, ToDoubleFunction<Second> value) {
        ArrayNode column = out.putArray(name);
        for (Second now : run.series().subList(1, run.series().size())) {
            add(column, value.applyAsDouble(now));
        }
    }

    /**
     * Growth a second: the last look of a window may be less than a second after the one before.
     */
    private void growth(ObjectNode out, String name, ToDoubleFunction<Second> value) {
        ArrayNode column = out.putArray(name);
        for (int i = 1; i < run.series().size(); i++) {
            Second before = run.series().get(i - 1);
            Second now = run.series().get(i);
            double seconds = (now.atNanos() - before.atNanos()) / 1e9;
            add(column, (value.applyAsDouble(now) - value.applyAsDouble(before)) / seconds);
        }
    }

    private static void add(ArrayNode column, double value) {
        if (Double.isNaN(value)) {
            column.addNull();
        } else {
            column.add(rounded(value));
        }
    }
}
