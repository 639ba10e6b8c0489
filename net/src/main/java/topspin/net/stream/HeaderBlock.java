package topspin.net.stream;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What two nodes tell each other before the first frame (gossip.md A.7): a 2-byte big-endian
 * length, then a msgpack map from header names to lists of values. Names are compared as they are
 * spelt.
 *
 * @param headers in the order written; at most {@link #NAMES_MAX} names of {@link #VALUES_MAX}
 *     values
 */
public record HeaderBlock(Map<String, List<String>> headers) {
    static final int NAMES_MAX = 64;
    static final int VALUES_MAX = 16;

    /** The version of the stream that this node speaks. */
    static final String VERSION = "2.2";

    static final String VERSION_NAME = "X-Algorand-Version";
    static final String ACCEPT_VERSION_NAME = "X-Algorand-Accept-Version";
    static final String GENESIS_NAME = "X-Algorand-Genesis";
    static final String FEATURES_NAME = "X-Algorand-Peer-Features";

    private static final int BYTES_MAX = 0xffff;

    /** Our own. */
    public static HeaderBlock of(String genesisId) {
        var headers = new LinkedHashMap<String, List<String>>();
        headers.put(ACCEPT_VERSION_NAME, List.of(VERSION));
        headers.put(GENESIS_NAME, List.of(genesisId));
        headers.put(VERSION_NAME, List.of(VERSION));
        return new HeaderBlock(headers);
    }

    /** Whether one of the versions accepted, or else the version, is the one we speak. */
    public boolean speaksOurVersion() {
        List<String> accepted = headers.get(ACCEPT_VERSION_NAME);
        if (accepted == null || accepted.isEmpty()) {
            accepted = headers.getOrDefault(VERSION_NAME, List.of());
        }
        return accepted.contains(VERSION);
    }

    /** The network's name; empty if not given. */
    public String genesisId() {
        return first(GENESIS_NAME);
    }

    private String first(String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        return values.isEmpty() ? "" : values.getFirst();
    }

    /** Appends length and map. */
    public void encode(ByteBuf target) {
        var writer = new CanonicalWriter();
        writer.writeMapHeader(headers.size());
        for (var header : headers.entrySet()) {
            writer.writeText(header.getKey());
            writer.writeArrayHeader(header.getValue().size());
            header.getValue().forEach(writer::writeText);
        }
        if (writer.position() > BYTES_MAX) {
            throw new IllegalArgumentException(writer.position() + " bytes of headers");
        }
        target.writeShort(writer.position());
        target.writeBytes(writer.array(), 0, writer.position());
    }

    /**
     * Reads one block and moves behind it.
     *
     * @return null, nothing moved, if it is not all there
     * @throws MalformedMessage if the map is none, or over a limit, or followed by more
     */
    public static @Nullable HeaderBlock decode(ByteBuf bytes) throws MalformedMessage {
        int start = bytes.readerIndex();
        if (bytes.readableBytes() < Short.BYTES
                || bytes.readableBytes() < Short.BYTES + bytes.getUnsignedShort(start)) {
            return null;
        }
        byte[] map = new byte[bytes.readUnsignedShort()];
        bytes.readBytes(map);
        var reader = new MsgpackReader().reset(map, 0, map.length);
        int names = reader.readMapHeader();
        if (names > NAMES_MAX) {
            throw reader.malformed("more than " + NAMES_MAX + " headers", 0);
        }
        var headers = new LinkedHashMap<String, List<String>>();
        for (int name = 0; name < names; name++) {
            String key = text(reader);
            int size = reader.readArrayHeader(VALUES_MAX);
            List<String> values = new ArrayList<>(size);
            for (int value = 0; value < size; value++) {
                values.add(text(reader));
            }
            headers.put(key, values);
        }
        if (!reader.atEnd()) {
            throw reader.malformed("bytes behind the headers", reader.position());
        }
        return new HeaderBlock(headers);
    }

    private static String text(MsgpackReader reader) throws MalformedMessage {
        return reader.readText(BYTES_MAX).toText();
    }
}
