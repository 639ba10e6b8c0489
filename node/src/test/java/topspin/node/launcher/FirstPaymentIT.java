package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.loadgen.Browser;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A new user with nothing but the README: its lines from a payment to its trace, exactly as they
 * stand there, and the page beside them in a real browser.
 */
@Tag("interop")
@Timeout(300)
final class FirstPaymentIT {
    private static final Pattern SECTION =
            Pattern.compile("^## From a payment to its trace\\n(.*?)^## ", flags());
    private static final Pattern BLOCK =
            Pattern.compile("(?:saved as `~/(\\S+)`:\\s+)?^```(walk|js)\\n(.*?)^```", flags());
    private static final Pattern PAGE = Pattern.compile("^  dashboard  (http\\S+)$", flags());
    private static final long SECONDS_MAX = 60;

    @TempDir private Path home;

    /** What the reader does: runs a line, or saves a file. */
    private record Step(String file, String text) {}

    private static int flags() {
        return Pattern.MULTILINE | Pattern.DOTALL;
    }

    @Test
    void whoFollowsTheReadmePaysSeesItAndTracesIt() throws Exception {
        List<Step> steps = steps();
        assertThat(steps).hasSize(6);
        try (Browser browser = new Browser(home.resolve("browser"))) {
            run(steps.get(0)); // npm, in a folder of its own
            String up = run(steps.get(1));
            List<URI> pages =
                    PAGE.matcher(up).results().map(page -> URI.create(page.group(1))).toList();
            assertThat(pages).hasSize(2);
            browser.open(pages.get(0), 1440, "screen", "light");
            await(browser, "document.querySelectorAll('#blocks tr').length > 0");

            save(steps.get(2));
            String txid = run(steps.get(3)).strip();
            assertThat(txid).matches("[A-Z2-7]{52}");
            await(browser, "document.querySelector('#transactions [title=" + txid + "]') !== null");
            browser.evaluate(
                    "document.querySelector('#transactions [title=" + txid + "]').click()");
            await(
                    browser,
                    "document.getElementById('found').textContent.includes('stateconfirmed')");

            String trace = run(steps.get(4));
            assertThat(trace)
                    .containsPattern("node1  confirmed in round \\d+")
                    .containsPattern("node2  confirmed in round \\d+")
                    .contains("from rest")
                    .contains("in-block");
            // Once the nodes are down the page asks for them in vain.
            assertThat(browser.complaints()).as("console").isEmpty();
            assertThat(run(steps.get(5))).contains("stopped 2 nodes");
        } finally {
            var unused = Launcher.run(Launcher.root(), environment(), bash(DOWN));
        }
    }

    private static final String DOWN = "node/bin/topspin network down";

    private static List<Step> steps() throws IOException {
        Matcher section = SECTION.matcher(Files.readString(Launcher.root().resolve("README.md")));
        assertThat(section.find()).as("the section is in the README").isTrue();
        List<Step> steps = new ArrayList<>();
        for (MatchResult block : BLOCK.matcher(section.group(1)).results().toList()) {
            if (block.group(2).equals("js")) {
                steps.add(new Step(block.group(1), block.group(3)));
            } else {
                block.group(3).lines().forEach(line -> steps.add(new Step("", line)));
            }
        }
        return steps;
    }

    private String run(Step step) {
        assertThat(step.file()).as("a line to run: " + step.text()).isEmpty();
        return Launcher.run(Launcher.root(), environment(), bash(step.text()))
                .expectSuccess()
                .out();
    }

    private void save(Step step) throws IOException {
        Files.writeString(home.resolve(step.file()), step.text());
    }

    private static List<String> bash(String line) {
        return List.of("bash", "-o", "pipefail", "-c", line);
    }

    /** Another home than ours, but the settings of this machine's npm. */
    private Map<String, String> environment() {
        String npm = Path.of(System.getProperty("user.home"), ".npmrc").toString();
        return Map.of(
                "HOME",
                home.toString(),
                "TOPSPIN_JAVA_OPTS",
                "-Duser.home=" + home,
                "NPM_CONFIG_USERCONFIG",
                npm);
    }

    private static void await(Browser browser, String condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (!browser.evaluate(condition).asBoolean()) {
            assertThat(System.nanoTime())
                    .as("in vain: " + condition + "; console: " + browser.complaints())
                    .isLessThan(end);
            LockSupport.parkNanos(50_000_000);
        }
    }
}
