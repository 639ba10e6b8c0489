package topspin.node.rest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** Writes status line and header lines. */
final class ResponseHead {
    static final String JSON = "application/json";
    static final String MSGPACK = "application/msgpack";
    static final String TEXT = "text/plain; charset=UTF-8";
    static final String GZIP = "Content-Encoding: gzip";

    /** Room that an answer leaves in front of its body: more than all lines here together. */
    static final int BYTES_MAX = 1024;

    private static final byte[] OK = ascii("HTTP/1.1 200 OK\r\n");
    private static final byte[] VARY = ascii("Vary: Accept-Encoding\r\nVary: Origin\r\n");
    private static final byte[] CONTENT_TYPE = ascii("Content-Type: ");
    private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    private static final byte[] LINE_END = ascii("\r\n");
    static final byte[] CONTINUE = ascii("HTTP/1.1 100 Continue\r\n\r\n");

    private ResponseHead() {}

    /**
     * Writes a whole head.
     *
     * @param contentType null when there is no body
     * @param bodyBytes length of the body, or -1 to say nothing of it
     * @param date the Date line, whole
     * @param connection what to say of the connection
     */
    static void write(
            ByteBuf out,
            int status,
            boolean vary,
            @Nullable String cors,
            @Nullable String extraHeader,
            @Nullable String contentType,
            long bodyBytes,
            byte[] date,
            Persistence connection) {
        if (status == 200) {
            out.writeBytes(OK);
        } else {
            ByteBufUtil.writeAscii(out, "HTTP/1.1 ");
            ByteBufUtil.writeAscii(out, HttpResponseStatus.valueOf(status).toString());
            out.writeBytes(LINE_END);
        }
        if (cors != null) {
            ByteBufUtil.writeAscii(out, "Access-Control-Allow-Origin: ");
            ByteBufUtil.writeAscii(out, cors);
            out.writeBytes(LINE_END);
        }
        if (extraHeader != null) {
            ByteBufUtil.writeAscii(out, extraHeader);
            out.writeBytes(LINE_END);
        }
        if (contentType != null) {
            out.writeBytes(CONTENT_TYPE);
            ByteBufUtil.writeAscii(out, contentType);
            out.writeBytes(LINE_END);
        }
        if (vary) {
            out.writeBytes(VARY);
        }
        out.writeBytes(date);
        if (bodyBytes >= 0) {
            out.writeBytes(CONTENT_LENGTH);
            JsonWriter.digits(out, bodyBytes);
            out.writeBytes(LINE_END);
        }
        switch (connection) {
            case DEFAULT -> {}
            case CLOSE -> out.writeBytes(CLOSE);
            case KEEP_ALIVE -> out.writeBytes(KEEP_ALIVE);
        }
        out.writeBytes(LINE_END);
    }

    /** Writes the whole answer to what is not HTTP as we know it; its text is also its body. */
    static void writeMalformed(ByteBuf out, String text) {
        ByteBufUtil.writeAscii(out, "HTTP/1.1 ");
        ByteBufUtil.writeAscii(out, text);
        ByteBufUtil.writeAscii(
                out, "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n");
        ByteBufUtil.writeAscii(out, text);
    }

    /** What an answer says of the connection it comes on. */
    enum Persistence {
        /** What the version of the request implies. */
        DEFAULT,
        CLOSE,
        /** Told to an HTTP/1.0 client that asked for it. */
        KEEP_ALIVE
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
