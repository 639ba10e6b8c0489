package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads our own sources for what the compiler lets pass. Each finding names file, line and remedy.
 */
final class TidyTest {
    private static final Path ROOT = Path.of(System.getProperty("topspin.root", ".."));
    private static final List<String> MODULES =
            List.of("codec", "ledger", "net", "loadgen", "node");

    /** What may lie at the top of the repository, apart from dotfiles and build output. */
    private static final Set<String> TOP_LEVEL =
            Set.of(
                    "LICENSE",
                    "NOTICE",
                    "README.md",
                    "codec",
                    "config",
                    "ledger",
                    "loadgen",
                    "net",
                    "node",
                    "pom.xml");

    private static final Set<String> BUILD_OUTPUT = Set.of("target", "topspin-report");

    /**
     * Where the command line speaks to people and ends the process, and tests' own child processes.
     */
    private static final Pattern COMMAND_LINE =
            Pattern.compile(
                    "(node/src/main/java/topspin/node/(Main|commands/\\w+)"
                            + "|loadgen/src/main/java/topspin/loadgen/(Main|Commands)"
                            + "|\\w+/src/test/java/.*(Process|Probe))\\.java");

    private static final Pattern NOWHERE = Pattern.compile("(?!)");
    private static final Pattern ANYWHERE = Pattern.compile(".*");
    private static final Pattern LEDGER_MAIN = Pattern.compile("ledger/src/main/.*");

    /**
     * One thing that is not written here.
     *
     * @param pattern what it looks like on a line
     * @param where files it is looked for in
     * @param except files that may have it
     * @param remedy what to write instead
     */
    record Rule(Pattern pattern, Pattern where, Pattern except, String remedy) {
        static Rule of(String pattern, Pattern where, Pattern except, String remedy) {
            return new Rule(Pattern.compile(pattern), where, except, remedy);
        }

        @Override
        public String toString() {
            return remedy;
        }
    }

    static Stream<Rule> rules() {
        // Patterns are written so that they do not match themselves.
        return Stream.of(
                Rule.of(
                        "Thread[.]sleep|TimeUnit[.][A-Z]+[.]sleep|LockSupport[.]parkUntil",
                        ANYWHERE,
                        NOWHERE,
                        "await a latch, a future or a condition with a deadline; in tests advance"
                                + " the clock"),
                Rule.of(
                        "System[.](out|err)\\b|printStack[T]race",
                        ANYWHERE,
                        COMMAND_LINE,
                        "answer the caller, or log with System.Logger; only the command line"
                                + " prints"),
                Rule.of(
                        "System[.]exit|Runtime[.]getRuntime\\(\\)[.]halt",
                        ANYWHERE,
                        COMMAND_LINE,
                        "throw, or return a status; only the command line ends the process"),
                Rule.of(
                        "\\b(TO" + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b",
                        ANYWHERE,
                        NOWHERE,
                        "do it now, or say in a sentence what holds and why"),
                Rule.of(
                        "[\"'(` ]/(home|Users|root|work|tmp)/\\w",
                        ANYWHERE,
                        NOWHERE,
                        "a path of one machine: take it from a parameter, a property or a temporary"
                                + " folder"),
                Rule.of(
                        "new Random\\(\\)|Math[.]random\\(|ThreadLocal[R]andom",
                        ANYWHERE,
                        NOWHERE,
                        "take a RandomGenerator by constructor, so that a seed replays the run"),
                Rule.of(
                        "currentTimeMillis|Instant[.]now\\(|LocalDate(Time)?[.]now\\(|Clock[.]system",
                        Pattern.compile("\\w+/src/main/.*"),
                        COMMAND_LINE,
                        "take an InstantSource by constructor, so that tests own the time"),
                Rule.of(
                        "System[.]nanoTime|parallelStream|IdentityHashMap",
                        LEDGER_MAIN,
                        Pattern.compile("ledger/src/main/java/topspin/ledger/store/.*"),
                        "the same blocks give the same state: no clock and no hash order in the"
                                + " ledger"),
                Rule.of(
                        "sun[.]misc[.]Unsafe|setAccessible\\(",
                        ANYWHERE,
                        NOWHERE,
                        "use a VarHandle, or open the class"),
                Rule.of(
                        "@Disable[d](?!\\(\")|@Ignor[e]",
                        ANYWHERE,
                        NOWHERE,
                        "mend or delete the test; a disabled one says why"),
                Rule.of(
                        "org[.]jetbrains[.]annotations|javax[.]annotation[.]Nullable",
                        ANYWHERE,
                        NOWHERE,
                        "absence is org.jspecify.annotations.Nullable"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void noSourceHasIt(Rule rule) {
        List<String> findings = new ArrayList<>();
        for (Path file : sources()) {
            String name = name(file);
            if (!rule.where.matcher(name).matches() || rule.except.matcher(name).matches()) {
                continue;
            }
            List<String> lines = lines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (rule.pattern.matcher(lines.get(i)).find()) {
                    findings.add(name + ":" + (i + 1) + ": " + lines.get(i).strip());
                }
            }
        }
        assertThat(findings).as(rule.remedy).isEmpty();
    }

    @Test
    void noClassIsNamedForNothing() {
        Pattern empty = Pattern.compile("\\w*(Manager|Helper|Utils?|Impl|Factory)|Abstract\\w*");
        assertThat(sources())
                .as("name the class for what it is or does")
                .noneMatch(
                        file ->
                                empty.matcher(file.getFileName().toString().replace(".java", ""))
                                        .matches());
    }

    @Test
    void everyPackageSaysWhatItIsAndThatNullIsMarked() {
        Set<String> findings = new TreeSet<>();
        for (Path file : sources()) {
            if (!name(file).contains("/src/main/")) {
                continue;
            }
            Path info = file.resolveSibling("package-info.java");
            String text = Files.exists(info) ? String.join("\n", lines(info)) : "";
            if (!text.contains("@NullMarked")) {
                findings.add(name(info) + ": missing, or without @NullMarked");
            } else if (!text.startsWith("/**")) {
                findings.add(name(info) + ":1: say in a sentence what the package is for");
            }
        }
        assertThat(findings).isEmpty();
    }

    @Test
    void everyPublicTypeSaysWhatItIs() {
        Pattern type =
                Pattern.compile("(?m)^public [a-z -]*(class|record|interface|enum|@interface) ");
        // With arguments up to two parentheses deep, and a remark behind.
        Pattern annotations =
                Pattern.compile("(@\\w+(\\s*\\(([^()]|\\([^()]*\\))*+\\))?\\s*(//.*\\s+)?)+$");
        List<String> findings = new ArrayList<>();
        for (Path file : sources()) {
            String text = String.join("\n", lines(file));
            Matcher found = type.matcher(text);
            if (name(file).contains("/src/main/") && found.find()) {
                String before = text.substring(0, found.start());
                if (!annotations.matcher(before).replaceFirst("").strip().endsWith("*/")) {
                    findings.add(name(file) + ":" + (before.lines().count() + 1));
                }
            }
        }
        assertThat(findings).as("open the type with a line on what it is").isEmpty();
    }

    @Test
    void theTopOfTheRepositoryHoldsNothingElse() throws IOException {
        try (Stream<Path> top = Files.list(ROOT)) {
            assertThat(top.map(path -> path.getFileName().toString()))
                    .filteredOn(name -> !name.startsWith(".") && !BUILD_OUTPUT.contains(name))
                    .as("one of the modules is the place for it")
                    .isSubsetOf(TOP_LEVEL);
        }
    }

    @Test
    void thereAreSourcesToRead() {
        assertThat(
                        sources().stream()
                                .map(file -> ROOT.relativize(file).getName(0).toString())
                                .distinct()
                                .sorted())
                .as("root %s", ROOT)
                .containsExactlyElementsOf(MODULES.stream().sorted().toList());
    }

    private static List<Path> sources() {
        List<Path> all = new ArrayList<>();
        for (String module : MODULES) {
            Path source = ROOT.resolve(module).resolve("src");
            if (!Files.isDirectory(source)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(source)) {
                files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(all::add);
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
        return all;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String name(Path file) {
        return ROOT.relativize(file).toString().replace(file.getFileSystem().getSeparator(), "/");
    }
}
