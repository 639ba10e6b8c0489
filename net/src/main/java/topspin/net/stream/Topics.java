package topspin.net.stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.net.Uvarint;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Named byte strings, the form of block requests and answers (gossip.md A.7): a count, then for
 * each the length of its key, the key, the length of its data, the data; all numbers as {@link
 * Uvarint}.
 */
public final class Topics {
    /** Most topics in a message. */
    static final int COUNT_MAX = 32;

    /** Longest key, in bytes; the shortest is one. */
    static final int KEY_BYTES_MAX = 64;

    private final Map<String, byte[]> topics = new LinkedHashMap<>();

    /** Adds a topic after those there are. The array is not copied. */
    public Topics with(String key, byte[] data) {
        if (key.isEmpty() || key.length() > KEY_BYTES_MAX || topics.size() == COUNT_MAX) {
            throw new IllegalArgumentException("topic " + key);
        }
        topics.put(key, data);
        return this;
    }

    /** The data under {@code key}, not a copy; null if there is none. */
    public byte @Nullable [] get(String key) {
        return topics.get(key);
    }

    /**
     * Reads all of {@code body}.
     *
     * @return null if it is no list of topics, or if a key comes twice
     */
    public static @Nullable Topics decode(ByteBuf body) {
        var topics = new Topics();
        int count = length(body);
        if (count < 0 || count > COUNT_MAX) {
            return null;
        }
        for (int topic = 0; topic < count; topic++) {
            int keyLength = length(body);
            if (keyLength < 1 || keyLength > KEY_BYTES_MAX) {
                return null;
            }
            String key = body.readCharSequence(keyLength, ISO_8859_1).toString();
            int dataLength = length(body);
            if (dataLength < 0) {
                return null;
            }
            byte[] data = new byte[dataLength];
            body.readBytes(data);
            if (topics.topics.put(key, data) != null) {
                return null;
            }
        }
        return body.isReadable() ? null : topics;
    }

    /** A length no larger than what is left behind it; -1 if there is none such. */
    private static int length(ByteBuf body) {
        long length = 0;
        for (int shift = 0; shift < Integer.SIZE && body.isReadable(); shift += 7) {
            int next = body.readByte();
            length |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return length <= body.readableBytes() ? (int) length : -1;
            }
        }
        return -1;
    }

    /** The bytes of the message. */
    public byte[] encode() {
        int size = Uvarint.size(topics.size());
        for (var topic : topics.entrySet()) {
            size += Uvarint.size(topic.getKey().length()) + topic.getKey().length();
            size += Uvarint.size(topic.getValue().length) + topic.getValue().length;
        }
        byte[] body = new byte[size];
        int at = Uvarint.write(topics.size(), body, 0);
        for (var topic : topics.entrySet()) {
            at = append(topic.getKey().getBytes(ISO_8859_1), body, at);
            at = append(topic.getValue(), body, at);
        }
        return body;
    }

    private static int append(byte[] item, byte[] body, int at) {
        int start = Uvarint.write(item.length, body, at);
        System.arraycopy(item, 0, body, start, item.length);
        return start + item.length;
    }

    /** A number as the network puts it into a topic: its Uvarint, then zeros up to ten bytes. */
    static byte[] number(long value) {
        byte[] data = new byte[Uvarint.BYTES_MAX];
        Uvarint.write(value, data, 0);
        return data;
    }

    /**
     * Reads a number, padded or not.
     *
     * @return null for more than 64 bits, a cut one, or bytes other than zeros behind it
     */
    static @Nullable Long number(byte @Nullable [] data) {
        if (data == null || data.length > Uvarint.BYTES_MAX) {
            return null;
        }
        long value = 0;
        for (int at = 0; at < data.length; at++) {
            if (at == Uvarint.BYTES_MAX - 1 && (data[at] & 0xfe) != 0) {
                return null;
            }
            value |= (data[at] & 0x7fL) << (7 * at);
            if (data[at] >= 0) {
                byte[] padding = Arrays.copyOfRange(data, at + 1, data.length);
                return Arrays.equals(padding, new byte[padding.length]) ? (Long) value : null;
            }
        }
        return null;
    }
}
