package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import topspin.codec.crypto.Ed25519;
import topspin.loadgen.client.Endpoint;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command {@code pingpong} (cli.md section 4), for the program's one command line. */
@Command(
        name = "pingpong",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Loads a network with transactions at a rate that waits for nothing, and says what"
                        + " became of each.",
        subcommands = Commands.Compare.class,
        footer = {
            "",
            "Examples:",
            "  topspin pingpong --tps 3000 --duration 60s",
            "  topspin pingpong --network ./net --tps max",
            "  topspin pingpong --url http://127.0.0.1:4001 --token $TOKEN --tps ramp:500:5000:500"
        })
public final class Commands implements Callable<Integer> {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,13})(?:\\.\\.(\\d{1,13}))?");
    private static final int NODES_MAX = 16;
    private static final int PORT_MAX = 65_535;

    /** Longer, and what a run keeps of each second would outgrow its heap. */
    private static final Duration DURATION_MAX = Duration.ofHours(24);

    private static final Duration WARM_UP_MAX = Duration.ofHours(1);
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneId.systemDefault());

    private final InstantSource wall;

    @Spec private @Nullable CommandSpec spec;

    @Option(names = "--network", paramLabel = "DIR", description = "A local network that runs.")
    private @Nullable Path network;

    @Option(names = "--url", paramLabel = "URL", description = "A node's REST address; repeatable.")
    private List<String> urls = new ArrayList<>();

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "The token of the --url before it; one alone is for all.")
    private List<String> tokens = new ArrayList<>();

    @Option(
            names = "--mnemonic-file",
            paramLabel = "FILE",
            description = "Who pays, where no wallet.json tells; or $" + Wallet.ENVIRONMENT + ".")
    private @Nullable Path mnemonicFile;

    @Option(
            names = "--tps",
            paramLabel = "RATE",
            defaultValue = "3000",
            description =
                    "Transactions a second; max searches for the highest; ramp:FROM:TO:STEP"
                            + " (default: ${DEFAULT-VALUE}).")
    private String tps = "";

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "60s",
            description = "Measured time, after warm-up (default: ${DEFAULT-VALUE}).")
    private String duration = "";

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "auto",
            description =
                    "auto lasts until the confirmed rate is level over three rounds"
                            + " (default: ${DEFAULT-VALUE}).")
    private String warmUp = "";

    @Option(
            names = "--accounts",
            paramLabel = "N",
            defaultValue = "500",
            description = "Made from the seed, funded beforehand (default: ${DEFAULT-VALUE}).")
    private String accounts = "";

    @Option(
            names = "--mix",
            paramLabel = "KIND=N,…",
            defaultValue = "pay=100",
            description =
                    "Weights of pay, axfer, acfg, afrz, keyreg, adding to 100"
                            + " (default: ${DEFAULT-VALUE}).")
    private String mix = "";

    @Option(
            names = "--group-size",
            paramLabel = "N",
            defaultValue = "1",
            description = "Transactions of a request, 1 to 16 (default: ${DEFAULT-VALUE}).")
    private String groupSize = "";

    @Option(
            names = "--note",
            paramLabel = "BYTES",
            defaultValue = "counter",
            description = "counter (8 bytes), or a length to 1024 (default: ${DEFAULT-VALUE}).")
    private String note = "";

    @Option(
            names = "--amount",
            paramLabel = "N[..N]",
            defaultValue = "1..1000",
            description = "Of each payment, in microalgos (default: ${DEFAULT-VALUE}).")
    private String amount = "";

    @Option(
            names = "--fee",
            paramLabel = "N",
            defaultValue = "min",
            description = "Of each transaction, in microalgos (default: ${DEFAULT-VALUE}).")
    private String fee = "";

    @Option(names = "--lease", description = "Each transaction takes a lease of its own.")
    private boolean leases;

    @Option(
            names = "--rekey",
            description =
                    "Groups are pairs of transactions: one hands its sender to another key, one"
                            + " signed by that key hands it back. Needs an even --group-size.")
    private boolean rekeys;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "The same seed, genesis and first round give the same bytes"
                            + " (default: ${DEFAULT-VALUE}).")
    private String seed = "";

    @Option(
            names = "--min-confirmed",
            paramLabel = "PERCENT",
            defaultValue = "99",
            description = "Below it the exit status is 1 (default: ${DEFAULT-VALUE}).")
    private String minConfirmed = "";

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description = "Where the report goes (default: topspin-report/TIME).")
    private @Nullable Path report;

    @Option(
            names = "--baseline",
            paramLabel = "FILE",
            description = "Another run's report.json, shown beside this one in each picture.")
    private @Nullable Path baseline;

    @Option(
            names = "--no-recording",
            description = "Nodes do not record where they allocate, which costs them a little.")
    private boolean noRecording;

    @Option(names = "--json", description = "Print the report as JSON and nothing else.")
    private boolean json;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "2",
            description = "Of its own network (default: ${DEFAULT-VALUE}).")
    private String nodes = "";

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Of its own network, kept when it ends (default: temporary).")
    private @Nullable Path folder;

    @Option(
            names = "--blocks",
            paramLabel = "MODE",
            description =
                    "Of its own network: agreement, instant, interval:TIME or manual"
                            + " (default: agreement).")
    private @Nullable String blocks;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description =
                    "Of its own network: fast or v42 (default: fast with agreement, else v42).")
    private @Nullable String profile;

    @Option(names = "--template", paramLabel = "FILE", description = "Of its own network.")
    private @Nullable Path template;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "First of its own network's ports; 0 for any (default: ${DEFAULT-VALUE}).")
    private String port = "";

    /** By the machine's clock. */
    public Commands() {
        this(InstantSource.system());
    }

    Commands(InstantSource wall) {
        this.wall = wall;
    }

    /** Runs the command; the exit status of cli.md section 2. */
    @Override
    public Integer call() {
        CommandLine line = line(spec);
        return guarded(line, () -> run(line));
    }

    private int run(CommandLine line) throws InterruptedException {
        PingPong.Wish wish = wish(line);
        boolean own = network == null && urls.isEmpty();
        if (network != null && !urls.isEmpty()) {
            throw wrong(line, "--network and --url exclude each other");
        }
        if (urls.isEmpty() && !tokens.isEmpty()) {
            throw wrong(line, "--token goes with --url");
        }
        if (!own && (folder != null || blocks != null || profile != null || template != null)) {
            throw wrong(
                    line,
                    "--dir, --blocks, --profile and --template are for pingpong's own network");
        }
        Path home = Path.of(System.getProperty("topspin.home", "."));
        var pingPong =
                new PingPong(wish, line.getOut(), line.getErr(), json, home, Clock.SYSTEM, wall);
        if (own) {
            int size = whole(line, "--nodes", nodes, 1, NODES_MAX);
            int first = whole(line, "--port", port, 0, PORT_MAX);
            return pingPong.runOn(
                    new TemporaryNetwork.Wish(size, blocks, profile, template, folder, first));
        }
        if (network != null) {
            List<Endpoint> endpoints = LocalNetworkFolder.endpoints(network);
            return pingPong.runOn(
                    network,
                    endpoints,
                    mnemonicFile == null ? Wallet.ofNetwork(network) : Wallet.ofFile(mnemonicFile));
        }
        return pingPong.run(endpoints(line), payer(line));
    }

    private List<Endpoint> endpoints(CommandLine line) {
        require(
                line,
                tokens.size() <= 1 || tokens.size() == urls.size(),
                "--token: one for all, or one for each --url");
        var endpoints = new ArrayList<Endpoint>();
        for (int i = 0; i < urls.size(); i++) {
            String token = tokens.isEmpty() ? null : tokens.get(tokens.size() == 1 ? 0 : i);
            try {
                endpoints.add(Endpoint.ofUrl("node" + (i + 1), urls.get(i), token));
            } catch (IllegalArgumentException e) {
                throw wrong(line, String.valueOf(e.getMessage()));
            }
        }
        return endpoints;
    }

    private List<Ed25519.KeyPair> payer(CommandLine line) {
        if (mnemonicFile != null) {
            return Wallet.ofFile(mnemonicFile);
        }
        String mnemonic = System.getenv(Wallet.ENVIRONMENT);
        if (mnemonic == null) {
            throw wrong(
                    line,
                    "nobody pays: name an account with money by --mnemonic-file or $"
                            + Wallet.ENVIRONMENT);
        }
        return List.of(Wallet.ofMnemonic("$" + Wallet.ENVIRONMENT, mnemonic));
    }

    private PingPong.Wish wish(CommandLine line) {
        int count = whole(line, "--accounts", accounts, 2, Accounts.ACCOUNTS_MAX);
        int members = whole(line, "--group-size", groupSize, 1, Shape.GROUP_SIZE_MAX);
        long randomness = number(line, "--seed", seed, "a whole number below 2^63");
        double percent = percent(line, "--min-confirmed", minConfirmed);
        Duration measured = duration(line, "--duration", duration, DURATION_MAX);
        require(line, !measured.isZero(), "--duration " + duration + ": more than nothing");
        WarmUp warm =
                "auto".equals(warmUp)
                        ? WarmUp.AUTO
                        : new WarmUp(duration(line, "--warmup", warmUp, WARM_UP_MAX));
        Matcher range = matcher(line, RANGE, "--amount", amount, "N or FROM..TO");
        long amountMin = Long.parseLong(range.group(1));
        long amountMax = range.group(2) == null ? amountMin : Long.parseLong(range.group(2));
        Long given =
                "min".equals(fee) ? null : (Long) number(line, "--fee", fee, "min, or a number");
        int noteBytes =
                "counter".equals(note)
                        ? Workload.NOTE_BYTES_MIN
                        : whole(
                                line,
                                "--note",
                                note,
                                Workload.NOTE_BYTES_MIN,
                                Workload.NOTE_BYTES_MAX);
        try {
            Mix kinds = Mix.parse(mix);
            // Checked now, though the fee may come from the network.
            var unused =
                    new Shape(
                            randomness,
                            kinds,
                            members,
                            noteBytes,
                            amountMin,
                            amountMax,
                            given == null ? 0 : given,
                            leases,
                            rekeys);
            JsonNode other = baseline == null ? null : Report.read(baseline);
            return new PingPong.Wish(
                    Rate.parse(tps),
                    measured,
                    warm,
                    count,
                    randomness,
                    kinds,
                    members,
                    noteBytes,
                    amountMin,
                    amountMax,
                    given,
                    leases,
                    rekeys,
                    percent,
                    reportFolder(line),
                    other,
                    !noRecording,
                    options(line));
        } catch (IllegalArgumentException e) {
            throw wrong(line, String.valueOf(e.getMessage()));
        }
    }

    private Path reportFolder(CommandLine line) {
        Path chosen = report;
        if (chosen == null) {
            chosen = Path.of("topspin-report", TIME.format(wall.instant()));
        }
        require(
                line,
                !Files.exists(chosen) || Files.isDirectory(chosen),
                "--report " + chosen + ": not a folder");
        return chosen;
    }

    /** What was asked, for the report; no tokens. */
    private static Map<String, String> options(CommandLine line) {
        var options = new LinkedHashMap<String, String>();
        for (OptionSpec option : line.getCommandSpec().options()) {
            String name = option.longestName();
            Object value = option.getValue();
            boolean said = value != null && !option.usageHelp() && !option.versionHelp();
            if (said && !"--token".equals(name) && !"--verbose".equals(name)) {
                options.put(name.substring(2), value.toString());
            }
        }
        return options;
    }

    private static Duration duration(
            CommandLine line, String option, String text, Duration longest) {
        Matcher matcher = matcher(line, DURATION, option, text, "a time such as 60s, 5m or 500ms");
        long amount = Long.parseLong(matcher.group(1));
        Duration duration =
                switch (matcher.group(2)) {
                    case "ms" -> Duration.ofMillis(amount);
                    case "s" -> Duration.ofSeconds(amount);
                    case "m" -> Duration.ofMinutes(amount);
                    default -> Duration.ofHours(amount);
                };
        require(
                line,
                duration.compareTo(longest) <= 0,
                option + " " + text + ": " + longest.toHours() + "h at most");
        return duration;
    }

    private static int whole(CommandLine line, String option, String text, int min, int max) {
        String allowed = "a whole number from " + min + " to " + max;
        long number = number(line, option, text, allowed);
        require(
                line,
                number >= min && number <= max,
                option + " " + text + ": expected " + allowed);
        return (int) number;
    }

    private static double percent(CommandLine line, String option, String text) {
        double number = -1;
        try {
            number = Double.parseDouble(text);
        } catch (NumberFormatException none) {
            // Refused below, like a number out of range.
        }
        require(
                line,
                number >= 0 && number <= 100,
                option + " " + text + ": expected a number from 0 to 100");
        return number;
    }

    private static long number(CommandLine line, String option, String text, String allowed) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw wrong(line, option + " " + text + ": expected " + allowed);
        }
    }

    private static Matcher matcher(
            CommandLine line, Pattern pattern, String option, String text, String allowed) {
        Matcher matcher = pattern.matcher(text);
        require(line, matcher.matches(), option + " " + text + ": expected " + allowed);
        return matcher;
    }

    private static void require(CommandLine line, boolean holds, String message) {
        if (!holds) {
            throw wrong(line, message);
        }
    }

    private static ParameterException wrong(CommandLine line, String message) {
        return new ParameterException(line, message);
    }

    private static CommandLine line(@Nullable CommandSpec spec) {
        if (spec == null) {
            throw new IllegalStateException("not run by a command line");
        }
        return spec.commandLine();
    }

    /** What a command does; what it cannot do becomes one line and an exit status. */
    private interface Body {
        int run() throws InterruptedException;
    }

    private static int guarded(CommandLine line, Body body) {
        PrintWriter err = line.getErr();
        try {
            return body.run();
        } catch (LoadFault fault) {
            err.println(
                    "topspin: "
                            + String.valueOf(fault.getMessage()).replaceAll("\\s*\\R\\s*", " "));
            if (verbose(line)) {
                fault.printStackTrace(err);
            }
            err.flush();
            return fault.exitStatus();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return LoadFault.NOT_REACHED;
        }
    }

    private static boolean verbose(CommandLine line) {
        OptionSpec option = line.getCommandSpec().root().findOption("--verbose");
        return option != null && Boolean.TRUE.equals(option.getValue());
    }

    /** The command {@code pingpong compare}. */
    @Command(
            name = "compare",
            mixinStandardHelpOptions = true,
            customSynopsis = "topspin pingpong compare [-hV] [--json] A… -- B…",
            description =
                    "Compares two sets of runs, figure by figure: by how much the medians differ,"
                            + " and whether that exceeds the noise.",
            footer = {"", "Example:", "  topspin pingpong compare before-*/ -- after-*/"})
    static final class Compare implements Callable<Integer> {
        @Spec private @Nullable CommandSpec spec;

        @Parameters(
                paramLabel = "REPORT",
                arity = "0..*", // Counted on both sides of the mark, in run().
                description = "Folders or files of reports, the two sets parted by --.")
        private List<Path> reports = new ArrayList<>();

        @Option(names = "--json", description = "Print the comparison as JSON.")
        private boolean json;

        /** Runs the command. */
        @Override
        public Integer call() {
            CommandLine line = line(spec);
            return guarded(line, () -> run(line));
        }

        private int run(CommandLine line) {
            List<String> given = line.getParseResult().originalArgs();
            int mark = given.lastIndexOf("--");
            int second = mark < 0 ? 0 : given.size() - mark - 1;
            require(
                    line,
                    second > 0 && second < reports.size(),
                    "two sets of reports are wanted, parted by --");
            int first = reports.size() - second;
            var comparison =
                    new Comparison(
                            reports.subList(0, first).stream().map(Report::read).toList(),
                            reports.subList(first, reports.size()).stream()
                                    .map(Report::read)
                                    .toList());
            line.getOut()
                    .print(json ? comparison.json().toPrettyString() + "\n" : comparison.text());
            line.getOut().flush();
            return 0;
        }
    }
}
