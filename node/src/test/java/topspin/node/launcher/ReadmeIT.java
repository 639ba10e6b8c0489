package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The README is true: each line of a block tagged {@code run} does what it says, in the order of
 * the page.
 */
final class ReadmeIT {
    private static final Pattern BLOCK =
            Pattern.compile("^```run\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);

    /** Options of mvn that the README may use, besides the profiles of the root pom. */
    private static final List<String> MVN_WORDS =
            List.of("mvn", "verify", "package", "validate", "-N", "-DskipTests");

    @TempDir Path home;

    @TestFactory
    Stream<DynamicTest> eachLineThatReadersRunWorks() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (String line : lines()) {
            tests.add(DynamicTest.dynamicTest(line, () -> check(line)));
        }
        assertThat(tests).as("lines tagged run in the README").hasSizeGreaterThan(3);
        return tests.stream();
    }

    private static List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(Files.readString(Launcher.root().resolve("README.md")));
        while (blocks.find()) {
            blocks.group(1)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .forEach(lines::add);
        }
        return lines;
    }

    private void check(String line) throws IOException {
        if (line.startsWith("mvn ")) {
            checkMaven(line);
            return;
        }
        // Short, and away from the reader's own network: the lines stay as they are.
        String command =
                line.contains(" pingpong")
                        ? line.replaceAll(" --duration \\S+", "")
                                + " --duration 5s --report "
                                + home.resolve("report")
                        : line;
        Launcher.run(
                        Launcher.root(),
                        Map.of("HOME", home.toString(), "TOPSPIN_JAVA_OPTS", "-Duser.home=" + home),
                        List.of("bash", "-c", command))
                .expectSuccess();
    }

    private static void checkMaven(String line) throws IOException {
        String pom = Files.readString(Launcher.root().resolve("pom.xml"));
        for (String word : line.split(" ")) {
            if (word.startsWith("-P")) {
                assertThat(pom)
                        .as("profile of " + line)
                        .contains("<id>" + word.substring(2) + "</id>");
            } else {
                assertThat(MVN_WORDS).as("word of " + line).contains(word);
            }
        }
    }
}
