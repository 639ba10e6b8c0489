package topspin.codec.bench;

import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import topspin.codec.lanes.Lanes;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Runs groups of benchmarks, a group being the rivals of one class: each fork is a JVM of its own
 * that runs all of them in turn, each set of parameters in forks of its own. How many forks, rounds
 * and how long: the class's annotations.
 */
public final class BenchProcess {
    private static final String SUFFIX = "Bench";
    private static final String PARAMETER_OF_WIDTH = "bits";

    /** A look instead of a figure. */
    private static final int QUICK_FORKS = 3;

    private static final int QUICK_ROUNDS = 3;

    /** The longest, which make ledgers of a million accounts, take a few. */
    private static final int FORK_MINUTES_MAX = 30;

    private final List<String> jvm;
    private final boolean quick;
    private final BenchReport report;
    private final PrintStream remarks;

    private BenchProcess(List<String> jvm, boolean quick, BenchReport report, PrintStream remarks) {
        this.jvm = jvm;
        this.quick = quick;
        this.report = report;
        this.remarks = remarks;
    }

    /**
     * {@code --quick}, {@code --json}, {@code --go-format}; names of groups, none for all that take
     * minutes. Forks get the options that this JVM got. Exit status: 0 done, 1 a benchmark failed,
     * 2 a name that is none.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>(List.of(arguments));
        boolean quick = names.remove("--quick");
        BenchReport.Form form =
                names.remove("--json")
                        ? BenchReport.Form.JSON
                        : names.remove("--go-format") ? BenchReport.Form.GO : BenchReport.Form.TEXT;
        System.exit(run(names, quick, form, System.out, System.err));
    }

    static int run(
            List<String> names,
            boolean quick,
            BenchReport.Form form,
            PrintStream results,
            PrintStream remarks)
            throws IOException, InterruptedException {
        SortedMap<String, List<BenchmarkListEntry>> groups = groups();
        for (String name : names) {
            if (!groups.containsKey(name)) {
                remarks.println(
                        "topspin: no benchmark is called "
                                + name
                                + "; there are "
                                + String.join(", ", groups.keySet()));
                return 2;
            }
        }
        var report = new BenchReport(form, results);
        var bench = new BenchProcess(jvm(), quick, report, remarks);
        for (Map.Entry<String, List<BenchmarkListEntry>> group : groups.entrySet()) {
            // What makes a ledger of a million accounts runs when it is asked for.
            boolean runs =
                    names.isEmpty()
                            ? group.getValue().getFirst().getMode() == Mode.AverageTime
                            : names.contains(group.getKey());
            if (runs && !bench.run(group.getKey(), group.getValue())) {
                return 1;
            }
        }
        report.close();
        return 0;
    }

    /** {@code TxidBatchBench} is the group {@code txid-batch}. */
    private static SortedMap<String, List<BenchmarkListEntry>> groups() {
        var silent =
                OutputFormatFactory.createFormatInstance(
                        new PrintStream(
                                OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                        VerboseMode.SILENT);
        SortedMap<String, List<BenchmarkListEntry>> groups = new TreeMap<>();
        for (BenchmarkListEntry entry :
                BenchmarkList.defaultList()
                        .find(silent, List.of("\\.topspin\\.|^topspin\\."), List.of())) {
            String type = entry.getUserClassQName();
            String name = type.substring(type.lastIndexOf('.') + 1);
            groups.computeIfAbsent(
                            name.substring(0, name.length() - SUFFIX.length())
                                    .replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-")
                                    .toLowerCase(Locale.ROOT),
                            key -> new ArrayList<>())
                    .add(entry);
        }
        return groups;
    }

    private static List<String> jvm() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "--add-modules",
                        "jdk.incubator.vector",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Dmsgpack.universal-buffer=true",
                        // What JMH passes to a fork of its own: results end in the compiler.
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:+UnlockExperimentalVMOptions",
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=blackhole,org.openjdk.jmh.infra.Blackhole::consumeCompiler",
                        "-XX:CompileCommand=dontinline,*::*_jmhStub",
                        "-DcompilerBlackholesEnabled=true",
                        "-Djmh.ignoreLock=true",
                        "-cp",
                        System.getProperty("java.class.path")));
        return command;
    }

    private boolean run(String group, List<BenchmarkListEntry> entries)
            throws IOException, InterruptedException {
        List<BenchmarkListEntry> rivals = new ArrayList<>(entries);
        rivals.sort((one, other) -> Boolean.compare(isYardstick(other), isYardstick(one)));
        boolean hasYardstick = isYardstick(rivals.getFirst());
        for (List<String> parameters : combinations(rivals.getFirst())) {
            if (!run(group, rivals, hasYardstick, parameters, List.of())) {
                return false;
            }
            boolean usesLanes = rivals.getFirst().getUserClassQName().contains(".lanes.");
            if (usesLanes && Lanes.width() == 8) {
                List<String> narrow = new ArrayList<>(parameters);
                narrow.add(PARAMETER_OF_WIDTH + "=256");
                if (!run(group, rivals, hasYardstick, narrow, List.of("-XX:UseAVX=2"))) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean run(
            String group,
            List<BenchmarkListEntry> rivals,
            boolean hasYardstick,
            List<String> parameters,
            List<String> options)
            throws IOException, InterruptedException {
        BenchmarkListEntry first = rivals.getFirst();
        int forks = quick ? QUICK_FORKS : first.getForks().orElse(1);
        List<Rival> measured = new ArrayList<>();
        rivals.forEach(rival -> measured.add(new Rival(method(rival), new ArrayList<>())));
        for (int fork = 1; fork <= forks; fork++) {
            remarks.println(
                    "bench: "
                            + group
                            + " "
                            + String.join(" ", parameters)
                            + " fork "
                            + fork
                            + " of "
                            + forks);
            Map<?, ?> results = fork(rivals, parameters, options);
            if (results.isEmpty()) {
                return false;
            }
            for (int i = 0; i < rivals.size(); i++) {
                List<BenchmarkResult> rounds = new ArrayList<>();
                for (Object round : (List<?>) results.get(rivals.get(i).getUsername())) {
                    rounds.add((BenchmarkResult) round);
                }
                measured.get(i).forks().add(rounds);
            }
        }
        report.add(group, parameters, hasYardstick, measured);
        return true;
    }

    /** Runs one fork; its results, or none if it failed, of which it has told on stderr. */
    private Map<?, ?> fork(
            List<BenchmarkListEntry> rivals, List<String> parameters, List<String> options)
            throws IOException, InterruptedException {
        BenchmarkListEntry first = rivals.getFirst();
        Path file = Files.createTempFile("topspin-bench", ".results");
        Path errors = Files.createTempFile("topspin-bench", ".stderr");
        try {
            List<String> command = new ArrayList<>(jvm);
            command.addAll(1, options);
            command.add(PairedFork.class.getName());
            command.add(file.toString());
            int warmups = first.getWarmupIterations().orElse(5);
            int rounds = first.getMeasurementIterations().orElse(5);
            command.add(String.valueOf(warmups));
            command.add(String.valueOf(quick ? Math.min(rounds, QUICK_ROUNDS) : rounds));
            command.add(
                    String.valueOf(
                            first.getMeasurementTime()
                                    .orElse(TimeValue.milliseconds(100))
                                    .convertTo(TimeUnit.MILLISECONDS)));
            command.add(
                    String.join(
                            ",", rivals.stream().map(BenchmarkListEntry::getUsername).toList()));
            parameters.stream()
                    .filter(parameter -> !parameter.startsWith(PARAMETER_OF_WIDTH + "="))
                    .forEach(command::add);
            Process child =
                    new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(errors.toFile())
                            .start();
            try {
                if (!child.waitFor(FORK_MINUTES_MAX, TimeUnit.MINUTES)) {
                    remarks.println("bench: no end after " + FORK_MINUTES_MAX + " minutes");
                    return Map.of();
                }
                if (child.exitValue() != 0) {
                    remarks.println(Files.readString(errors));
                    return Map.of();
                }
            } finally {
                child.destroyForcibly();
            }
            try (var in = new ObjectInputStream(Files.newInputStream(file))) {
                return (Map<?, ?>) in.readObject();
            } catch (ClassNotFoundException impossible) {
                throw new AssertionError("the fork has our class path", impossible);
            }
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(errors);
        }
    }

    private static boolean isYardstick(BenchmarkListEntry entry) {
        try {
            Class<?> type = Class.forName(entry.getUserClassQName());
            return Arrays.stream(type.getMethods())
                    .filter(method -> method.getName().equals(method(entry)))
                    .anyMatch(BenchProcess::isYardstick);
        } catch (ClassNotFoundException impossible) {
            throw new AssertionError("JMH lists what is not there", impossible);
        }
    }

    private static boolean isYardstick(Method method) {
        return method.isAnnotationPresent(Yardstick.class);
    }

    private static String method(BenchmarkListEntry entry) {
        return entry.getUsername().substring(entry.getUserClassQName().length() + 1);
    }

    /** Every combination of the parameters' values, as {@code name=value}. */
    private static List<List<String>> combinations(BenchmarkListEntry entry) {
        Map<String, String[]> parameters = new LinkedHashMap<>();
        if (entry.getParams().hasValue()) {
            parameters.putAll(entry.getParams().get());
        }
        List<List<String>> combinations = new ArrayList<>(List.of(List.of()));
        for (Map.Entry<String, String[]> parameter : parameters.entrySet()) {
            List<List<String>> longer = new ArrayList<>();
            for (List<String> combination : combinations) {
                for (String value : parameter.getValue()) {
                    List<String> one = new ArrayList<>(combination);
                    one.add(parameter.getKey() + "=" + value);
                    longer.add(one);
                }
            }
            combinations = longer;
        }
        return combinations;
    }
}
