package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpMethod;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;

/** The server on real sockets, with bytes as a client might really send them. */
final class RestServerTest {
    private static final String API = "a".repeat(64);
    private static final String ADMIN = "b".repeat(64);
    private static final byte[] IPV6_LOOPBACK = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    private static final String HEAD = "Host: x\r\nX-Algo-API-Token: " + API + "\r\n";

    private final Path folder;
    private final BlockingQueue<Exchange> held = new LinkedBlockingQueue<>();

    /** For a handler that reads its body after the client has left. */
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    private final CompletableFuture<byte[]> late = new CompletableFuture<>();

    /** A permit for each that its client left behind. */
    private final Semaphore abandoned = new Semaphore(0);

    private RestServer server;

    RestServerTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
        server = server(folder, Limits.DEFAULT);
        server.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RestServer server(Path folder, Limits limits) {
        return new RestServer(
                new RestConfig(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        folder.resolve("topspin.sock"),
                        new TokenCheck(API, ADMIN),
                        RestConfig.TOKEN_HEADER,
                        List.of("*"),
                        true,
                        false,
                        false,
                        false,
                        limits),
                table(),
                new RoundWaits(0, System::nanoTime),
                System::nanoTime,
                InstantSource.system());
    }

    private void restart(Limits limits) throws IOException {
        server.close();
        server = server(folder, limits);
        server.start();
    }

    private static Limits limits(int connections, int requests, long readMillis) {
        return new Limits(
                connections,
                requests,
                8192,
                10_000_000,
                32 << 20,
                64 << 20,
                64 << 20,
                readMillis,
                120_000,
                60_000);
    }

    private RouteTable table() {
        return new RouteTable(
                List.of(
                        Route.of(
                                HttpMethod.GET,
                                "/open",
                                Access.OPEN,
                                "",
                                exchange -> {
                                    exchange.json().nul();
                                    exchange.send(200);
                                }),
                        Route.of(
                                HttpMethod.GET,
                                "/held",
                                Access.PUBLIC,
                                "",
                                exchange -> {
                                    exchange.onAbandoned(() -> held.remove(exchange));
                                    held.add(exchange);
                                }),
                        Route.of(
                                HttpMethod.POST,
                                "/echo",
                                Access.PUBLIC,
                                "",
                                exchange -> {
                                    exchange.bytes("application/x-binary")
                                            .writeBytes(exchange.body());
                                    exchange.sendAsIs(200);
                                }),
                        Route.of(
                                        HttpMethod.POST,
                                        "/small",
                                        Access.PUBLIC,
                                        "",
                                        exchange -> exchange.empty(200))
                                .withBody(10),
                        Route.of(
                                HttpMethod.GET,
                                "/number/{round}",
                                Access.PUBLIC,
                                "",
                                exchange -> {
                                    exchange.json().uint(exchange.number(0, "round"));
                                    exchange.send(200);
                                }),
                        Route.of(
                                        HttpMethod.GET,
                                        "/long",
                                        Access.PUBLIC,
                                        "",
                                        exchange -> {
                                            exchange.json().string("x".repeat(8 << 20));
                                            exchange.send(200);
                                        })
                                .onWorker(),
                        Route.of(
                                HttpMethod.GET,
                                "/broken",
                                Access.PUBLIC,
                                "",
                                exchange -> {
                                    throw new IllegalStateException("on purpose");
                                }),
                        Route.of(
                                        HttpMethod.GET,
                                        "/deep",
                                        Access.PUBLIC,
                                        "",
                                        exchange -> descend(exchange, 0))
                                .onWorker(),
                        Route.of(
                                        HttpMethod.POST,
                                        "/late",
                                        Access.PUBLIC,
                                        "",
                                        exchange -> {
                                            ByteBuf body = exchange.body();
                                            held.add(exchange);
                                            left.join(); // Until the client has left.
                                            late.complete(ByteBufUtil.getBytes(body));
                                        })
                                .onWorker(),
                        Route.of(
                                        HttpMethod.POST,
                                        "/given",
                                        Access.PUBLIC,
                                        "",
                                        exchange -> {
                                            exchange.onAbandoned(abandoned::release);
                                            held.add(exchange);
                                        })
                                .inPipeline(),
                        Route.of(
                                HttpMethod.GET,
                                "/admin",
                                Access.ADMIN,
                                "",
                                exchange -> exchange.empty(200))));
    }

    private static int descend(Exchange exchange, int depth) {
        return exchange.isOpen() ? 1 + descend(exchange, depth + 1) : depth;
    }

    private RawClient client() throws IOException {
        return RawClient.connect(server.address());
    }

    private RawClient.Answer ask(String head) throws IOException {
        try (RawClient client = client()) {
            return client.send(head + "\r\n").read();
        }
    }

    @Test
    void answersWithTheHeadersOfTheReference() throws IOException {
        RawClient.Answer answer = ask("GET /open HTTP/1.1\r\nHost: x\r\n");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo("null\n");
        assertThat(answer.headers())
                .contains(
                        "Content-Type: application/json",
                        "Vary: Accept-Encoding",
                        "Vary: Origin",
                        "Content-Length: 5");
        assertThat(answer.header("Date")).endsWith("GMT");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /open, 200",
        "GET, /open/, 200",
        "GET, /open//, 404",
        "GET, //open, 404",
        "GET, /OPEN, 404",
        "GET, /./open, 404",
        "GET, /%6fpen, 404",
        "GET, /number/, 404",
        "GET, /number//, 404",
        "GET, /number/7, 200",
        "GET, /number/%37, 200",
        "GET, /number/7/8, 404",
        "GET, /, 405",
        "POST, /open, 405",
        "HEAD, /open, 405",
        "PATCH, /echo, 405",
        "GET, http://x/open, 200",
        "GET, /open?a=%zz;&b, 200",
        "OPTIONS, /open, 204",
        "OPTIONS, /nothing, 204",
        "GET, /open?x=y/, 200"
    })
    void findsRoutesAsTheReferenceDoes(String method, String target, int status)
            throws IOException {
        assertThat(ask(method + " " + target + " HTTP/1.1\r\n" + HEAD).status()).isEqualTo(status);
    }

    @Test
    void tellsWhichMethodsAPathHas() throws IOException {
        RawClient.Answer answer = ask("DELETE /echo HTTP/1.1\r\nHost: x\r\n");
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo("OPTIONS, POST");
        assertThat(answer.text()).isEqualTo("{\"message\":\"Method Not Allowed\"}\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "X-Algo-API-Token: x",
                "X-Algo-API-Token: ",
                "Authorization: Basic API",
                "Authorization: API",
                "Authorization: Bearer  API",
                "X-Indexer-API-Token: API",
                "X-Algo-API-Token: x\r\nAuthorization: Bearer API",
                "X-Algo-API-Token: APIa",
                "X-Algo-API-Token: A"
            })
    void refusesAnyOtherToken(String header) throws IOException {
        String line = header.isEmpty() ? "" : header.replace("API", API) + "\r\n";
        line = line.replace("X-Algo-" + API + "-Token", "X-Algo-API-Token");
        RawClient.Answer answer = ask("GET /number/1 HTTP/1.1\r\nHost: x\r\n" + line);
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.text()).isEqualTo("{\"message\":\"Invalid API Token\"}\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-algo-api-TOKEN: API",
                "Authorization: Bearer API",
                "authorization: bEARER API",
                "X-Algo-API-Token:  API ",
                "X-Algo-API-Token: \r\nAuthorization: Bearer API",
                "X-Algo-API-Token: ADMIN"
            })
    void takesTheTokenWhereverItMayStand(String header) throws IOException {
        String line = header.replace(" API", " " + API).replace(" ADMIN", " " + ADMIN);
        assertThat(ask("GET /number/1 HTTP/1.1\r\nHost: x\r\n" + line + "\r\n").status())
                .isEqualTo(200);
    }

    @Test
    void adminRoutesTakeTheAdminTokenOnly() throws IOException {
        assertThat(ask("GET /admin HTTP/1.1\r\n" + HEAD).status()).isEqualTo(401);
        assertThat(ask("GET /admin HTTP/1.1\r\n" + HEAD.replace(API, ADMIN)).status())
                .isEqualTo(200);
    }

    @Test
    void theUnixSocketIsItsOwnToken() throws IOException {
        Path socket = folder.resolve("topspin.sock");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");
        try (RawClient client = RawClient.connect(socket)) {
            client.send("GET /admin HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
        }
        server.close();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aLongSocketPathIsLinkedToAShortOne() throws IOException {
        Path deep = Files.createDirectories(folder.resolve("d".repeat(60)).resolve("e".repeat(60)));
        UnixSocket socket = UnixSocket.at(deep.resolve("topspin.sock"));
        assertThat(socket.bindAddress().getPath().toString().length()).isLessThan(100);
        Files.createFile(socket.bindAddress().getPath());
        socket.publish();
        assertThat(deep.resolve("topspin.sock").toRealPath())
                .isEqualTo(socket.bindAddress().getPath().toRealPath());
        socket.remove();
        assertThat(deep).isEmptyDirectory();
        assertThat(socket.bindAddress().getPath()).doesNotExist();
    }

    @Test
    void aPageMayCallWhenItsOriginIsAllowed() throws IOException {
        RawClient.Answer answer = ask("GET /number/1 HTTP/1.1\r\nHost: x\r\nOrigin: http://a\r\n");
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.header("Access-Control-Allow-Origin")).isEqualTo("*");

        RawClient.Answer preflight =
                ask(
                        lines(
                                "OPTIONS /echo HTTP/1.1",
                                "Host: x",
                                "Origin: http://a",
                                "Access-Control-Request-Private-Network: true"));
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight.headers())
                .contains(
                        "Allow: OPTIONS, POST",
                        "Access-Control-Allow-Origin: *",
                        "Access-Control-Allow-Methods: GET,POST,PUT,DELETE,OPTIONS",
                        "Access-Control-Allow-Headers: X-Algo-API-Token,Content-Type",
                        "Access-Control-Allow-Private-Network: true",
                        "Vary: Access-Control-Request-Method",
                        "Vary: Access-Control-Request-Headers");
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws IOException, InterruptedException {
        try (RawClient client = client()) {
            StringBuilder many = new StringBuilder("GET /held HTTP/1.1\r\n" + HEAD + "\r\n");
            for (int i = 0; i < 300; i++) {
                many.append("GET /number/")
                        .append(i)
                        .append(" HTTP/1.1\r\n")
                        .append(HEAD)
                        .append("\r\n");
            }
            client.send(many.toString());
            Exchange first = take();
            first.onLoop(exchange -> exchange.text(200, "held"));
            assertThat(client.read().text()).isEqualTo("held");
            for (int i = 0; i < 300; i++) {
                assertThat(client.read().text()).isEqualTo(i + "\n");
            }
        }
    }

    @Test
    void submissionsInARowAreUnderWayTogether() throws IOException, InterruptedException {
        try (RawClient client = client()) {
            client.send(
                    given(HEAD, "a")
                            + given(HEAD, "b")
                            + given(HEAD, "c")
                            + "GET /number/7 HTTP/1.1\r\n"
                            + HEAD
                            + "\r\n");
            List<Exchange> all = List.of(take(), take(), take());
            assertThat(server.requestsOpen()).isEqualTo(3); // What follows them waits.
            for (int i : new int[] {2, 0, 1}) {
                giveBack(all.get(i));
            }
            for (String text : List.of("a", "b", "c", "7\n")) {
                assertThat(client.read().text()).isEqualTo(text);
            }
        }
    }

    @Test
    void noMoreSubmissionsOfAConnectionAreUnderWayThanMayBe()
            throws IOException, InterruptedException {
        int count = 3 * Connection.PIPELINED_MAX;
        try (RawClient client = client()) {
            for (int i = 0; i < count; i++) {
                client.send(given(HEAD, String.valueOf(i)));
            }
            for (int i = 0; i < count; i++) {
                Exchange next = take();
                // One more while the answer before is on its way to its connection.
                assertThat(server.requestsOpen()).isLessThanOrEqualTo(Connection.PIPELINED_MAX + 1);
                giveBack(next);
            }
            for (int i = 0; i < count; i++) {
                assertThat(client.read().text()).isEqualTo(String.valueOf(i));
            }
        }
        assertThat(Connection.PIPELINED_MAX).isLessThan(Limits.DEFAULT.requestsMax());
    }

    @Test
    void aRefusalAmongSubmissionsWaitsForItsTurn() throws IOException, InterruptedException {
        String wrong = "Host: x\r\nX-Algo-API-Token: wrong\r\n";
        String last = HEAD + "Connection: close\r\n";
        try (RawClient client = client()) {
            client.send(given(HEAD, "a") + given(wrong, "b") + given(HEAD, "c") + given(last, "d"));
            giveBack(take());
            assertThat(client.read().text()).isEqualTo("a");
            assertThat(client.read().status()).isEqualTo(401);
            giveBack(take());
            giveBack(take());
            assertThat(client.read().text()).isEqualTo("c");
            RawClient.Answer end = client.read();
            assertThat(end.text()).isEqualTo("d");
            assertThat(end.header("Connection")).isEqualTo("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void whatIsNoRequestAmongSubmissionsWaitsForItsTurn() throws IOException, InterruptedException {
        try (RawClient client = client()) {
            client.send(given(HEAD, "a") + "nonsense\r\n\r\n");
            giveBack(take());
            assertThat(client.read().text()).isEqualTo("a");
            assertThat(client.readToEnd()).startsWith("HTTP/1.1 400 Bad Request");
        }
    }

    @Test
    void submissionsOfAClientThatSaysNoMoreAreAnswered() throws IOException, InterruptedException {
        try (RawClient client = client()) {
            client.send(given(HEAD, "a") + given(HEAD, "b")).endOutput();
            Exchange first = take();
            giveBack(take());
            giveBack(first);
            assertThat(client.read().text()).isEqualTo("a");
            assertThat(client.read().text()).isEqualTo("b");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void submissionsOfAClientThatLeavesAreAbandoned() throws IOException, InterruptedException {
        Exchange second;
        try (RawClient client = client()) {
            client.send(given(HEAD, "a") + given(HEAD, "b") + given(HEAD, "c"));
            Exchange first = take();
            second = take();
            giveBack(take()); // Its answer has to wait for the others', in vain.
            assertThat(first.isOpen()).isTrue();
            client.reset();
        }
        assertThat(abandoned.tryAcquire(2, 10, TimeUnit.SECONDS)).isTrue();
        giveBack(second); // To nobody.
        assertThat(server.requestsOpen()).isZero();
    }

    private static String given(String head, String body) {
        return "POST /given HTTP/1.1\r\n"
                + head
                + "Content-Length: "
                + body.length()
                + "\r\n\r\n"
                + body;
    }

    /** Answers with the body, from this thread. */
    private static void giveBack(Exchange exchange) {
        byte[] body = exchange.isOpen() ? exchange.bodyBytes() : new byte[0];
        exchange.bytes("application/x-binary").writeBytes(body);
        exchange.sendAsIs(200);
    }

    @Test
    void aBodyMayComeInPieces() throws IOException {
        try (RawClient client = client()) {
            client.send("POST /echo HTTP/1.1\r\n" + HEAD + "Transfer-Encoding: chunked\r\n\r\n");
            client.send("3\r\nabc\r\n");
            client.send("2\r\nde\r\n0\r\n\r\n");
            assertThat(client.read().text()).isEqualTo("abcde");
            client.send("POST /echo HTTP/1.1\r\n" + HEAD + "Content-Length: 4\r\n\r\nwx");
            client.send("yz");
            assertThat(client.read().text()).isEqualTo("wxyz");
        }
    }

    @Test
    void aClientThatExpectsToContinueIsToldTo() throws IOException {
        try (RawClient client = client()) {
            client.send(
                    "POST /echo HTTP/1.1\r\n"
                            + HEAD
                            + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(100);
            assertThat(client.send("ok").read().text()).isEqualTo("ok");
        }
        try (RawClient client = client()) {
            client.send(
                    lines(
                            "POST /echo HTTP/1.1",
                            "Host: x",
                            "Expect: 100-continue",
                            "Content-Length: 2",
                            ""));
            RawClient.Answer refused = client.read();
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.header("Connection")).isEqualTo("close");
        }
    }

    @Test
    void tooLargeABodyIsRefusedBeforeItIsRead() throws IOException {
        // Before the token is looked at, too.
        try (RawClient client = client()) {
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10000001\r\n\r\n");
            client.send(new byte[10_000_001]);
            RawClient.Answer answer = client.read();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.text()).isEqualTo("{\"message\":\"Request Entity Too Large\"}\n");
        }
        try (RawClient client = client()) {
            client.send("POST /echo HTTP/1.1\r\n" + HEAD + "Content-Length: 10000000\r\n\r\n");
            client.send(new byte[10_000_000]);
            assertThat(client.read().body()).hasSize(10_000_000);
        }
        try (RawClient client = client()) {
            client.send("POST /small HTTP/1.1\r\n" + HEAD + "Content-Length: 11\r\n\r\n");
            RawClient.Answer answer = client.send("01234567890").read();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).isEqualTo("{\"message\":\"http: request body too large\"}\n");
            // The connection goes on after a small refused body.
            assertThat(client.send("GET /open HTTP/1.1\r\nHost: x\r\n\r\n").read().status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aChunkedBodyThatGrowsTooLargeIsRefused() throws IOException {
        try (RawClient client = client()) {
            client.send("POST /echo HTTP/1.1\r\n" + HEAD + "Transfer-Encoding: chunked\r\n\r\n");
            byte[] chunk = new byte[1 << 20];
            for (int i = 0; i < 10; i++) {
                client.send("100000\r\n").send(chunk).send("\r\n");
            }
            RawClient.Answer answer = client.read();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text())
                    .startsWith("{\"message\":\"msgpack decode error [pos ")
                    .endsWith("]: code=413, message=Request Entity Too Large\"}\n");
        }
    }

    @Test
    void bodiesTogetherAreBoundedToo() throws IOException {
        byte[] almost = new byte[9_999_999];
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 6; i++) { // All but their last bytes: 60 of 67 MB.
                clients.add(
                        client().send("POST /echo HTTP/1.1\r\n" + HEAD)
                                .send("Content-Length: 10000000\r\n\r\n")
                                .send(almost));
            }
            try (RawClient client = client()) {
                client.send("POST /echo HTTP/1.1\r\n" + HEAD);
                client.send("Content-Length: 10000000\r\n\r\n").send(almost);
                assertThat(client.read().status()).isEqualTo(429);
            }
            assertThat(ask("GET /open HTTP/1.1\r\n" + HEAD).status()).isEqualTo(200);
            for (RawClient client : clients) {
                assertThat(client.send(new byte[1]).read().body()).hasSize(10_000_000);
            }
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
        try (RawClient client = client()) { // What they took is given back.
            client.send("POST /echo HTTP/1.1\r\n" + HEAD + "Content-Length: 10000000\r\n\r\n");
            assertThat(client.send(almost).send(new byte[1]).read().status()).isEqualTo(200);
        }
    }

    @Test
    void aThousandWhoDawdleKeepNobodyWaiting() throws IOException {
        restart(limits(1100, 1024, 1_000));
        List<RawClient> slow = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            RawClient client = client();
            // Some send nothing, some half a head, some half a body, some leave half-open.
            switch (i % 4) {
                case 0 -> client.send("GET /open HTTP/1.1\r\nHost:");
                case 1 ->
                        client.send(
                                "POST /echo HTTP/1.1\r\n" + HEAD + "Content-Length: 9\r\n\r\n1");
                case 2 -> client.send("GET /open HTTP/1.1\r\n").endOutput();
                default -> {}
            }
            slow.add(client);
        }
        assertThat(ask("GET /open HTTP/1.1\r\n" + HEAD).status()).isEqualTo(200);
        for (RawClient client : slow) {
            client.readToEnd();
            client.close();
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (server.connectionsOpen() > 0 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(server.connectionsOpen()).isZero();
        assertThat(server.requestsOpen()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "'garbage\r\n\r\n', '400 Bad Request'",
        "'\u0016\u0003\u0001\u0002\u0000\r\n\r\n', '400 Bad Request'",
        "'GET /open HTTP/1.1\r\n\r\n', '400 Bad Request: missing required Host header'",
        "'GET /open HTTP/2.0\r\nHost: x\r\n\r\n', "
                + "'505 HTTP Version Not Supported: unsupported protocol version'",
        "'GET /open HTTP/1.1\r\nHost: x\r\nA\u0001b: c\r\n\r\n', '400 Bad Request'",
        "'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', '400 Bad Request'",
        "'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', "
                + "'400 Bad Request'"
    })
    void whatIsNotHttpGetsPlainTextAndTheEnd(String bytes, String text) throws IOException {
        try (RawClient client = client()) {
            assertThat(client.send(bytes).readToEnd())
                    .isEqualTo(
                            "HTTP/1.1 "
                                    + text
                                    + "\r\nContent-Type: text/plain; charset=utf-8\r\n"
                                    + "Connection: close\r\n\r\n"
                                    + text);
        }
        assertThat(ask("GET /open HTTP/1.1\r\nHost: x\r\n").status()).isEqualTo(200);
    }

    @Test
    void headersTooLargeAreRefused() throws IOException {
        String big = "X-Big: " + "b".repeat(9000) + "\r\n";
        assertThat(ask("GET /open HTTP/1.1\r\nHost: x\r\n" + big).status()).isEqualTo(431);
        assertThat(ask("GET /" + "o".repeat(9000) + " HTTP/1.1\r\nHost: x\r\n").status())
                .isEqualTo(431);
        String fits = "X-Big: " + "b".repeat(8000) + "\r\n";
        assertThat(ask("GET /open HTTP/1.1\r\nHost: x\r\n" + fits).status()).isEqualTo(200);
    }

    @Test
    void aTruncatedBodyIsAnsweredAndTheNextClientServed() throws IOException {
        try (RawClient client = client()) {
            client.send("POST /echo HTTP/1.1\r\n" + HEAD + "Content-Length: 10\r\n\r\nabc");
            RawClient.Answer answer = client.endOutput().read();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).isEqualTo("{\"message\":\"unexpected EOF\"}\n");
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(ask("GET /open HTTP/1.1\r\nHost: x\r\n").status()).isEqualTo(200);
    }

    @Test
    void slowSendersAreCutOff() throws IOException {
        restart(limits(16, 16, 200));
        try (RawClient headOnly = client();
                RawClient bodyOnly = client();
                RawClient silent = client()) {
            headOnly.send("GET /open HTTP/1.1\r\nHost:");
            bodyOnly.send("POST /echo HTTP/1.1\r\n" + HEAD + "Content-Length: 10\r\n\r\nabc");
            assertThat(bodyOnly.read().text()).contains("i/o timeout");
            assertThat(bodyOnly.isClosedByServer()).isTrue();
            assertThat(headOnly.isClosedByServer()).isTrue();
            assertThat(silent.isClosedByServer()).isTrue();
        }
        assertThat(server.counters().slowSenders.sum()).isEqualTo(3);
    }

    @Test
    void oneRequestTooManyGets429() throws IOException, InterruptedException {
        restart(limits(16, 2, 15_000));
        try (RawClient one = client();
                RawClient two = client();
                RawClient three = client()) {
            one.send("GET /held HTTP/1.1\r\n" + HEAD + "\r\n");
            two.send("GET /held HTTP/1.1\r\n" + HEAD + "\r\n");
            Exchange first = take();
            Exchange second = take();
            three.send("GET /open HTTP/1.1\r\n" + HEAD + "\r\n");
            RawClient.Answer refused = three.read();
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Vary")).isEmpty();
            assertThat(refused.body()).isEmpty();
            first.empty(200);
            second.empty(200);
            one.read();
            three.send("GET /open HTTP/1.1\r\n" + HEAD + "\r\n");
            assertThat(three.read().status()).isEqualTo(200);
        }
    }

    @Test
    void oneConnectionTooManyIsClosedUnanswered() throws IOException {
        restart(limits(2, 16, 15_000));
        try (RawClient one = client();
                RawClient two = client();
                RawClient three = client()) {
            one.send("GET /open HTTP/1.1\r\n" + HEAD + "\r\n").read();
            two.send("GET /open HTTP/1.1\r\n" + HEAD + "\r\n").read();
            assertThat(three.isClosedByServer()).isTrue();
            assertThat(server.counters().refusedConnections.sum()).isEqualTo(1);
        }
    }

    @Test
    void whoeverLeavesIsNotWaitedFor() throws IOException, InterruptedException {
        Exchange waiting;
        try (RawClient client = client()) {
            client.send("GET /held HTTP/1.1\r\n" + HEAD + "\r\n");
            waiting = take();
            held.add(waiting);
        }
        awaitRequests(0);
        assertThat(held).isEmpty();
        waiting.empty(200); // Too late, and no harm.
        try (RawClient client = client()) {
            client.send("GET /held HTTP/1.1\r\n" + HEAD + "\r\n");
            take();
            assertThat(client.endOutput().read().status()).isEqualTo(408);
        }
    }

    @Test
    void aBodyIsThereAsLongAsItIsRead() throws Exception {
        byte[] first = new byte[100_000];
        Arrays.fill(first, (byte) 1);
        byte[] second = new byte[first.length];
        try (RawClient client = client()) {
            client.send("POST /late HTTP/1.1\r\n" + HEAD + "Content-Length: 100000\r\n\r\n");
            client.send(first);
            take();
            client.reset();
        }
        awaitRequests(0);
        try (RawClient client = client()) {
            // Who comes next is not given its memory.
            client.send("POST /echo HTTP/1.1\r\n" + HEAD + "Content-Length: 100000\r\n\r\n");
            assertThat(client.send(second).read().body()).isEqualTo(second);
        }
        left.complete(null);
        assertThat(late.get(10, TimeUnit.SECONDS)).isEqualTo(first);
    }

    @Test
    void aClientThatDoesNotReadIsNotReadEither() throws IOException {
        // 200 answers of 8 MiB each would be 1.6 GB: they must not be made ahead.
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            many.append("GET /long HTTP/1.1\r\n").append(HEAD).append("\r\n");
        }
        try (RawClient client = client()) {
            client.send(many.toString());
            assertThat(client.read().body()).hasSize((8 << 20) + 3);
            assertThat(server.requestsOpen()).isLessThanOrEqualTo(1);
            assertThat(server.counters().requests.sum()).isLessThan(5);
        }
    }

    @Test
    void compressesWhatHandlersAnswer() throws IOException {
        RawClient.Answer answer =
                ask("GET /number/5 HTTP/1.1\r\n" + HEAD + "Accept-Encoding: br, gzip;q=0\r\n");
        assertThat(answer.header("Content-Encoding")).isEqualTo("gzip");
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
            assertThat(new String(plain.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("5\n");
        }
        assertThat(
                        ask("GET /nothing HTTP/1.1\r\n" + HEAD + "Accept-Encoding: gzip\r\n")
                                .header("Content-Encoding"))
                .isEmpty();
    }

    @Test
    void aBadNumberIsNamedInTheWordsOfTheReference() throws IOException {
        assertThat(ask("GET /number/-1 HTTP/1.1\r\n" + HEAD).text())
                .isEqualTo(
                        "{\"message\":\"Invalid format for parameter round: error binding string"
                                + " parameter: strconv.ParseUint: parsing \\\"-1\\\": invalid"
                                + " syntax\"}\n");
        assertThat(ask("GET /number/18446744073709551616 HTTP/1.1\r\n" + HEAD).text())
                .contains("value out of range");
        assertThat(ask("GET /number/018446744073709551615 HTTP/1.1\r\n" + HEAD).text())
                .isEqualTo("18446744073709551615\n");
    }

    @Test
    void aFailingHandlerIsA500AndNoMore() throws IOException {
        assertThat(ask("GET /broken HTTP/1.1\r\n" + HEAD).status()).isEqualTo(500);
        for (int i = 0; i < 3; i++) { // More often than there are workers.
            assertThat(ask("GET /deep HTTP/1.1\r\n" + HEAD).text())
                    .isEqualTo("{\"message\":\"internal error: StackOverflowError\"}\n");
        }
        assertThat(ask("GET /open HTTP/1.1\r\n" + HEAD).status()).isEqualTo(200);
    }

    @Test
    void oldClientsAreServedTheirWay() throws IOException {
        try (RawClient client = client()) {
            assertThat(client.send("GET /open HTTP/1.0\r\n\r\n").readToEnd())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("Connection: close\r\n")
                    .endsWith("null\n");
        }
        try (RawClient client = client()) {
            String head = "GET /open HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
            assertThat(client.send(head).read().header("Connection")).isEqualTo("keep-alive");
            assertThat(client.send(head).read().status()).isEqualTo(200);
        }
    }

    @Test
    void aTakenPortIsNamed() {
        int port = server.address().getPort();
        RestConfig config =
                new RestConfig(
                        server.address(),
                        null,
                        new TokenCheck(API, ADMIN),
                        RestConfig.TOKEN_HEADER,
                        List.of(),
                        false,
                        false,
                        false,
                        false,
                        Limits.DEFAULT);
        RestServer second =
                new RestServer(
                        config,
                        table(),
                        new RoundWaits(0, System::nanoTime),
                        System::nanoTime,
                        InstantSource.system());
        assertThatThrownBy(second::start)
                .isInstanceOf(BindException.class)
                .hasMessageContaining("127.0.0.1:" + port);
        second.close();
    }

    @Test
    void listensOnIpv6() throws IOException {
        RestServer six =
                new RestServer(
                        new RestConfig(
                                new InetSocketAddress(InetAddress.getByAddress(IPV6_LOOPBACK), 0),
                                null,
                                new TokenCheck(null, ADMIN),
                                RestConfig.TOKEN_HEADER,
                                List.of(),
                                false,
                                false,
                                false,
                                false,
                                Limits.DEFAULT),
                        table(),
                        new RoundWaits(0, System::nanoTime),
                        System::nanoTime,
                        InstantSource.system());
        try (six) {
            six.start();
            try (RawClient client = RawClient.connect(six.address())) {
                // And without a token, since none is wanted here.
                client.send("GET /number/6 HTTP/1.1\r\nHost: [::1]\r\n\r\n");
                assertThat(client.read().text()).isEqualTo("6\n");
            }
        }
    }

    @Test
    void stopsWithRequestsUnderWay() throws IOException, InterruptedException {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            clients.add(client().send("GET /held HTTP/1.1\r\n" + HEAD + "\r\n"));
            take();
        }
        long before = System.nanoTime();
        server.close();
        server.close();
        assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(5));
        for (RawClient client : clients) {
            assertThat(client.isClosedByServer()).isTrue();
            client.close();
        }
    }

    private static String lines(String... lines) {
        return String.join("\r\n", lines) + "\r\n";
    }

    private Exchange take() throws InterruptedException {
        Exchange exchange = held.poll(10, TimeUnit.SECONDS);
        assertThat(exchange).isNotNull();
        return exchange;
    }

    private void awaitRequests(int count) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (server.requestsOpen() != count && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(server.requestsOpen()).isEqualTo(count);
    }
}
