package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Whoever else asks the node does not disturb the network: 500 clients that wait for each round and
 * 5,000 questions for the status a second leave pingpong's 3,000 transactions a second held. For a
 * machine with nothing else to do.
 */
@Tag("long")
@Timeout(600)
final class LoadedRestIT {
    private static final String TOKEN = "a".repeat(64);
    private static final int WAITERS = 500;
    private static final int STATUS_PER_SECOND = 5_000;
    private static final int STATUS_CONNECTIONS = 10;
    private static final int TICK_MILLIS = 10;
    private static final int SECONDS = 60;

    /** Of answers whose time is kept; a run has 300,000. */
    private static final int TIMES_MAX = 1 << 20;

    @TempDir private Path temporary;

    private final LongAdder waitsAnswered = new LongAdder();
    private final LongAdder statusAnswered = new LongAdder();
    private final LongAdder otherAnswers = new LongAdder();
    private final long[] statusNanos = new long[TIMES_MAX];
    private int statusTimed;
    private volatile boolean over;

    @Test
    void otherClientsLeaveTheLoadHeld() throws Exception {
        List<Client> clients = new ArrayList<>();
        try (Launcher.Network network =
                        Launcher.Network.up(temporary.resolve("net"), "--blocks", "interval:1s");
                ScheduledExecutorService pacer = Executors.newSingleThreadScheduledExecutor()) {
            URI node = URI.create(network.url(1));
            for (int i = 0; i < WAITERS; i++) {
                Client client = new Client(node);
                clients.add(client);
                Thread.ofVirtual().start(() -> waitForever(client));
            }
            List<Asker> askers = new ArrayList<>();
            for (int i = 0; i < STATUS_CONNECTIONS; i++) {
                Asker asker = new Asker(new Client(node));
                clients.add(asker.client);
                askers.add(asker);
                Thread.ofVirtual().start(asker::read);
            }
            int each = STATUS_PER_SECOND * TICK_MILLIS / 1_000 / STATUS_CONNECTIONS;
            pacer.scheduleAtFixedRate(
                    () -> askers.forEach(asker -> asker.ask(each)),
                    0,
                    TICK_MILLIS,
                    TimeUnit.MILLISECONDS);
            long began = System.nanoTime();
            Launcher.Outcome outcome =
                    Launcher.topspin(
                            "pingpong",
                            "--network",
                            network.folder.toString(),
                            "--tps",
                            "3000",
                            "--duration",
                            SECONDS + "s",
                            "--report",
                            temporary.resolve("report").toString(),
                            "--json");
            double seconds = (System.nanoTime() - began) / 1e9;
            over = true;
            pacer.shutdown();
            report(outcome.json(), seconds);

            assertThat(outcome.status()).as(outcome.err()).isZero();
            assertThat(outcome.json().path("verdict").asText()).isEqualTo("held");
            assertThat(otherAnswers.sum()).isZero();
            assertThat(statusAnswered.sum())
                    .isGreaterThan((long) (0.98 * STATUS_PER_SECOND * seconds));
            // Each is told of each round; blocks come a second apart, or a little more.
            assertThat(waitsAnswered.sum()).isGreaterThan((long) (0.9 * WAITERS * SECONDS));
        } finally {
            over = true;
            for (Client client : clients) {
                client.socket.close();
            }
        }
    }

    private void report(JsonNode run, double seconds) throws IOException {
        long[] times;
        synchronized (statusNanos) {
            times = Arrays.copyOf(statusNanos, statusTimed);
        }
        Arrays.sort(times);
        Figures.keep(
                "under other clients %s, confirmed %.1f/s, in blocks %.1f/s; %.0f statuses a second, p50 %.2f p99 %.2f ms; %d waits answered"
                        .formatted(
                                run.path("verdict").asText(),
                                run.path("confirmed_tps").doubleValue(),
                                run.path("block_tps").doubleValue(),
                                statusAnswered.sum() / seconds,
                                times.length == 0 ? 0 : times[times.length / 2] / 1e6,
                                times.length == 0 ? 0 : times[times.length * 99 / 100] / 1e6,
                                waitsAnswered.sum()));
    }

    /** Waits for one round after the other. */
    private void waitForever(Client client) {
        try {
            long round = 0;
            while (!over) {
                client.send(get("/v2/status/wait-for-block-after/" + round));
                round = lastRound(client.read());
                waitsAnswered.increment();
            }
        } catch (IOException | RuntimeException broken) {
            if (!over) {
                otherAnswers.increment();
            }
        }
    }

    private static long lastRound(byte[] body) {
        String text = new String(body, StandardCharsets.US_ASCII);
        int from = text.indexOf("\"last-round\":") + "\"last-round\":".length();
        return Long.parseLong(text, from, text.indexOf(',', from), 10);
    }

    private static byte[] get(String path) {
        return ("GET " + path + " HTTP/1.1\r\nHost: x\r\nX-Algo-API-Token: " + TOKEN + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Asks for the status on a schedule that waits for no answer. */
    private final class Asker {
        private static final byte[] STATUS = get("/v2/status");

        private final Client client;
        private final ConcurrentLinkedQueue<Long> asked = new ConcurrentLinkedQueue<>();

        Asker(Client client) {
            this.client = client;
        }

        void ask(int times) {
            byte[] all = new byte[times * STATUS.length];
            for (int i = 0; i < times; i++) {
                System.arraycopy(STATUS, 0, all, i * STATUS.length, STATUS.length);
                asked.add(System.nanoTime());
            }
            try {
                client.send(all);
            } catch (IOException broken) {
                if (!over) {
                    otherAnswers.increment();
                }
            }
        }

        void read() {
            try {
                while (!over) {
                    client.read();
                    long nanos = System.nanoTime() - asked.remove();
                    statusAnswered.increment();
                    synchronized (statusNanos) {
                        if (statusTimed < TIMES_MAX) {
                            statusNanos[statusTimed++] = nanos;
                        }
                    }
                }
            } catch (IOException | RuntimeException broken) {
                if (!over) {
                    otherAnswers.increment();
                }
            }
        }
    }

    /** A connection that is kept, and takes answers of status 200 with a length. */
    private static final class Client {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;

        Client(URI node) throws IOException {
            socket = new Socket(InetAddress.getByName(node.getHost()), node.getPort());
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream(), 1 << 14);
            out = socket.getOutputStream();
        }

        void send(byte[] request) throws IOException {
            out.write(request);
        }

        byte[] read() throws IOException {
            String status = line();
            int length = -1;
            for (String line = line(); !line.isEmpty(); line = line()) {
                if (line.startsWith("Content-Length: ")) {
                    length = Integer.parseInt(line.substring("Content-Length: ".length()));
                }
            }
            byte[] body = in.readNBytes(Math.max(0, length));
            if (!status.equals("HTTP/1.1 200 OK") || body.length != length) {
                throw new IOException("not served: " + status);
            }
            return body;
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            int c;
            while ((c = in.read()) != '\n') {
                if (c < 0) {
                    throw new EOFException();
                }
                if (c != '\r') {
                    line.append((char) c);
                }
            }
            return line.toString();
        }
    }
}
