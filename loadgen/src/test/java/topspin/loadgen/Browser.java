package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A headless Chromium with one page, driven by the DevTools protocol. */
public final class Browser implements AutoCloseable, WebSocket.Listener {
    /** Texts whose contrast with what is behind them is below 4.5, by WCAG's formula. */
    public static final String FAINT =
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
    public static final String OVERFLOW =
            "document.documentElement.scrollWidth - document.documentElement.clientWidth";

    private static final long SECONDS_MAX = 30;

    private final JsonMapper mapper = JsonMapper.builder().build();
    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<Integer, CompletableFuture<JsonNode>> calls = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final StringBuilder message = new StringBuilder();
    private final WebSocket socket;
    private final String session;
    private volatile CompletableFuture<Boolean> loaded = new CompletableFuture<>();

    /**
     * Starts one.
     *
     * @param profile a folder for what it keeps
     */
    public Browser(Path profile) throws Exception {
        process =
                new ProcessBuilder(
                                "chromium",
                                "--headless=new",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--disable-background-networking",
                                "--disable-quic",
                                "--no-first-run",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile,
                                "about:blank")
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        socket =
                http.newWebSocketBuilder()
                        .buildAsync(URI.create(address()), this)
                        .get(SECONDS_MAX, TimeUnit.SECONDS);
        JsonNode target = call("", "Target.createTarget", Map.of("url", "about:blank"));
        session =
                call(
                                "",
                                "Target.attachToTarget",
                                Map.of(
                                        "targetId",
                                        target.path("targetId").asText(),
                                        "flatten",
                                        true))
                        .path("sessionId")
                        .asText();
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(session, domain + ".enable", Map.of());
        }
    }

    private String address() throws IOException {
        BufferedReader err = process.errorReader(StandardCharsets.UTF_8);
        for (String line = err.readLine(); line != null; line = err.readLine()) {
            if (line.startsWith("DevTools listening on ")) {
                Thread.ofVirtual().start(() -> err.lines().forEach(rest -> {}));
                return line.substring("DevTools listening on ".length());
            }
        }
        throw new IOException("chromium did not start");
    }

    /** Shows a page as wide as asked, in light, dark or print, and returns when it has loaded. */
    public void open(URI page, int width, String media, String scheme) throws Exception {
        call(
                session,
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        call(
                session,
                "Emulation.setEmulatedMedia",
                Map.of(
                        "media",
                        media,
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        loaded = new CompletableFuture<>();
        call(session, "Page.navigate", Map.of("url", page.toString()));
        loaded.get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    /** The value of an expression in the page. */
    public JsonNode evaluate(String expression) throws Exception {
        return call(
                        session,
                        "Runtime.evaluate",
                        Map.of(
                                "expression",
                                expression,
                                "returnByValue",
                                true,
                                "awaitPromise",
                                true))
                .path("result")
                .path("value");
    }

    /** Presses and lets go a key, by its name as the page sees it, such as {@code Tab}. */
    public void press(String key, int code) throws Exception {
        for (String type : List.of("rawKeyDown", "keyUp")) {
            call(
                    session,
                    "Input.dispatchKeyEvent",
                    Map.of("type", type, "key", key, "windowsVirtualKeyCode", code));
        }
    }

    /** Keeps a picture of the whole page. */
    public void picture(Path png) throws Exception {
        JsonNode taken =
                call(
                        session,
                        "Page.captureScreenshot",
                        Map.of("format", "png", "captureBeyondViewport", true));
        Files.createDirectories(png.toAbsolutePath().getParent());
        Files.write(png, Base64.getDecoder().decode(taken.path("data").asText()));
    }

    /** What the console has seen of errors, and what was thrown. */
    public List<String> complaints() {
        return complaints;
    }

    /** What was asked of the network, files apart. */
    public List<String> requests() {
        return requests;
    }

    private JsonNode call(String of, String method, Map<String, Object> params)
            throws InterruptedException, ExecutionException, TimeoutException {
        int id = ids.incrementAndGet();
        var reply = new CompletableFuture<JsonNode>();
        calls.put(id, reply);
        ObjectNode request = mapper.createObjectNode().put("id", id).put("method", method);
        request.set("params", mapper.valueToTree(params));
        if (!of.isEmpty()) {
            request.put("sessionId", of);
        }
        socket.sendText(request.toString(), true).get(SECONDS_MAX, TimeUnit.SECONDS);
        return reply.get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        message.append(data);
        if (last) {
            take(message.toString());
            message.setLength(0);
        }
        from.request(1);
        return CompletableFuture.completedStage(true);
    }

    private void take(String text) {
        JsonNode json;
        try {
            json = mapper.readTree(text);
        } catch (IOException e) {
            complaints.add("not JSON: " + text);
            return;
        }
        CompletableFuture<JsonNode> call = calls.remove(json.path("id").asInt(-1));
        if (call != null) {
            call.complete(json.path("result"));
            return;
        }
        JsonNode params = json.path("params");
        switch (json.path("method").asText()) {
            case "Page.loadEventFired" -> loaded.complete(true);
            case "Runtime.exceptionThrown" -> complaints.add(params.toString());
            case "Runtime.consoleAPICalled" -> {
                if (!"log".equals(params.path("type").asText())) {
                    complaints.add(params.toString());
                }
            }
            case "Log.entryAdded" -> complaints.add(params.toString());
            case "Network.requestWillBeSent" -> {
                String url = params.at("/request/url").asText();
                if (!url.startsWith("file:") && !url.startsWith("data:")) {
                    requests.add(url);
                }
            }
            default -> {}
        }
    }

    @Override
    public void close() {
        socket.abort();
        http.close();
        process.destroy();
        process.onExit().orTimeout(10, TimeUnit.SECONDS).exceptionally(e -> kill()).join();
    }

    private Process kill() {
        return process.destroyForcibly().onExit().join();
    }
}
