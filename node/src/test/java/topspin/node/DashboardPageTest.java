package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import topspin.loadgen.Browser;
import topspin.loadgen.Commands;
import topspin.node.devmode.BlockMode;

import java.io.PrintWriter;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The dashboard in a real browser, beside a network under load. */
@Tag("interop")
@Timeout(240)
final class DashboardPageTest {
    private static final Path ROOT = Path.of(System.getProperty("topspin.root"));
    private static final Path PICTURES = ROOT.resolve("node/target/dashboard");
    private static final String TAB = "Tab";
    private static final int TAB_CODE = 9;
    private static final long SECONDS_MAX = 60;

    private final List<Node> nodes = new ArrayList<>();
    private LocalNetwork network;
    private Browser browser;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        Path config = ROOT.resolve("config");
        network =
                LocalNetwork.create(
                        folder.resolve("network"),
                        NetworkTemplate.read(config.resolve("network.json")),
                        new LocalNetwork.Plan(
                                2,
                                new BlockMode.Interval(Duration.ofSeconds(1)),
                                LocalNetwork.Plan.V42,
                                0),
                        config.resolve("consensus.json"));
        for (LocalNetwork.Member member : network.members()) {
            Path data = member.folder();
            NodeConfig settings = NodeConfig.read(data.resolve("config.json"));
            nodes.add(Node.start(data, settings, InstantSource.system()));
        }
        browser = new Browser(folder.resolve("profile"));
    }

    @AfterEach
    void stop() {
        browser.close();
        nodes.reversed().forEach(Node::close);
    }

    @Test
    void isAliveUnderLoadReadableEverywhereAndComplainsOfNothing() throws Exception {
        CompletableFuture<Integer> load = CompletableFuture.supplyAsync(this::pingpong);
        for (int width : new int[] {390, 1440}) {
            for (String scheme : new String[] {"light", "dark"}) {
                String where = scheme + " at " + width;
                // From elsewhere: another fragment alone would not load the page again.
                browser.open(URI.create("about:blank"), width, "screen", scheme);
                browser.open(page("#token=" + Tokens.WELL_KNOWN), width, "screen", scheme);
                await("document.getElementById('n-round') !== null");
                await("document.querySelectorAll('#transactions tr').length > 0");
                await("document.querySelectorAll('#pictures canvas').length === 4");
                assertThat(browser.evaluate("location.hash").asText())
                        .as("the token leaves the address bar")
                        .isEmpty();
                search();
                await("history_.t.length >= 5"); // Lines to be seen in the pictures.
                browser.picture(PICTURES.resolve(scheme + "-" + width + ".png"));
                assertThat(browser.evaluate(Browser.OVERFLOW).asInt())
                        .as("overflow, " + where)
                        .isZero();
                assertThat(browser.evaluate(Browser.FAINT).asText())
                        .as("contrast, " + where)
                        .isEmpty();
            }
        }
        long round = number("n-round");
        long confirmed = number("n-confirmed");
        await(
                "parseInt(document.getElementById('n-round').textContent.replace(/,/g, '')) > "
                        + round);
        await(
                "parseInt(document.getElementById('n-confirmed').textContent.replace(/,/g, '')) > "
                        + confirmed);
        await("parseFloat(document.getElementById('n-tps').textContent) > 1");
        assertThat(text("standing")).isEqualTo("In step with 1 peer");
        assertThat(browser.evaluate("document.getElementById('peers').textContent").asText())
                .as("bytes of the peer, in and out")
                .containsPattern("node([1-9][0-9,]* (B|KiB|MiB)){2}");
        assertThat(load.get(120, TimeUnit.SECONDS)).as("pingpong's exit status").isZero();
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests())
                .allSatisfy(
                        url ->
                                assertThat(url)
                                        .startsWith(page("").toString())
                                        .doesNotContain(Tokens.WELL_KNOWN));
    }

    @Test
    void saysWhenTheNodeIsAloneAndWhenItIsGone() throws Exception {
        browser.open(page("#token=" + Tokens.WELL_KNOWN), 1440, "screen", "light");
        await("document.getElementById('standing').textContent === 'In step with 1 peer'");
        nodes.removeLast().close();
        await("document.getElementById('standing').textContent.includes('alone')");
        browser.picture(PICTURES.resolve("alone.png"));
        nodes.removeLast().close();
        await("document.getElementById('standing').textContent.includes('does not answer')");
    }

    @Test
    void asksForTheTokenAndCanBeUsedByKeyboard() throws Exception {
        browser.open(page(""), 390, "screen", "light");
        await("!document.getElementById('ask').hidden");
        assertThat(browser.evaluate("document.activeElement.id").asText()).isEqualTo("token");
        assertThat(browser.evaluate(Browser.OVERFLOW).asInt()).isZero();
        assertThat(browser.evaluate(Browser.FAINT).asText()).isEmpty();
        browser.picture(PICTURES.resolve("token.png"));
        browser.evaluate("document.getElementById('token').value = '" + Tokens.WELL_KNOWN + "'");
        browser.evaluate("document.getElementById('ask-form').requestSubmit()");
        await("document.getElementById('n-round') !== null");
        await("document.querySelectorAll('#blocks tr').length > 0");

        assertThat(focused()).as("focus, once the token is taken").isEqualTo("look");
        // Loaded anew, with the token of this tab: from the top, in the order of the page.
        browser.open(page(""), 390, "screen", "light");
        await("document.querySelectorAll('#blocks tr').length > 0");
        List<String> reached = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            browser.press(TAB, TAB_CODE);
            reached.add(focused());
        }
        assertThat(reached).containsExactly("skip", "look", "BUTTON");
        assertThat(
                        browser.evaluate(
                                        "[...document.querySelectorAll('input')].every(i =>"
                                                + " i.labels.length === 1)")
                                .asBoolean())
                .as("every field has a label")
                .isTrue();
    }

    private String focused() throws Exception {
        return browser.evaluate("document.activeElement.id || document.activeElement.tagName")
                .asText();
    }

    /** By round, by a transaction of the list, by its sender: each is found. */
    private void search() throws Exception {
        find("'1'");
        await("document.getElementById('found').textContent.startsWith('Round 1')");
        find("document.querySelector('#transactions tr td:nth-child(3) button').title");
        await("document.getElementById('found').textContent.includes('microAlgos')");
        find("document.querySelector('#transactions button').title");
        await("document.getElementById('found').textContent.includes('in-block')");
        assertThat(text("found")).contains("confirmed");
    }

    private void find(String what) throws Exception {
        browser.evaluate("document.getElementById('look').value = " + what);
        browser.evaluate("document.getElementById('look-form').requestSubmit()");
    }

    private int pingpong() {
        CommandLine line = new CommandLine(new Commands());
        line.setOut(new PrintWriter(Writer.nullWriter()));
        line.setErr(new PrintWriter(Writer.nullWriter()));
        return line.execute(
                "--network",
                network.folder().toString(),
                "--tps",
                "50",
                "--accounts",
                "20",
                "--warmup",
                "2s",
                "--duration",
                "25s",
                "--no-recording",
                "--report",
                network.folder().resolve("report").toString());
    }

    private URI page(String fragment) {
        return URI.create(
                "http://127.0.0.1:" + nodes.getFirst().restAddress().getPort() + "/" + fragment);
    }

    private String text(String id) throws Exception {
        return browser.evaluate("document.getElementById('" + id + "').textContent").asText();
    }

    private long number(String id) throws Exception {
        return Long.parseLong(text(id).replace(",", ""));
    }

    private void await(String condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (!browser.evaluate(condition).asBoolean()) {
            assertThat(System.nanoTime())
                    .as("in vain: " + condition + "; console: " + browser.complaints())
                    .isLessThan(end);
            LockSupport.parkNanos(50_000_000);
        }
    }
}
