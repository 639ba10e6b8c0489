package topspin.loadgen.client;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Where a node serves REST and the tokens it asks for.
 *
 * @param name how tables and reports call the node
 * @param host what the {@code Host} header says
 * @param token of the public routes; null where none is needed
 * @param adminToken of the private routes; null where unknown
 * @param socketNeedsNoToken whether the transport itself lets us in: a node's own Unix socket
 */
public record Endpoint(
        String name,
        SocketAddress address,
        String host,
        @Nullable String token,
        @Nullable String adminToken,
        boolean socketNeedsNoToken) {

    /**
     * A node's data folder (cli.md section 3): its Unix socket if it has one, else the address in
     * {@code algod.net}.
     *
     * @throws IOException if the folder names no address, so that the node is not running
     */
    public static Endpoint ofFolder(Path folder) throws IOException {
        String name = folder.toAbsolutePath().normalize().getFileName().toString();
        String token = firstLine(folder.resolve("algod.token"));
        String adminToken = firstLine(folder.resolve("algod.admin.token"));
        Path socket = folder.resolve("topspin.sock");
        if (Files.exists(socket)) {
            // A path too long for a socket is a link to a short one.
            var address = UnixDomainSocketAddress.of(socket.toRealPath());
            return new Endpoint(name, address, "localhost", token, adminToken, true);
        }
        String net = firstLine(folder.resolve("algod.net"));
        if (net == null) {
            throw new NoSuchFileException(
                    folder.resolve("algod.net").toString(), null, "the node is not running");
        }
        return new Endpoint(name, tcp(net), net, token, adminToken, false);
    }

    /**
     * A node at {@code http://host:port}.
     *
     * @throws IllegalArgumentException naming the URL and what is allowed
     */
    public static Endpoint ofUrl(String name, String url, @Nullable String token) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("--url " + url + ": not a URL", e);
        }
        boolean plain =
                uri.getPath() == null || uri.getPath().isEmpty() || "/".equals(uri.getPath());
        if (!"http".equals(uri.getScheme()) || uri.getHost() == null || !plain) {
            throw new IllegalArgumentException("--url " + url + ": expected http://HOST:PORT");
        }
        int port = uri.getPort() < 0 ? 80 : uri.getPort();
        String host = uri.getHost() + ":" + port;
        return new Endpoint(
                name, new InetSocketAddress(uri.getHost(), port), host, token, token, false);
    }

    private static SocketAddress tcp(String hostAndPort) throws IOException {
        String text = hostAndPort.startsWith("http://") ? hostAndPort.substring(7) : hostAndPort;
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            String host = text.substring(0, Math.max(colon, 0)).replaceAll("[\\[\\]]", "");
            return new InetSocketAddress(host, port);
        } catch (IllegalArgumentException e) {
            throw new IOException("algod.net holds no address: " + hostAndPort, e);
        }
    }

    private static @Nullable String firstLine(Path file) throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        String text = Files.readString(file);
        int end = text.indexOf('\n');
        return (end < 0 ? text : text.substring(0, end)).strip();
    }

    /** The name and the address; tokens stay out of logs. */
    @Override
    public String toString() {
        return name + " (" + address + ")";
    }
}
