package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asks one node over its REST API, one request a connection, blocking: what a command line needs
 * and no more. Speaks HTTP/1.0 over the node's Unix socket, which the JDK's own client cannot, or
 * over TCP.
 */
public final class NodeClient {
    /** The largest answer that is read: a full block as JSON is below it. */
    private static final int ANSWER_BYTES_MAX = 64 << 20;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final SocketAddress address;
    private final String name;
    private final @Nullable String token;

    private NodeClient(SocketAddress address, String name, @Nullable String token) {
        this.address = address;
        this.name = name;
        this.token = token;
    }

    /**
     * The node of a data folder: over its socket where there is one, else by the address in {@code
     * algod.net}.
     *
     * @throws CommandFault if there is no such folder, or it shows no running node
     */
    public static NodeClient ofFolder(Path data) {
        if (!Files.isDirectory(data)) {
            throw CommandFault.argument(data + ": no such folder; --data names that of a node");
        }
        Path socket = data.resolve("topspin.sock");
        try {
            if (Files.exists(socket)) {
                // A socket may be a link into the runtime folder, where paths are short.
                return new NodeClient(
                        UnixDomainSocketAddress.of(socket.toRealPath()), data.toString(), null);
            }
            Path net = data.resolve("algod.net");
            if (Files.exists(net)) {
                String token = Files.readString(data.resolve("algod.token"));
                return ofUrl("http://" + Files.readString(net).strip(), token);
            }
        } catch (IOException unreadable) {
            throw CommandFault.machine(data + ": " + unreadable.getMessage(), unreadable);
        }
        throw CommandFault.machine(
                "no node runs on " + data + "; start it with 'network up' or 'node run --data'");
    }

    /**
     * The node at a URL such as {@code http://127.0.0.1:4001}.
     *
     * @throws CommandFault if that is not a URL we can dial
     */
    public static NodeClient ofUrl(String url, @Nullable String token) {
        try {
            URI uri = URI.create(url);
            if (!"http".equals(uri.getScheme()) || uri.getHost() == null || uri.getPort() < 1) {
                throw new IllegalArgumentException("not of the form http://HOST:PORT");
            }
            String host = uri.getHost().replaceAll("[\\[\\]]", "");
            return new NodeClient(
                    new InetSocketAddress(InetAddress.getByName(host), uri.getPort()), url, token);
        } catch (IllegalArgumentException | IOException wrong) {
            throw CommandFault.argument("--url " + url + ": " + wrong.getMessage(), wrong);
        }
    }

    /** One answer: its status, and its body as sent. */
    public record Answer(int status, byte[] body) {
        public boolean isOk() {
            return status == 200;
        }

        /** The body as JSON; a body that is none becomes a text. */
        public JsonNode json() {
            try {
                return JSON.readTree(body);
            } catch (IOException notJson) {
                return JSON.getNodeFactory().textNode(text());
            }
        }

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        /** What the node says of a refusal: {@code message} of the error body, or all of it. */
        public String message() {
            JsonNode message = json().path("message");
            return message.isTextual() ? message.textValue() : text().strip();
        }
    }

    public Answer get(String path) throws IOException {
        return exchange("GET", path, new byte[0]);
    }

    public Answer post(String path, byte[] body) throws IOException {
        return exchange("POST", path, body);
    }

    /**
     * The JSON that a path answers with status 200.
     *
     * @throws CommandFault if the node is out of reach or answers otherwise
     */
    public JsonNode json(String path) {
        Answer answer;
        try {
            answer = get(path);
        } catch (IOException unreachable) {
            throw unreachable(unreachable);
        }
        if (!answer.isOk()) {
            throw CommandFault.missed(
                    name + " answers " + answer.status() + " to " + path + ": " + answer.message());
        }
        return answer.json();
    }

    /**
     * What a node answers if it does so in time: one that is paused takes a request and says
     * nothing. Empty also if it is out of reach.
     */
    static Optional<Answer> within(Duration max, Callable<Answer> question) {
        var answer = new CompletableFuture<Optional<Answer>>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                answer.complete(Optional.of(question.call()));
                            } catch (Exception unreachable) {
                                answer.complete(Optional.empty());
                            }
                        });
        return answer.completeOnTimeout(Optional.empty(), max.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** The fault that tells of a node out of reach. */
    public CommandFault unreachable(IOException cause) {
        return CommandFault.machine(
                "the node at "
                        + name
                        + " does not answer ("
                        + cause.getMessage()
                        + "); is it running?",
                cause);
    }

    private Answer exchange(String method, String path, byte[] body) throws IOException {
        StringBuilder head = new StringBuilder(256);
        head.append(method).append(' ').append(path).append(" HTTP/1.0\r\nHost: topspin\r\n");
        head.append("Content-Length: ").append(body.length).append("\r\n");
        if (body.length > 0) {
            head.append("Content-Type: application/x-binary\r\n");
        }
        if (token != null) {
            head.append("X-Algo-API-Token: ").append(token).append("\r\n");
        }
        head.append("\r\n");
        try (SocketChannel channel = open()) {
            channel.connect(address);
            write(channel, ByteBuffer.wrap(head.toString().getBytes(StandardCharsets.ISO_8859_1)));
            write(channel, ByteBuffer.wrap(body));
            return parse(readAll(channel));
        }
    }

    private SocketChannel open() throws IOException {
        return address instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX)
                : SocketChannel.open();
    }

    private static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static byte[] readAll(SocketChannel channel) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream(4096);
        ByteBuffer piece = ByteBuffer.allocate(1 << 16);
        while (channel.read(piece) >= 0) {
            all.write(piece.array(), 0, piece.position());
            piece.clear();
            if (all.size() > ANSWER_BYTES_MAX) {
                throw new IOException("an answer of more than " + ANSWER_BYTES_MAX + " bytes");
            }
        }
        return all.toByteArray();
    }

    /**
     * An HTTP/1.0 answer ends with its connection; one that states its length, or comes in chunks,
     * is held to that.
     */
    private static Answer parse(byte[] all) throws IOException {
        int end = headEnd(all);
        String head = new String(all, 0, end, StandardCharsets.ISO_8859_1);
        String[] lines = head.split("\r\n");
        String[] status = lines[0].split(" ", 3);
        if (status.length < 2 || !status[0].startsWith("HTTP/1.")) {
            throw new IOException("not an HTTP answer");
        }
        byte[] body = new byte[all.length - end - 4];
        System.arraycopy(all, end + 4, body, 0, body.length);
        for (int i = 1; i < lines.length; i++) {
            String line = lines[i].toLowerCase(Locale.ROOT).replace(" ", "");
            if (line.startsWith("content-length:")
                    && Integer.parseInt(line.substring("content-length:".length()))
                            != body.length) {
                throw new IOException("an answer cut short");
            }
            if (line.equals("transfer-encoding:chunked")) {
                body = unchunk(body);
            }
        }
        return new Answer(Integer.parseInt(status[1]), body);
    }

    private static int headEnd(byte[] all) throws IOException {
        for (int i = 0; i + 3 < all.length; i++) {
            if (all[i] == '\r' && all[i + 1] == '\n' && all[i + 2] == '\r' && all[i + 3] == '\n') {
                return i;
            }
        }
        throw new IOException("no HTTP answer");
    }

    private static byte[] unchunk(byte[] chunked) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream(chunked.length);
        int at = 0;
        while (true) {
            int line = at;
            while (line + 1 < chunked.length && chunked[line] != '\r') {
                line++;
            }
            int length =
                    Integer.parseInt(
                            new String(chunked, at, line - at, StandardCharsets.ISO_8859_1).strip(),
                            16);
            at = line + 2;
            if (length == 0) {
                return whole.toByteArray();
            }
            if (length > chunked.length - at) {
                throw new IOException("an answer cut short");
            }
            whole.write(chunked, at, length);
            at += length + 2;
        }
    }
}
