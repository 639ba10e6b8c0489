package topspin.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

@Timeout(30)
final class NodeClientTest {
    /** Answers a request that has been read; the socket is its own thread's. */
    private interface Script {
        void answer(String requestLine, Socket socket) throws IOException, InterruptedException;
    }

    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
    private final AtomicInteger connections = new AtomicInteger();
    private ServerSocket server = listen();
    private volatile Script script =
            (request, socket) -> write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void serve() {
        Thread.ofVirtual().start(this::acceptAll);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = server.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            return; // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                var head = new StringBuilder(line);
                int length = 0;
                for (String header = in.readLine(); !header.isEmpty(); header = in.readLine()) {
                    head.append('\n').append(header);
                    if (header.startsWith("Content-Length: ")) {
                        length = Integer.parseInt(header.substring(16));
                    }
                }
                for (int i = 0; i < length; i++) {
                    head.append(i == 0 ? "\n\n" : "").append((char) in.read());
                }
                heads.add(head.toString());
                script.answer(line, socket);
            }
        } catch (IOException e) {
            return; // Hung up.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(US_ASCII));
    }

    private NodeClient client() {
        SocketAddress address =
                new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
        var endpoint = new Endpoint("node", address, "host:1", "public", "private", false);
        return new NodeClient(endpoint, group.next(), System::nanoTime);
    }

    private static Reply get(CompletableFuture<Reply> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    @Test
    void asksWithTheTokenOfTheRoute() throws Exception {
        try (NodeClient client = client()) {
            assertThat(get(client.get("/a")).text()).isEqualTo("ok");
            assertThat(heads.take())
                    .startsWith("GET /a HTTP/1.1\nHost: host:1")
                    .contains("X-Algo-API-Token: public");
            get(client.askPrivate("POST", "/b", Duration.ofSeconds(5)));
            assertThat(heads.take())
                    .startsWith("POST /b HTTP/1.1")
                    .contains("X-Algo-API-Token: private")
                    .contains("Content-Length: 0");
            get(client.post("/c", "body".getBytes(US_ASCII)));
            assertThat(heads.take()).contains("Content-Length: 4").endsWith("\n\nbody");
        }
    }

    @Test
    void keepsConnectionsAndUsesThemAgain() throws Exception {
        try (NodeClient client = client()) {
            for (int i = 0; i < 20; i++) {
                get(client.get("/" + i));
            }
            assertThat(connections).hasValue(1);
        }
    }

    @Test
    void asksManyAtOnceButNotTooMany() throws Exception {
        try (NodeClient client = client()) {
            List<CompletableFuture<Reply>> all =
                    IntStream.range(0, 500).mapToObj(i -> client.get("/" + i)).toList();
            for (CompletableFuture<Reply> future : all) {
                assertThat(get(future).status()).isEqualTo(200);
            }
            assertThat(connections.get()).isBetween(2, NodeClient.REQUESTS_AT_ONCE_MAX);
        }
    }

    @Test
    void aConnectionThatWentStaleIsNoError() throws Exception {
        script =
                (request, socket) -> {
                    write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                    socket.close();
                };
        try (NodeClient client = client()) {
            for (int i = 0; i < 10; i++) {
                assertThat(get(client.get("/")).status()).isEqualTo(200);
            }
        }
    }

    @Test
    void saysWhoDidNotAnswerInTime() {
        var never = new CountDownLatch(1);
        script = (request, socket) -> never.await();
        try (NodeClient client = client()) {
            assertThatThrownBy(() -> get(client.get("/slow", new Body(8), Duration.ofMillis(100))))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("node: GET /slow: no reply within 0.1 s");
        } finally {
            never.countDown();
        }
    }

    @Test
    void saysWhoCannotBeReached() throws IOException {
        server.close();
        try (NodeClient client = client()) {
            assertThatThrownBy(() -> get(client.get("/")))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("node: GET /: cannot connect");
        }
    }

    @Test
    void saysWhoAnswersNonsense() {
        script = (request, socket) -> write(socket, "SSH-2.0-OpenSSH_9.6\r\n");
        try (NodeClient client = client()) {
            assertThatThrownBy(() -> get(client.get("/")))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("not an HTTP reply");
        }
    }

    @Test
    void aPostIsNeverSentTwice() throws Exception {
        script = (request, socket) -> socket.close();
        try (NodeClient client = client()) {
            assertThatThrownBy(() -> get(client.post("/", new byte[1])))
                    .isInstanceOf(ExecutionException.class);
            assertThat(heads).hasSize(1);
        }
    }

    @Test
    void submissionsAreNotHeldUpByOneAnother() throws Exception {
        var all = new CountDownLatch(20);
        var accepted = new LinkedBlockingQueue<Long>();
        script = (request, socket) -> all.countDown();
        var listener =
                new SubmitListener() {
                    @Override
                    public void accepted(long slot, long atNanos) {
                        accepted.add(slot);
                    }

                    @Override
                    public void refused(long slot, int status, String message) {
                        accepted.add(-slot);
                    }

                    @Override
                    public void unanswered(long slot, String reason) {
                        accepted.add(-1_000L);
                    }
                };
        try (NodeClient client = client()) {
            var lanes = new ArrayList<SubmitLane>();
            var opened = new CountDownLatch(1);
            group.next().execute(() -> lanes.addAll(client.openSubmitLanes(1, listener)));
            group.next().schedule(opened::countDown, 200, TimeUnit.MILLISECONDS);
            opened.await();
            group.next()
                    .execute(
                            () -> {
                                var bytes = io.netty.buffer.Unpooled.copiedBuffer("txn", US_ASCII);
                                for (long slot = 0; slot < 20; slot++) {
                                    lanes.getFirst().append(slot, bytes, 0, 3);
                                }
                                lanes.getFirst().flush();
                            });
            // All twenty arrive though none is answered.
            assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(heads.take()).startsWith("POST /v2/transactions").endsWith("\n\ntxn");
            assertThat(accepted).isEmpty();
        }
    }
}
