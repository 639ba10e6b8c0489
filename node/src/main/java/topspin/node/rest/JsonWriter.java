package topspin.node.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.ByteBufUtil;

import topspin.codec.Digest;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Base64;

/**
 * Writes one JSON value into a buffer its caller owns: compact, UTF-8, with the escapes that algod
 * writes. Keeps no tree. One thread; the caller keeps names and values in turn.
 *
 * <p>Values of other modules, which write to Jackson's generator, are taken by {@link #embed}.
 */
public final class JsonWriter {
    private static final int DEPTH_MAX = 63;
    private static final byte[] HEX =
            "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final JsonFactory JACKSON =
            JsonFactory.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();

    private static final ThreadLocal<byte[]> DIGEST_TEXT =
            ThreadLocal.withInitial(() -> new byte[Digest.TEXT_LENGTH]);

    private final ByteBuf out;

    /** A bit per level: whether something stands there already, so that a comma comes next. */
    private long begun;

    private int depth;
    private boolean named;

    public JsonWriter(ByteBuf out) {
        this.out = out;
    }

    public JsonWriter beginObject() {
        return begin('{');
    }

    public JsonWriter endObject() {
        return end('}');
    }

    public JsonWriter beginArray() {
        return begin('[');
    }

    public JsonWriter endArray() {
        return end(']');
    }

    /** The name of the value that follows: plain ASCII without anything to escape. */
    public JsonWriter name(String name) {
        separate();
        out.writeByte('"');
        ByteBufUtil.writeAscii(out, name);
        out.writeByte('"').writeByte(':');
        named = true;
        return this;
    }

    public JsonWriter string(String value) {
        separate();
        out.writeByte('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x80) {
                ascii(c);
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                int code = Character.toCodePoint(c, value.charAt(++i));
                out.writeByte(0xf0 | (code >> 18));
                out.writeByte(0x80 | ((code >> 12) & 0x3f));
                out.writeByte(0x80 | ((code >> 6) & 0x3f));
                out.writeByte(0x80 | (code & 0x3f));
            } else if (c == '\u2028' || c == '\u2029') {
                escape(c);
            } else if (Character.isSurrogate(c)) {
                escape('\ufffd');
            } else if (c < 0x800) {
                out.writeByte(0xc0 | (c >> 6));
                out.writeByte(0x80 | (c & 0x3f));
            } else {
                out.writeByte(0xe0 | (c >> 12));
                out.writeByte(0x80 | ((c >> 6) & 0x3f));
                out.writeByte(0x80 | (c & 0x3f));
            }
        }
        out.writeByte('"');
        return this;
    }

    /** The text of a digest: base32 without padding. */
    public JsonWriter digest(Digest value) {
        separate();
        byte[] text = DIGEST_TEXT.get();
        value.writeText(text, 0);
        out.writeByte('"').writeBytes(text).writeByte('"');
        return this;
    }

    /** Standard base64, padded. */
    public JsonWriter base64(byte[] value) {
        separate();
        out.writeByte('"').writeBytes(Base64.getEncoder().encode(value)).writeByte('"');
        return this;
    }

    /** An unsigned 64-bit number. */
    public JsonWriter uint(long value) {
        separate();
        if (value < 0) {
            ByteBufUtil.writeAscii(out, Long.toUnsignedString(value));
        } else {
            digits(out, value);
        }
        return this;
    }

    /** A signed number. */
    public JsonWriter integer(long value) {
        separate();
        if (value == Long.MIN_VALUE) {
            ByteBufUtil.writeAscii(out, "-9223372036854775808");
        } else {
            if (value < 0) {
                out.writeByte('-');
            }
            digits(out, Math.abs(value));
        }
        return this;
    }

    /** A finite number with a fraction. */
    public JsonWriter decimal(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("not a number of JSON: " + value);
        }
        separate();
        ByteBufUtil.writeAscii(out, Double.toString(value));
        return this;
    }

    public JsonWriter bool(boolean value) {
        separate();
        ByteBufUtil.writeAscii(out, value ? "true" : "false");
        return this;
    }

    public JsonWriter nul() {
        separate();
        ByteBufUtil.writeAscii(out, "null");
        return this;
    }

    /** One value that its owner writes to Jackson's generator. */
    public JsonWriter embed(Embedded value) {
        separate();
        try (JsonGenerator json =
                JACKSON.createGenerator((OutputStream) new ByteBufOutputStream(out))) {
            value.writeTo(json);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return this;
    }

    /** A value that knows how to write itself. */
    @FunctionalInterface
    public interface Embedded {
        void writeTo(JsonGenerator json) throws IOException;
    }

    /** Whether exactly one value has been written, whole. */
    boolean isComplete() {
        return depth == 0 && (begun & 1) != 0 && !named;
    }

    private void ascii(char c) {
        switch (c) {
            case '"', '\\' -> out.writeByte('\\').writeByte(c);
            case '\b' -> out.writeByte('\\').writeByte('b');
            case '\f' -> out.writeByte('\\').writeByte('f');
            case '\n' -> out.writeByte('\\').writeByte('n');
            case '\r' -> out.writeByte('\\').writeByte('r');
            case '\t' -> out.writeByte('\\').writeByte('t');
            case '<', '>', '&' -> escape(c);
            default -> {
                if (c < 0x20) {
                    escape(c);
                } else {
                    out.writeByte(c);
                }
            }
        }
    }

    private void escape(char c) {
        out.writeByte('\\').writeByte('u');
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.writeByte(HEX[(c >> shift) & 0xf]);
        }
    }

    /** Appends a number that is not negative, in decimal. */
    static void digits(ByteBuf out, long number) {
        long value = number;
        int count = 1;
        for (long rest = value; rest >= 10; rest /= 10) {
            count++;
        }
        out.ensureWritable(count);
        int end = out.writerIndex() + count;
        for (int i = end - 1; i >= end - count; i--) {
            out.setByte(i, (byte) ('0' + value % 10));
            value /= 10;
        }
        out.writerIndex(end);
    }

    private JsonWriter begin(char bracket) {
        separate();
        if (depth == DEPTH_MAX) {
            throw new IllegalStateException("nested too deep");
        }
        out.writeByte(bracket);
        depth++;
        begun &= ~(1L << depth);
        return this;
    }

    private JsonWriter end(char bracket) {
        if (depth == 0 || named) {
            throw new IllegalStateException("nothing to end");
        }
        out.writeByte(bracket);
        depth--;
        return this;
    }

    private void separate() {
        if (named) {
            named = false;
        } else {
            if ((begun & (1L << depth)) != 0) {
                out.writeByte(',');
            }
            begun |= 1L << depth;
        }
    }
}
