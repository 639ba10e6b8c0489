package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A node that is told to stop, whatever it is at: soon, with status 0, and without a word. */
@Timeout(1_800)
final class StopIT {
    private static final long STOP_SECONDS_MAX = 5;
    private static final long START_SECONDS_MAX = 60;
    private static final String TOKEN = "a".repeat(64);

    @TempDir private Path temporary;

    /** From being told to stop to the end of the process, of each stop. */
    private final List<Long> stopMillis = new ArrayList<>();

    private Path data;
    private Path errors;

    @BeforeEach
    void makeNode() {
        Path network = temporary.resolve("network");
        // The folder of a network's first node, which is then run by itself.
        try (Launcher.Network made =
                Launcher.Network.up(network, "--nodes", "1", "--blocks", "interval:200ms")) {
            data = made.data(1);
        }
        errors = temporary.resolve("stderr");
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Launcher.path().toString(), "node", "run", "--data", data.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors.toFile())
                .start();
    }

    /** Where a node that runs answers. */
    private static String await(Process node, Path file) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
        while (!Files.exists(file)) {
            assertThat(node.isAlive()).as("the node starts").isTrue();
            assertThat(System.nanoTime()).as("the node starts in time").isLessThan(end);
            LockSupport.parkNanos(1_000_000); // Spinning would take from the start its processor.
        }
        return Files.readString(file).strip();
    }

    private void expectStop(Process node, long toldNanos) throws Exception {
        long end = toldNanos + TimeUnit.SECONDS.toNanos(STOP_SECONDS_MAX);
        boolean inTime = node.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        long millis = (System.nanoTime() - toldNanos) / 1_000_000;
        stopMillis.add(millis);
        assertThat(inTime).as("stopped %d ms after it was told to", millis).isTrue();
        assertThat(node.exitValue()).isZero();
        assertThat(Files.readString(errors)).isEmpty();
        assertThat(data.resolve("algod.pid")).doesNotExist();
    }

    private static Socket ask(String address, String request) throws IOException {
        int colon = address.lastIndexOf(':');
        Socket socket =
                new Socket(
                        address.substring(0, colon),
                        Integer.parseInt(address.substring(colon + 1)));
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: x\r\nX-Algo-API-Token: " + TOKEN + "\r\n\r\n";
    }

    private void stopWithWaits() throws Exception {
        Process node = start();
        String address = await(node, data.resolve("algod.net"));
        List<Socket> waiting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiting.add(ask(address, get("/v2/status/wait-for-block-after/1000000")));
        }
        try (Socket last = ask(address, get("/v2/status"))) {
            assertThat(last.getInputStream().read()).isEqualTo('H');
        }
        long told = System.nanoTime();
        node.destroy();
        for (Socket socket : waiting) {
            try (socket;
                    InputStream in = socket.getInputStream()) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.US_ASCII))
                        .startsWith("HTTP/1.1 500 ")
                        .endsWith("operation aborted as server is shutting down\"}\n");
            }
        }
        expectStop(node, told);
    }

    private void stopUnderLoad() throws Exception {
        Process node = start();
        String address = await(node, data.resolve("algod.net"));
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        String many = get("/v2/ledger/supply").repeat(1000);
                                        try (Socket socket = ask(address, many)) {
                                            socket.getInputStream().readAllBytes();
                                        } catch (IOException stopped) {
                                            // As it is meant to be.
                                        }
                                    }));
        }
        try (Socket first = ask(address, get("/v2/status"))) {
            assertThat(first.getInputStream().read()).isEqualTo('H');
        }
        long told = System.nanoTime();
        node.destroy();
        expectStop(node, told);
        for (Thread client : clients) {
            client.join();
        }
    }

    private void stopWhileItStarts() throws Exception {
        Files.deleteIfExists(data.resolve("node.log"));
        Process node = start();
        await(node, data.resolve("node.log")); // It has begun; nothing serves yet.
        long told = System.nanoTime();
        node.destroy();
        expectStop(node, told);
    }

    private void stopTwice() throws Exception {
        Process node = start();
        await(node, data.resolve("algod.net"));
        long told = System.nanoTime();
        node.destroy();
        node.destroy();
        expectStop(node, told);
    }

    private void stopInEachWay() throws Exception {
        stopWithWaits();
        stopUnderLoad();
        stopWhileItStarts();
        stopTwice();
    }

    @Test
    void itStops() throws Exception {
        stopWithWaits();
        stopWhileItStarts();
    }

    @Test
    @Tag("long")
    void itStopsAHundredTimes() throws Exception {
        for (int i = 0; i < 25; i++) {
            stopInEachWay();
        }
        Collections.sort(stopMillis);
        assertThat(stopMillis).hasSize(100);
        Figures.keep(
                "100 stops: median %d ms, most %d ms"
                        .formatted(stopMillis.get(50), stopMillis.getLast()));
    }
}
