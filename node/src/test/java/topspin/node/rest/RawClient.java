package topspin.node.rest;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A client that sends exactly the bytes it is told to, and reads answers with a length. */
final class RawClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final AutoCloseable socket;
    private final InputStream in;
    private final OutputStream out;

    private RawClient(AutoCloseable socket, InputStream in, OutputStream out) {
        this.socket = socket;
        this.in = in;
        this.out = out;
    }

    static RawClient connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.connect(address, TIMEOUT_MILLIS);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return new RawClient(socket, socket.getInputStream(), socket.getOutputStream());
    }

    static RawClient connect(Path path) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        return new RawClient(
                channel, Channels.newInputStream(channel), Channels.newOutputStream(channel));
    }

    RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawClient send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Closes our half, as a client that has said everything may. */
    RawClient endOutput() throws IOException {
        ((Socket) socket).shutdownOutput();
        return this;
    }

    /** Goes without taking leave, as a client does that is killed. */
    void reset() throws IOException {
        ((Socket) socket).setSoLinger(true, 0);
        ((Socket) socket).close();
    }

    /** An answer, its body by Content-Length. */
    record Answer(int status, List<String> headers, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        /** All values of a header. */
        List<String> all(String name) {
            List<String> values = new ArrayList<>();
            for (String line : headers) {
                if (line.regionMatches(true, 0, name + ": ", 0, name.length() + 2)) {
                    values.add(line.substring(name.length() + 2));
                }
            }
            return values;
        }

        String header(String name) {
            for (String line : headers) {
                if (line.regionMatches(true, 0, name + ": ", 0, name.length() + 2)) {
                    return line.substring(name.length() + 2);
                }
            }
            return "";
        }
    }

    /** Reads the next answer to a HEAD request. */
    Answer readHead() throws IOException {
        return read(false);
    }

    /** Reads the next answer; without a Content-Length it has no body. */
    Answer read() throws IOException {
        return read(true);
    }

    private Answer read(boolean withBody) throws IOException {
        String status = line();
        List<String> headers = new ArrayList<>();
        int length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            headers.add(line);
            if (line.regionMatches(true, 0, "Content-Length: ", 0, 16)) {
                length = Integer.parseInt(line.substring(16));
            }
        }
        byte[] body = in.readNBytes(withBody ? length : 0);
        if (withBody && body.length < length) {
            throw new EOFException("the body ended early");
        }
        return new Answer(Integer.parseInt(status.substring(9, 12)), headers, body);
    }

    /** All that comes until the server closes. */
    String readToEnd() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Whether the server has closed, which it is given time for. */
    boolean isClosedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (IOException reset) {
            return true;
        }
    }

    /** Reads to the end of the line. */
    String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("closed within a head, after " + line);
            }
            if (c != '\r') {
                line.write(c);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        try {
            socket.close();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
