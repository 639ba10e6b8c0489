package topspin.node.rest;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * The page of {@code GET /metrics}: names and where their values are read. The values are fields of
 * whoever counts; nothing is counted here. Filled before the server starts, then read by any
 * thread.
 *
 * <p>Where algod has a figure of the same meaning, it has algod's name; else it starts with {@code
 * topspin_}.
 */
public final class MetricsPage {
    /** As algod labels it: plain text, no version. */
    static final String CONTENT_TYPE = "text/plain";

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

    /** Receives the values of one name, by label. */
    @FunctionalInterface
    public interface Series {
        void add(String label, long value);
    }

    /**
     * A figure that only grows while the process lives.
     *
     * @param name ends in {@code _total}
     */
    public void counter(String name, String help, DoubleSupplier value) {
        CounterWithCallback.builder()
                .name(requireTotal(name))
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    /** Figures that only grow, one for each value of a label. */
    public void counters(String name, String help, String label, Consumer<Series> values) {
        CounterWithCallback.builder()
                .name(requireTotal(name))
                .help(help)
                .labelNames(label)
                .callback(
                        callback ->
                                values.accept(
                                        (labelled, value) ->
                                                callback.call((double) value, labelled)))
                .register(registry);
    }

    /** A figure that may fall. */
    public void gauge(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    /** Figures that may fall, one for each value of a label. */
    public void gauges(String name, String help, String label, Consumer<Series> values) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(label)
                .callback(
                        callback ->
                                values.accept(
                                        (labelled, value) ->
                                                callback.call((double) value, labelled)))
                .register(registry);
    }

    PrometheusRegistry registry() {
        return registry;
    }

    /** Reads all values and writes them in Prometheus's text format. */
    void writeTo(OutputStream out) throws IOException {
        writer.write(out, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
    }

    private static String requireTotal(String name) {
        if (!name.endsWith("_total")) {
            throw new IllegalArgumentException("a counter's name ends in _total: " + name);
        }
        return name;
    }
}
