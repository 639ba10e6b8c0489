package topspin.loadgen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.TransactionDecoder;
import topspin.codec.txn.TransactionGroup;
import topspin.loadgen.client.Endpoint;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An algod on a real socket, as far as the generator asks one anything: it can refuse, stall,
 * forget and hang up. A virtual thread for each connection; requests on one are answered in order.
 */
final class StubNode implements AutoCloseable {
    /** What to do with a submission. */
    sealed interface Action {
        record Accept() implements Action {}

        record Refuse(int status, String message) implements Action {}

        /** 200, and no block ever holds it. */
        record Forget() implements Action {}

        /** 200, no block, and a reason when asked. */
        record Drop(String reason) implements Action {}

        record HangUp() implements Action {}
    }

    /** Decides what becomes of the n-th submission to this node, from 0. */
    interface Policy {
        Action decide(long n, TransactionGroup group);
    }

    private final String name;
    private final StubChain chain;
    private final ServerSocketChannel server;
    private final Endpoint endpoint;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong submissions = new AtomicLong();
    private volatile Policy policy = (n, group) -> new Action.Accept();
    private volatile boolean sink;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile long withheldAfter = Long.MAX_VALUE;

    private StubNode(String name, StubChain chain, ServerSocketChannel server, Endpoint endpoint) {
        this.name = name;
        this.chain = chain;
        this.server = server;
        this.endpoint = endpoint;
    }

    static StubNode onTcp(String name, StubChain chain) throws IOException {
        var server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketAddress address = server.getLocalAddress();
        return started(
                name, chain, server, new Endpoint(name, address, "localhost", "t", "a", false));
    }

    static StubNode onUnix(String name, StubChain chain, Path socket) throws IOException {
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var address = UnixDomainSocketAddress.of(socket);
        server.bind(address);
        return started(
                name, chain, server, new Endpoint(name, address, "localhost", null, null, true));
    }

    private static StubNode started(
            String name, StubChain chain, ServerSocketChannel server, Endpoint endpoint) {
        var node = new StubNode(name, chain, server, endpoint);
        Thread.ofVirtual().name(name).start(node::accept);
        return node;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    void policy(Policy next) {
        policy = next;
    }

    /** Takes submissions without looking at them. */
    void sink() {
        sink = true;
    }

    /** Submissions read so far. */
    long submissions() {
        return submissions.get();
    }

    /** Answers nothing from here on, until the latch is down. */
    void stall(CountDownLatch until) {
        gate = until;
    }

    /** Shows no round after this one. */
    void withholdRoundsAfter(long round) {
        withheldAfter = round;
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel channel = server.accept();
                open.add(channel);
                Thread.ofVirtual().start(() -> serve(channel));
            }
        } catch (IOException e) {
            return; // Closed.
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            var in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
            var out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
            var decoder = new TransactionDecoder();
            while (true) {
                String request = line(in);
                int length = 0;
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                        length = Integer.parseInt(header.substring(15).strip());
                    }
                }
                byte[] body = in.readNBytes(length);
                gate.await();
                answer(request.split(" ", -1), body, out, decoder);
                if (in.available() == 0) {
                    out.flush();
                }
            }
        } catch (IOException e) {
            return; // Hung up, by either side.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(channel);
        }
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder(64);
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException();
            }
            if (b == '\n') {
                return line.toString();
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
    }

    private void answer(String[] request, byte[] body, OutputStream out, TransactionDecoder decoder)
            throws IOException, InterruptedException {
        String path = request[1].replaceAll("\\?.*", "");
        String last = path.substring(path.lastIndexOf('/') + 1);
        if ("/v2/transactions".equals(path)) {
            submit(body, out, decoder);
        } else if (path.startsWith("/v2/status/wait-for-block-after/")) {
            long after = Long.parseLong(last);
            out.flush();
            long round = chain.awaitAfter(after, 60_000);
            while (round > withheldAfter && after >= withheldAfter) {
                round = chain.awaitAfter(round, 60_000);
            }
            gate.await();
            reply(out, 200, "{\"last-round\":" + Math.min(round, withheldAfter) + "}");
        } else if ("/v2/transactions/params".equals(path)) {
            String hash = Base64.getEncoder().encodeToString(StubChain.GENESIS_HASH.toBytes());
            reply(
                    out,
                    200,
                    "{\"genesis-id\":\""
                            + StubChain.GENESIS_ID
                            + "\",\"genesis-hash\":\""
                            + hash
                            + "\",\"last-round\":"
                            + Math.min(chain.round(), withheldAfter)
                            + ",\"min-fee\":1000,\"fee\":0,\"consensus-version\":\"stub\"}");
        } else if (path.startsWith("/v2/transactions/pending/")) {
            String state = chain.pending(last);
            reply(
                    out,
                    state.isEmpty() ? 404 : 200,
                    state.isEmpty() ? "{\"message\":\"no\"}" : state);
        } else if (path.startsWith("/v2/accounts/")) {
            long balance = chain.balance(Address.parse(last));
            reply(out, 200, "{\"amount\":" + balance + ",\"min-balance\":100000}");
        } else if (path.matches("/v2/blocks/\\d+")) {
            byte[] block = chain.block(Long.parseLong(last));
            reply(out, block.length == 0 ? 404 : 200, block);
        } else if (path.matches("/v2/blocks/\\d+/hash")) {
            reply(out, 200, "{\"blockHash\":\"" + path + "\"}");
        } else if ("/metrics".equals(path)) {
            reply(out, 200, metrics());
        } else {
            reply(out, 404, "{\"message\":\"Not Found\"}");
        }
    }

    private String metrics() {
        return "# HELP algod_tx_pool_count waiting\n# TYPE algod_tx_pool_count gauge\n"
                + "algod_tx_pool_count "
                + chain.waiting()
                + "\nprocess_cpu_seconds_total{node=\""
                + name
                + "\"} "
                + submissions.get() / 1e6
                + "\n";
    }

    private void submit(byte[] body, OutputStream out, TransactionDecoder decoder)
            throws IOException {
        long n = submissions.getAndIncrement();
        if (sink) {
            out.write(SINK_REPLY);
            return;
        }
        TransactionGroup group;
        try {
            group = decoder.decodeGroup(body, 0, body.length);
        } catch (MalformedMessage e) {
            reply(out, 400, "{\"message\":\"" + e.getMessage() + "\"}");
            return;
        }
        switch (policy.decide(n, group)) {
            case Action.Accept() -> {
                chain.submit(group);
                accepted(out, group.first().id());
            }
            case Action.Refuse(int status, String message) ->
                    reply(out, status, "{\"message\":\"" + message + "\"}");
            case Action.Forget() -> accepted(out, group.first().id());
            case Action.Drop(String reason) -> {
                chain.drop(group.first().id(), reason);
                accepted(out, group.first().id());
            }
            case Action.HangUp() -> throw new EOFException();
        }
    }

    private static final byte[] SINK_REPLY =
            ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 63\r\n\r\n"
                            + "{\"txId\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}")
                    .getBytes(US_ASCII);

    private static void accepted(OutputStream out, Digest id) throws IOException {
        reply(out, 200, "{\"txId\":\"" + id + "\"}");
    }

    private static void reply(OutputStream out, int status, String body) throws IOException {
        reply(out, status, body.getBytes(UTF_8));
    }

    private static void reply(OutputStream out, int status, byte[] body) throws IOException {
        String head =
                "HTTP/1.1 " + status + " Whatever\r\nContent-Length: " + body.length + "\r\n\r\n";
        out.write(head.getBytes(US_ASCII));
        out.write(body);
    }

    /** Closes all connections, as a node that stops does. */
    void hangUpAll() {
        for (SocketChannel channel : open) {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        gate.countDown();
        server.close();
        hangUpAll();
    }
}
