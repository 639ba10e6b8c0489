package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The report in a real browser, as wide as a telephone and as a desk, light, dark and printed. */
@Tag("interop")
@Timeout(180)
final class ReportPageTest {
    /** Texts whose contrast with what is behind them is below 4.5, by WCAG's formula. */
    private static final String FAINT =
            """
            (() => {
              const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
              const luminance = ([r, g, b]) => {
                const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
                return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
              };
              const behind = e => {
                for (let at = e; at; at = at.parentElement) {
                  const c = parse(getComputedStyle(at).backgroundColor);
                  if (c.length === 3 || c[3] === 1) return c;
                }
                return [255, 255, 255];
              };
              const faint = [];
              const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              while (walk.nextNode()) {
                const e = walk.currentNode.parentElement;
                if (!walk.currentNode.data.trim() || ['SCRIPT', 'STYLE'].includes(e.tagName)) continue;
                const [a, b] = [luminance(parse(getComputedStyle(e).color)), luminance(behind(e))];
                const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (contrast < 4.5) faint.push(walk.currentNode.data + ': ' + contrast);
              }
              return faint.join('; ');
            })()
            """;

    /** Elements that stick out of the window, those that scroll within themselves apart. */
    private static final String OVERFLOW =
            "document.documentElement.scrollWidth - document.documentElement.clientWidth";

    @TempDir private Path folder;

    @Test
    void isReadableEverywhereAndComplainsOfNothing() throws Exception {
        Path report = folder.resolve("report");
        new SampleRun().report().write(report, new SampleRun().report().json());
        try (var browser = new Browser(folder.resolve("profile"))) {
            for (int width : new int[] {390, 1440}) {
                for (String look : new String[] {"screen light", "screen dark", "print light"}) {
                    String[] media = look.split(" ");
                    browser.open(report.resolve("index.html").toUri(), width, media[0], media[1]);
                    String where = look + " at " + width;
                    assertThat(browser.evaluate(OVERFLOW).asInt())
                            .as("overflow, " + where)
                            .isZero();
                    assertThat(browser.evaluate(FAINT).asText()).as("contrast, " + where).isEmpty();
                    assertThat(
                                    browser.evaluate("document.querySelectorAll('canvas').length")
                                            .asInt())
                            .as("pictures, " + where)
                            .isEqualTo(10);
                }
            }
            assertThat(browser.complaints()).isEmpty();
            assertThat(browser.requests()).isEmpty();
        }
    }
}
