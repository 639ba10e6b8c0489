package topspin.net.multiaddr;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import topspin.net.Uvarint;

import java.io.ByteArrayOutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * An address in its packed form: for each protocol its code as a Uvarint, then its value, after the
 * value's length where that varies. Always valid, never changes.
 */
public final class Multiaddr {
    /** Longest packed address that is read. */
    public static final int BYTES_MAX = 4_096;

    private final byte[] bytes;

    private Multiaddr(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Reads the text of an address.
     *
     * @throws IllegalArgumentException naming the part that is wrong
     */
    public static Multiaddr parse(String text) {
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException("'" + text + "' does not begin with /");
        }
        String[] parts = text.replaceFirst("/+\\z", "").split("/", -1);
        if (parts.length < 2) {
            throw new IllegalArgumentException("'" + text + "' names no protocol");
        }
        var packed = new ByteArrayOutputStream();
        for (int part = 1; part < parts.length; part++) {
            Protocol protocol = Protocol.named(parts[part]);
            if (protocol == null) {
                throw new IllegalArgumentException(
                        "'" + text + "': unknown protocol '" + parts[part] + "'");
            }
            write(protocol.code(), packed);
            if (protocol.size() == 0) {
                continue;
            }
            if (++part == parts.length) {
                throw new IllegalArgumentException(
                        "'" + text + "': " + protocol.text() + " lacks its value");
            }
            String value = parts[part];
            if (protocol.form() == Protocol.Form.PATH) {
                value = "/" + String.join("/", Arrays.asList(parts).subList(part, parts.length));
                part = parts.length;
            }
            byte[] data = ValueText.parse(protocol, value);
            if (data == null) {
                throw new IllegalArgumentException(
                        "'" + text + "': '" + value + "' is no value of " + protocol.text());
            }
            if (protocol.size() == Protocol.VARIABLE) {
                write(data.length, packed);
            }
            packed.writeBytes(data);
        }
        if (packed.size() > BYTES_MAX) {
            throw new IllegalArgumentException("an address of more than " + BYTES_MAX + " bytes");
        }
        return new Multiaddr(packed.toByteArray());
    }

    private static void write(int value, ByteArrayOutputStream target) {
        byte[] varint = new byte[Uvarint.BYTES_MAX];
        target.write(varint, 0, Uvarint.write(value, varint, 0));
    }

    /** Reads a packed address, of which a copy is made; null if it is none. */
    public static @Nullable Multiaddr decode(byte[] bytes, int offset, int length) {
        if (length < 1 || length > BYTES_MAX) {
            return null;
        }
        byte[] copy = Arrays.copyOfRange(bytes, offset, offset + length);
        for (int at = 0; at < length; ) {
            int value = Multibase.afterUvarint(copy, at, length);
            Protocol protocol = value < 0 ? null : Protocol.of(Multibase.uvarint(copy, at));
            if (protocol == null) {
                return null;
            }
            int size = protocol.size();
            if (size == Protocol.VARIABLE) {
                int start = Multibase.afterUvarint(copy, value, length);
                if (start < 0) {
                    return null;
                }
                size = Multibase.uvarint(copy, value);
                value = start;
            }
            if (size > length - value || !ValueText.isValid(protocol, copy, value, size)) {
                return null;
            }
            at = value + size;
        }
        return new Multiaddr(copy);
    }

    /** The address of a TCP socket; a name not looked up becomes {@code /dns}. */
    public static Multiaddr of(InetSocketAddress socket) {
        Protocol host;
        byte[] value;
        if (socket.isUnresolved()) {
            host = Protocol.DNS;
            value = socket.getHostString().getBytes(UTF_8);
        } else {
            host = socket.getAddress() instanceof Inet4Address ? Protocol.IP4 : Protocol.IP6;
            value = socket.getAddress().getAddress();
        }
        var packed = new ByteArrayOutputStream();
        write(host.code(), packed);
        if (host == Protocol.DNS) {
            write(value.length, packed);
        }
        packed.writeBytes(value);
        write(Protocol.TCP.code(), packed);
        packed.write(socket.getPort() >> Byte.SIZE);
        packed.write(socket.getPort());
        return new Multiaddr(packed.toByteArray());
    }

    /** A copy of the packed form. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** Bytes of the packed form. */
    public int length() {
        return bytes.length;
    }

    /** The code of the first protocol. No garbage. */
    public int firstProtocol() {
        return Multibase.uvarint(bytes, 0);
    }

    /** Whether a protocol occurs. No garbage, and no value is looked at. */
    public boolean hasProtocol(int code) {
        return valueOf(code) >= 0;
    }

    /**
     * Writes the codes of all protocols, in order, from {@code at} on. No garbage.
     *
     * @return the index after the last one written
     * @throws ArrayIndexOutOfBoundsException if they do not fit; those that fit are written
     */
    public int appendProtocols(int[] target, int at) {
        int next = at;
        for (int position = 0; position < bytes.length; position = after(position)) {
            target[next++] = Multibase.uvarint(bytes, position);
        }
        return next;
    }

    /**
     * Where the value of the first such protocol starts, its length skipped; -1 if there is none.
     */
    int valueOf(int code) {
        for (int position = 0; position < bytes.length; position = after(position)) {
            if (Multibase.uvarint(bytes, position) == code) {
                return valueAt(position);
            }
        }
        return -1;
    }

    /** Up to eight bytes of a value, as a big-endian number. */
    long bits(int at, int length) {
        long value = 0;
        for (int index = at; index < at + length; index++) {
            value = (value << Byte.SIZE) | (bytes[index] & 0xff);
        }
        return value;
    }

    private int codeEnd(int position) {
        int end = position;
        while (bytes[end] < 0) {
            end++;
        }
        return end + 1;
    }

    private int valueAt(int position) {
        int value = codeEnd(position);
        return protocolAt(position).size() == Protocol.VARIABLE ? codeEnd(value) : value;
    }

    private int after(int position) {
        int size = protocolAt(position).size();
        int value = codeEnd(position);
        return size == Protocol.VARIABLE
                ? codeEnd(value) + Multibase.uvarint(bytes, value)
                : value + size;
    }

    private Protocol protocolAt(int position) {
        Protocol protocol = Protocol.of(Multibase.uvarint(bytes, position));
        if (protocol == null) {
            throw new AssertionError("an unknown protocol in a valid address");
        }
        return protocol;
    }

    /**
     * Where to connect to, if that is a TCP port of an IP address or of a name, and nothing but a
     * peer id comes behind it; else null. Names are not looked up.
     */
    public @Nullable InetSocketAddress socketAddress() {
        int port = after(0);
        if (port >= bytes.length || Multibase.uvarint(bytes, port) != Protocol.TCP.code()) {
            return null;
        }
        int rest = after(port);
        if (rest < bytes.length
                && (Multibase.uvarint(bytes, rest) != Protocol.P2P.code()
                        || after(rest) < bytes.length)) {
            return null;
        }
        int at = valueAt(port);
        int number = ((bytes[at] & 0xff) << Byte.SIZE) | (bytes[at + 1] & 0xff);
        byte[] host = Arrays.copyOfRange(bytes, valueAt(0), port);
        return switch (protocolAt(0)) {
            case IP4, IP6 -> new InetSocketAddress(address(host), number);
            case DNS, DNS4, DNS6 ->
                    InetSocketAddress.createUnresolved(new String(host, UTF_8), number);
            default -> null;
        };
    }

    /**
     * The path of a Unix socket, if that is what this address is, and nothing but a peer id stands
     * before it; else null. A path takes all that is behind it, so its peer goes first: {@code
     * /p2p/…/unix/run/topspin.sock}.
     */
    public @Nullable String unixPath() {
        int start = Multibase.uvarint(bytes, 0) == Protocol.P2P.code() ? after(0) : 0;
        if (start >= bytes.length
                || Multibase.uvarint(bytes, start) != Protocol.UNIX.code()
                || after(start) < bytes.length) {
            return null;
        }
        int at = valueAt(start);
        String path = new String(bytes, at, bytes.length - at, UTF_8);
        return path.startsWith("/") ? path : "/" + path;
    }

    /** The address of a Unix socket. */
    public static Multiaddr ofUnix(Path path) {
        return parse("/" + Protocol.UNIX.text() + path.toAbsolutePath().normalize());
    }

    private static InetAddress address(byte[] host) {
        try {
            return InetAddress.getByAddress(host);
        } catch (UnknownHostException wrongLength) {
            throw new AssertionError("4 or 16 bytes are an address", wrongLength);
        }
    }

    /** The multihash of the first peer id; null if there is none. */
    public byte @Nullable [] peer() {
        for (int position = 0; position < bytes.length; position = after(position)) {
            if (Multibase.uvarint(bytes, position) == Protocol.P2P.code()) {
                return Arrays.copyOfRange(bytes, valueAt(position), after(position));
            }
        }
        return null;
    }

    /**
     * This address with the peer of a multihash: behind it, or before the path that a Unix socket
     * ends in.
     */
    public Multiaddr withPeer(byte[] multihash) {
        boolean first = firstProtocol() == Protocol.UNIX.code();
        var packed = new ByteArrayOutputStream();
        if (!first) {
            packed.writeBytes(bytes);
        }
        write(Protocol.P2P.code(), packed);
        write(multihash.length, packed);
        packed.writeBytes(multihash);
        if (first) {
            packed.writeBytes(bytes);
        }
        return new Multiaddr(packed.toByteArray());
    }

    /** This address without the peer that {@link #withPeer} added; this if there is none. */
    public Multiaddr withoutPeer() {
        int peer = Protocol.P2P.code();
        if (firstProtocol() == peer && after(0) < bytes.length) {
            return new Multiaddr(Arrays.copyOfRange(bytes, after(0), bytes.length));
        }
        for (int at = after(0); at < bytes.length; at = after(at)) {
            if (Multibase.uvarint(bytes, at) == peer && after(at) == bytes.length) {
                return new Multiaddr(Arrays.copyOf(bytes, at));
            }
        }
        return this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Multiaddr that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The text, from which {@link #parse} makes the same address again. */
    @Override
    public String toString() {
        var text = new StringBuilder();
        for (int position = 0; position < bytes.length; position = after(position)) {
            Protocol protocol = protocolAt(position);
            text.append('/').append(protocol.text());
            if (protocol.size() != 0) {
                int value = valueAt(position);
                String printed = ValueText.print(protocol, bytes, value, after(position) - value);
                boolean path = protocol.form() == Protocol.Form.PATH && printed.startsWith("/");
                text.append(path ? "" : "/").append(printed);
            }
        }
        return text.toString();
    }
}
