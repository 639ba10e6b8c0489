package topspin.node.commands;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * {@code topspin bench}: the benchmarks of a checkout, in a JVM that has its tests and JMH on the
 * class path. An archive has neither: they would double what it brings, JMH under a licence of its
 * own, for figures that only a developer compares.
 */
@Command(
        name = "bench",
        description = {
            "Measures ids, decoding, signatures, hashing, commitments, sortition and VRF beside"
                    + " their rivals, and by name the ledger, votes, the trace and the network:"
                    + " median of the forks, its interval, bytes allocated. From a checkout only;"
                    + " all of it takes half an hour on a machine with nothing else to do."
        },
        footer = {
            "",
            "Examples:",
            "  topspin bench --quick txid       a look at one group, in a minute",
            "  topspin bench signatures txid    figures worth keeping"
        })
public final class BenchCommand implements Callable<Integer> {
    /** Beside the distribution of a checkout, not in it: the build writes it there. */
    private static final String CLASS_PATH = "bench.classpath";

    private static final String MAIN = "topspin.codec.bench.BenchProcess";

    @Parameters(
            arity = "0..*",
            paramLabel = "NAME",
            description =
                    "Groups; all but evaluate, persist and vote, which make a ledger first, if none is"
                            + " named. A wrong one lists them.")
    private List<String> names = List.of();

    @Option(names = "--quick", description = "Three forks of a few rounds, for a look.")
    private boolean quick;

    @ArgGroup private Form form = new Form();

    /** Of the forms of the result, at most one. */
    private static final class Form {
        @Option(names = "--json", description = "Print JMH's own JSON on stdout.")
        private boolean json;

        @Option(names = "--go-format", description = "Print lines for benchstat on stdout.")
        private boolean go;
    }

    @Override
    public Integer call() throws InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--add-modules",
                        "jdk.incubator.vector",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        classPath(),
                        MAIN));
        if (quick) {
            command.add("--quick");
        }
        if (form.json) {
            command.add("--json");
        }
        if (form.go) {
            command.add("--go-format");
        }
        command.addAll(names);
        try {
            Process child =
                    new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                            .start();
            try (BufferedReader remarks = child.errorReader()) {
                // The launcher has taken this line out of our own stderr; this is the child's.
                remarks.lines()
                        .filter(line -> !line.startsWith("WARNING: Using incubator modules"))
                        .forEach(System.err::println);
                return child.waitFor();
            } finally {
                child.destroy();
            }
        } catch (IOException failure) {
            throw CommandFault.machine("the benchmarks' JVM: " + failure.getMessage(), failure);
        }
    }

    private static String classPath() {
        String home = System.getProperty("topspin.home", "");
        Path file = Path.of(home).resolveSibling(CLASS_PATH);
        if (home.isEmpty() || !Files.isRegularFile(file)) {
            throw CommandFault.argument(
                    "bench runs from a checkout only (node/bin/topspin bench): an archive has"
                            + " neither the benchmarks nor JMH");
        }
        // What is measured in this module is no artifact of the reactor: its folders stand there.
        String own =
                file.resolveSibling("test-classes")
                        + File.pathSeparator
                        + file.resolveSibling("classes");
        try {
            return Files.readString(file).strip() + File.pathSeparator + own;
        } catch (IOException failure) {
            throw CommandFault.machine("cannot read " + file, failure);
        }
    }
}
