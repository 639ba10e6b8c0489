package topspin.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A peer of bytes alone, written from the specification and sharing no code with ours. */
final class RawPeer implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    RawPeer(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(10_000);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** A peer whose header blocks are exchanged. */
    static RawPeer greeted(int port, String genesisId, String id) throws IOException {
        var peer = new RawPeer(port);
        peer.write(header("2.2", genesisId, id));
        peer.readHeader();
        return peer;
    }

    /** A header block in hand-made msgpack; all texts shorter than 32. */
    static byte[] header(String version, String genesisId, String id) {
        var map = new java.io.ByteArrayOutputStream();
        map.write(0x83);
        for (String text :
                new String[] {
                    "X-Algorand-Version", version,
                    "X-Algorand-Genesis", genesisId,
                    "X-Topspin-Node", id
                }) {
            if (!text.startsWith("X-")) {
                map.write(0x91);
            }
            map.write(0xa0 | text.length());
            map.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }
        return ByteBuffer.allocate(Short.BYTES + map.size())
                .putShort((short) map.size())
                .put(map.toByteArray())
                .array();
    }

    static byte[] frame(String tag, byte[] body) {
        return ByteBuffer.allocate(6 + body.length)
                .putInt(2 + body.length)
                .put(tag.getBytes(StandardCharsets.US_ASCII))
                .put(body)
                .array();
    }

    void write(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    void write(String hex) throws IOException {
        write(HexFormat.of().parseHex(hex));
    }

    byte[] readHeader() throws IOException {
        byte[] map = new byte[in.readUnsignedShort()];
        in.readFully(map);
        return map;
    }

    /** The next frame: two letters and the body in hexadecimal. */
    String readFrame() throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        return new String(frame, 0, 2, StandardCharsets.US_ASCII)
                + HexFormat.of().formatHex(frame, 2, frame.length);
    }

    /** Reads a frame and tells its length, tag included. */
    int skipFrame() throws IOException {
        int length = in.readInt();
        in.skipNBytes(length);
        return length;
    }

    /** Waits until the node has hung up. */
    void awaitEnd() throws IOException {
        try {
            while (in.read() >= 0) {
                // What it had still to say.
            }
        } catch (java.net.SocketException reset) {
            // A reset is an end too.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
