package topspin.node;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * An address to listen on, as {@code config.json} writes it: {@code 127.0.0.1:4001}, {@code
 * [::1]:0}, {@code :8080} for all interfaces.
 *
 * @param host a name or number; empty for all interfaces
 * @param port 0 for any free one
 */
public record HostPort(String host, int port) {
    /** Loopback and any free port. */
    public static final HostPort ANY_LOOPBACK = new HostPort("127.0.0.1", 0);

    public HostPort {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("a port lies between 0 and 65535, not " + port);
        }
    }

    /**
     * Reads {@code HOST:PORT}.
     *
     * @throws IllegalArgumentException if it has another form
     */
    public static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, Math.max(colon, 0));
        String port = text.substring(colon + 1);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        boolean hostFine =
                bracketed || host.chars().noneMatch(c -> c == ':' || c == '/' || c <= ' ');
        boolean portFine = port.length() <= 5 && port.matches("[0-9]+");
        if (colon < 0 || !hostFine || !portFine) {
            throw new IllegalArgumentException("'" + text + "' is not HOST:PORT");
        }
        return new HostPort(
                bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(port));
    }

    /** Loopback with this port. */
    public static HostPort loopback(int port) {
        return new HostPort("127.0.0.1", port);
    }

    /**
     * The address to bind.
     *
     * @throws NodeFault if the host is not known
     */
    public InetSocketAddress resolve() throws NodeFault {
        if (host.isEmpty()) {
            return new InetSocketAddress(port);
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException unknown) {
            throw NodeFault.configuration("'" + host + "' is not the name of a host", unknown);
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
