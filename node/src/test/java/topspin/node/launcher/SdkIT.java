package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The official SDKs, as published, against a network of ours, in the default block mode and with a
 * block for each submission. A language that is absent fails, unless it is left out by name: {@code
 * -Dtopspin.sdk.without=go}.
 */
@Tag("interop")
final class SdkIT {
    /** Names, parted by commas, of languages whose SDK is not asked for. */
    private static final String LEFT_OUT = "topspin.sdk.without";

    private static final List<String> LANGUAGES = List.of("javascript", "python", "go");

    /** What every suite does. */
    private static final List<String> STEPS =
            List.of(
                    "dispenser through kmd",
                    "params",
                    "fund",
                    "pay with note and lease",
                    "close",
                    "rekey and back",
                    "multisig",
                    "atomic group of 16",
                    "asset create",
                    "asset opt-in",
                    "asset transfer",
                    "asset clawback",
                    "asset freeze",
                    "asset reconfigure",
                    "asset destroy",
                    "keyreg",
                    "pending",
                    "blocks",
                    "proofs",
                    "account and supply",
                    "simulate a group",
                    "wrong token",
                    "overspend text");

    @TempDir private Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"interval:1s", "instant"})
    void theJavaScriptSdk(String blocks) throws Exception {
        require("javascript", "npm");
        Path scripts = copied("javascript");
        Launcher.run(scripts, Map.of(), List.of("npm", "ci", "--silent", "--ignore-scripts"))
                .expectSuccess();
        try (Launcher.Network network = up(blocks)) {
            assertThat(suite(scripts, network, "node", "suite.mjs")).isEqualTo(STEPS);
            assertThat(suite(scripts, network, "node", "utils.mjs")).contains("simulate");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"interval:1s", "instant"})
    void thePythonSdk(String blocks) throws Exception {
        require("python", "python3");
        Path scripts = copied("python");
        Launcher.run(scripts, Map.of(), List.of("python3", "-m", "venv", "--copies", "packages"))
                .expectSuccess();
        Launcher.run(
                        scripts,
                        Map.of("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
                        List.of(
                                "packages/bin/pip",
                                "install",
                                "--quiet",
                                "--requirement",
                                "requirements.txt"))
                .expectSuccess();
        try (Launcher.Network network = up(blocks)) {
            assertThat(suite(scripts, network, "packages/bin/python", "suite.py")).isEqualTo(STEPS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"interval:1s", "instant"})
    void theGoSdk(String blocks) throws Exception {
        require("go", "go");
        Path scripts = copied("go");
        Launcher.run(scripts, Map.of(), List.of("go", "build", "-o", "suite", ".")).expectSuccess();
        try (Launcher.Network network = up(blocks)) {
            assertThat(suite(scripts, network, "./suite")).isEqualTo(STEPS);
        }
    }

    private static void require(String language, String program) {
        List<String> leftOut =
                Pattern.compile(",")
                        .splitAsStream(System.getProperty(LEFT_OUT, ""))
                        .filter(name -> !name.isEmpty())
                        .toList();
        assertThat(LANGUAGES).as(LEFT_OUT).containsAll(leftOut);
        Assumptions.assumeFalse(
                leftOut.contains(language), language + " is left out by name: " + LEFT_OUT);
        boolean found =
                Pattern.compile(File.pathSeparator)
                        .splitAsStream(System.getenv("PATH"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
        assertThat(found)
                .as("%s is on the PATH; -D%s=%s leaves its SDK out", program, LEFT_OUT, language)
                .isTrue();
    }

    /** A copy of a suite, so that packages go to a temporary folder. */
    private Path copied(String language) throws IOException {
        Path from = Launcher.root().resolve("node/src/test/sdk").resolve(language);
        Path to = Files.createDirectories(temporary.resolve(language));
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
        return to;
    }

    private Launcher.Network up(String blocks) {
        return Launcher.Network.up(temporary.resolve("network"), "--blocks", blocks);
    }

    /** What a suite did, by its own account. */
    private static List<String> suite(Path folder, Launcher.Network network, String... program) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(network.kmd(), network.url(1), network.url(2)));
        JsonNode done = Launcher.run(folder, Map.of(), command).expectSuccess().json().get("done");
        List<String> steps = new ArrayList<>();
        done.forEach(step -> steps.add(step.textValue()));
        return steps;
    }
}
