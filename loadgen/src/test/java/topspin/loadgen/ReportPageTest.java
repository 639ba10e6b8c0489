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
                    assertThat(browser.evaluate(Browser.OVERFLOW).asInt())
                            .as("overflow, " + where)
                            .isZero();
                    assertThat(browser.evaluate(Browser.FAINT).asText())
                            .as("contrast, " + where)
                            .isEmpty();
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
