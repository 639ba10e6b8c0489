package topspin.loadgen;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The report as one HTML file that refers to nothing outside it. */
final class Page {
    private static final String TEMPLATE = "/topspin/loadgen/report.html";
    private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

    private Page() {}

    /**
     * The page of a run.
     *
     * @param baseline another run, for comparison in each picture
     */
    static String of(JsonNode run, @Nullable JsonNode baseline) {
        String page = resource(TEMPLATE);
        page = fill(page, "uplot-css", resource(UPLOT + "uPlot.min.css"));
        page = fill(page, "uplot-js", resource(UPLOT + "uPlot.iife.min.js"));
        page = fill(page, "run", script(run));
        return fill(page, "baseline", baseline == null ? "null" : script(baseline));
    }

    private static String fill(String page, String name, String content) {
        String mark = "{{" + name + "}}";
        int place = page.indexOf(mark);
        if (place < 0) {
            throw new IllegalStateException("the page has no place for " + name);
        }
        return page.substring(0, place) + content + page.substring(place + mark.length());
    }

    /** JSON that cannot end the script element it stands in, whatever a node said. */
    private static String script(JsonNode json) {
        return json.toString().replace("<", "\\u003c").replace("{{", "{\\u007b");
    }

    private static String resource(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("missing from the class path: " + name);
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
