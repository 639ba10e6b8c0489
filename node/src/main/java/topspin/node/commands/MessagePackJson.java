package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.msgpack.core.MessageInsufficientBufferException;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageSizeException;
import org.msgpack.core.MessageUnpacker;

import topspin.codec.Address;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;

/**
 * Any msgpack object as JSON, for a person to read: keys as sent, addresses as text where the key
 * says that it is one, other bytes in base64. Reads looser forms than any decoder of ours, since it
 * is shown what they refuse.
 */
final class MessagePackJson {
    /** Deeper than any object of the network; a hostile file must not end in a stack overflow. */
    private static final int DEPTH_MAX = 260;

    private static final int BYTES_MAX = 1 << 24;
    private static final Set<String> ADDRESSES =
            Set.of(
                    "snd",
                    "rcv",
                    "close",
                    "rekey",
                    "asnd",
                    "arcv",
                    "aclose",
                    "fadd",
                    "sgnr",
                    "c",
                    "f",
                    "m",
                    "r",
                    "fees",
                    "rwd",
                    "prp",
                    "apat",
                    "partupdrmv",
                    "partupdabs",
                    "a",
                    "d",
                    "oprop");

    /**
     * Where an object's keys lie in its bytes: what a reader needs to name the field at an offset.
     */
    interface Visitor {
        void field(String path, long from, long to);
    }

    private final MessageUnpacker in;
    private final Visitor visitor;

    private MessagePackJson(byte[] bytes, int offset, Visitor visitor) {
        this.in = MessagePack.newDefaultUnpacker(bytes, offset, bytes.length - offset);
        this.visitor = visitor;
    }

    /**
     * The object that begins at an offset, read in place: what stands behind it costs nothing.
     *
     * @throws IOException if no whole one begins there, or it is deeper than any of the network's
     */
    static Parsed parse(byte[] bytes, int offset, Visitor visitor) throws IOException {
        MessagePackJson reader = new MessagePackJson(bytes, offset, visitor);
        try {
            JsonNode tree = reader.value("", 0);
            return new Parsed(tree, (int) reader.in.getTotalReadBytes());
        } catch (MessageInsufficientBufferException cutOff) {
            throw new IOException(
                    "no msgpack object: it goes on behind the last byte, "
                            + bytes.length
                            + " in all",
                    cutOff);
        } catch (MessageSizeException larger) {
            throw new IOException(
                    "no msgpack object: a length of " + larger.getSize() + " is out of reach",
                    larger);
        } catch (org.msgpack.core.MessagePackException malformed) {
            throw new IOException("no msgpack object: " + malformed.getMessage(), malformed);
        }
    }

    /**
     * An object and how much of the input it took.
     *
     * @param length bytes
     */
    record Parsed(JsonNode tree, int length) {}

    private JsonNode value(String path, int depth) throws IOException {
        if (depth > DEPTH_MAX) {
            throw new IOException("nested deeper than " + DEPTH_MAX);
        }
        JsonNodeFactory json = JsonNodeFactory.instance;
        return switch (in.getNextFormat().getValueType()) {
            case NIL -> {
                in.unpackNil();
                yield json.nullNode();
            }
            case BOOLEAN -> json.booleanNode(in.unpackBoolean());
            case INTEGER -> number(in.unpackBigInteger());
            case FLOAT -> json.numberNode(in.unpackDouble());
            case STRING ->
                    json.textNode(
                            new String(
                                    payload(in.unpackRawStringHeader()), StandardCharsets.UTF_8));
            case BINARY -> bytes(path, payload(in.unpackBinaryHeader()));
            case ARRAY -> array(path, depth);
            case MAP -> map(path, depth);
            case EXTENSION -> {
                var header = in.unpackExtensionTypeHeader();
                yield json.textNode(
                        "ext"
                                + header.getType()
                                + ":"
                                + Base64.getEncoder().encodeToString(payload(header.getLength())));
            }
        };
    }

    private static JsonNode number(BigInteger value) {
        return value.bitLength() < Long.SIZE
                ? JsonNodeFactory.instance.numberNode(value.longValue())
                : JsonNodeFactory.instance.numberNode(value);
    }

    private byte[] payload(int length) throws IOException {
        if (length > BYTES_MAX) {
            throw new IOException("a string of " + length + " bytes");
        }
        return in.readPayload(length);
    }

    private static JsonNode bytes(String path, byte[] value) {
        String key = path.substring(path.lastIndexOf('.') + 1).replaceAll("\\[.*", "");
        return JsonNodeFactory.instance.textNode(
                value.length == Address.BYTES && ADDRESSES.contains(key)
                        ? Address.fromBytes(value).toString()
                        : Base64.getEncoder().encodeToString(value));
    }

    private ArrayNode array(String path, int depth) throws IOException {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        int length = in.unpackArrayHeader();
        for (int i = 0; i < length; i++) {
            array.add(value(path + "[" + i + "]", depth + 1));
        }
        return array;
    }

    private ObjectNode map(String path, int depth) throws IOException {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        int length = in.unpackMapHeader();
        for (int i = 0; i < length; i++) {
            long from = in.getTotalReadBytes();
            String key = key(depth);
            String field = path.isEmpty() ? key : path + "." + key;
            JsonNode value = value(field, depth + 1);
            visitor.field(field, from, in.getTotalReadBytes());
            object.set(key, value);
        }
        return object;
    }

    private String key(int depth) throws IOException {
        JsonNode key = value("", depth + 1);
        return key.isTextual() ? key.textValue() : key.toString();
    }
}
