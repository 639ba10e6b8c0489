package topspin.node.rest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.msgpack.CanonicalWriter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * One request and its one answer. Made by {@link Connection}, handed to a {@link Handler}.
 *
 * <p>The request may be read by whoever handles it until it is answered. The answer may come from
 * any thread, once; a second one is a bug and is refused. When the client leaves before, {@link
 * #onAbandoned} tells, and an answer given nevertheless is dropped.
 */
public final class Exchange implements Runnable {
    private static final Logger LOG = System.getLogger(Exchange.class.getName());
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Exchange.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int OPEN = 0;
    private static final int ANSWERED = 1;
    private static final int GONE = 2;

    /** Answers from this size on count against {@link Limits#answersBytesMax}. */
    static final int LARGE_BYTES_MIN = 64 << 10;

    private static final int FIRST_BODY_BYTES = 512;
    private static final int[] NOWHERE = {};

    private final Connection connection;
    private final String path;
    private final String rawQuery;
    private int[] spans = NOWHERE;
    private final boolean gzip;

    private @Nullable Route route;
    private @Nullable Query query;
    private ByteBuf body = Unpooled.EMPTY_BUFFER;
    private @Nullable ByteBuf answer;
    private int status;
    private String contentType = ResponseHead.JSON;
    private @Nullable String extraHeader;
    private @Nullable Runnable abandoned;

    // The loop's: what its connection knows of it once another request has begun behind it.
    private ResponseHead.Persistence persistence = ResponseHead.Persistence.DEFAULT;
    private @Nullable String allowedOrigin;
    private int bodyBytesReserved;
    private boolean ready;

    /** Whether the answer is a stream that has begun. */
    private boolean streaming;

    @SuppressWarnings("unused") // By STATE.
    private volatile int state;

    Exchange(Connection connection, String path, String rawQuery, boolean gzip) {
        this.connection = connection;
        this.path = path;
        this.rawQuery = rawQuery;
        this.gzip = gzip;
    }

    // What was asked.

    /**
     * The n-th parameter of the path, counted from 0, with escapes decoded.
     *
     * @throws RequestFault 400 when an escape is malformed
     */
    public String segment(int n) {
        String text = Query.decode(path, spans[2 * n], spans[2 * n + 1], false);
        if (text == null) {
            throw new RequestFault(400, "invalid URL escape in the path");
        }
        return text;
    }

    /** The n-th parameter of the path as an unsigned number; the name is for the error. */
    public long number(int n, String name) {
        return GoText.parseUint(name, segment(n));
    }

    /** The n-th parameter of the path as an address; the name is for the error. */
    public Address address(int n, String name) {
        String text = segment(n);
        try {
            return Address.parse(text);
        } catch (IllegalArgumentException e) {
            throw RequestFault.parameter(
                    name,
                    "error unmarshaling '" + text + "' text as *basics.Address: " + e.getMessage());
        }
    }

    /**
     * The n-th parameter of the path as the id of a transaction: 52 characters of base32.
     *
     * @throws RequestFault 400 when it is none
     */
    public Digest transactionId(int n) {
        try {
            return Digest.parse(segment(n));
        } catch (IllegalArgumentException e) {
            throw new RequestFault(400, "no valid transaction ID was specified");
        }
    }

    /** A query parameter that may stand once, or null. */
    public @Nullable String query(String name) {
        return query().single(name);
    }

    /** A query parameter that is an unsigned number, or what is taken in its absence. */
    public long queryNumber(String name, long absent) {
        String text = query(name);
        return text == null ? absent : GoText.parseUint(name, text);
    }

    /**
     * A query parameter that is an unsigned number.
     *
     * @throws RequestFault 400 when it is absent
     */
    public long requiredNumber(String name) {
        String text = query(name);
        if (text == null) {
            throw RequestFault.parameter(name, "query parameter '" + name + "' is required");
        }
        return GoText.parseUint(name, text);
    }

    /** A query parameter that is a truth value; false in its absence. */
    public boolean queryFlag(String name) {
        String text = query(name);
        return text != null && GoText.parseBool(name, text);
    }

    /** The query, for what the methods above do not cover. */
    Query query() {
        Query parsed = query;
        if (parsed == null) {
            parsed = Query.parse(rawQuery);
            query = parsed;
        }
        return parsed;
    }

    /**
     * The text of the query parameter {@code format}, or null, checked only for standing once.
     * Routes look at its meaning later, by {@link #isMsgpack}: the order of errors is algod's.
     */
    public @Nullable String formatText() {
        return query("format");
    }

    /**
     * Whether msgpack was asked for rather than JSON.
     *
     * @throws RequestFault 400 for anything else
     */
    public static boolean isMsgpack(@Nullable String formatText) {
        return switch (formatText == null ? "json" : formatText.toLowerCase(Locale.ROOT)) {
            case "json" -> false;
            case "msgpack", "msgp" -> true;
            default -> throw new RequestFault(400, "failed to parse the format option");
        };
    }

    /** The body, valid until the request is answered; reading it moves its reader index. */
    public ByteBuf body() {
        return body;
    }

    /** The body in an array of its own. */
    public byte[] bodyBytes() {
        return ByteBufUtil.getBytes(body);
    }

    // The answer.

    /** Begins a JSON answer. {@link #send} closes it with a newline. */
    public JsonWriter json() {
        contentType = ResponseHead.JSON;
        return new JsonWriter(begin());
    }

    /** Begins an answer of bytes. */
    public ByteBuf bytes(String type) {
        contentType = type;
        return begin();
    }

    /** Adds one header line, {@code Name: value}. */
    public void header(String line) {
        extraHeader = line;
    }

    /** Sends the JSON that {@link #json} began, with a newline behind it. */
    public void send(int code) {
        append('\n');
        finish(code, gzip);
    }

    /** Sends what {@link #bytes} began, as it is. */
    public void sendAsIs(int code) {
        finish(code, gzip);
    }

    /** Sends a value with status 200, in the form that was asked for. */
    void send(boolean msgpack, Consumer<TwinWriter> value) {
        if (msgpack) {
            CanonicalWriter out = new CanonicalWriter();
            value.accept(new TwinWriter.Msgpack(out));
            sendMsgpack(out);
        } else {
            value.accept(new TwinWriter.Json(json()));
            send(200);
        }
    }

    /** Sends msgpack with status 200. */
    public void sendMsgpack(CanonicalWriter out) {
        bytes(ResponseHead.MSGPACK).writeBytes(out.array(), 0, out.position());
        finish(200, gzip);
    }

    /** Sends a status without a body. */
    public void empty(int code) {
        dropAnswer();
        finish(code, false);
    }

    /** Sends plain text, as algod does where its framework answers. */
    public void text(int code, String text) {
        bytes(ResponseHead.TEXT).writeCharSequence(text, StandardCharsets.UTF_8);
        finish(code, gzip);
    }

    /**
     * Begins an answer that goes on until {@link #endStream} or the client leaves, with the
     * connection as its end. To be called on the event loop, as {@link #push} is; {@link
     * #onAbandoned} tells when the client has left.
     */
    void stream(String type) {
        streaming = true;
        connection.beginStream(type);
    }

    /**
     * Sends a piece of the stream; left out while the client has not taken what was sent before.
     */
    void push(Consumer<ByteBuf> piece) {
        if (state == OPEN && connection.takesMore()) {
            ByteBuf out = connection.allocate(FIRST_BODY_BYTES);
            piece.accept(out);
            connection.push(out);
        }
    }

    /** Ends the stream, and with it the connection. */
    void endStream() {
        finish(200, false);
    }

    boolean isStreaming() {
        return streaming;
    }

    /** Sends an error as JSON. */
    public void fault(int code, String message) {
        fault(code, message, gzip);
    }

    /** Sends an error of the layer before any handler, which is never compressed. */
    void fault(int code, String message, boolean compressed) {
        extraHeader = null;
        json().beginObject().name("message").string(message).endObject();
        append('\n');
        finish(code, compressed);
    }

    /** Sends 405 with the methods that the path does have. */
    void refuseMethod(String allow) {
        json().beginObject().name("message").string("Method Not Allowed").endObject();
        append('\n');
        extraHeader = "Allow: " + allow;
        finish(405, false);
    }

    /** Runs a piece of work on this request's event loop, its faults caught; for late answers. */
    public void onLoop(Handler work) {
        connection.execute(() -> run(work));
    }

    /** Runs a piece of work on a worker thread; 429 if too many are waiting for one. */
    public void onWorker(Handler work) {
        connection.onWorker(this, work);
    }

    /**
     * Marks the request as one that waits for something that may be long in coming, and tells what
     * to do when the client leaves or hangs up before. To be called on the event loop.
     */
    public void onAbandoned(Runnable action) {
        abandoned = action;
    }

    // What Connection does with it.

    /** Runs a handler, and turns what it throws into the answer. */
    void run(Handler handler) {
        try {
            handler.handle(this);
        } catch (RequestFault fault) {
            fault(fault.status(), fault.text(), gzip && !fault.isEarly());
        } catch (RuntimeException | StackOverflowError e) { // What nests too deep ends here, too.
            LOG.log(Level.ERROR, "handling " + path + " failed", e);
            if (state == OPEN) {
                fault(500, "internal error: " + e.getClass().getSimpleName());
            }
        }
    }

    /** Gives it its route, and where the parameters are in the path. */
    void dispatch(Route to, int[] parameters) {
        route = to;
        if (to.hasParameters()) {
            spans = parameters.clone();
        }
    }

    @Nullable Route route() {
        return route;
    }

    /** Whether a request asks for the same, and may begin while this one awaits its answer. */
    boolean isRepeatedBy(HttpRequest request) {
        Route same = route;
        return same != null
                && same.pipelined()
                && rawQuery.isEmpty()
                && request.method().equals(same.method())
                && request.uri().equals(path);
    }

    /** Keeps what is needed for its answer, since another request may follow before. */
    void letGo(ResponseHead.Persistence kept, @Nullable String origin, long bodyBytes) {
        persistence = kept;
        allowedOrigin = origin;
        bodyBytesReserved = (int) bodyBytes; // A body's bound is an int.
    }

    ResponseHead.Persistence persistence() {
        return persistence;
    }

    @Nullable String allowedOrigin() {
        return allowedOrigin;
    }

    long bodyBytesReserved() {
        return bodyBytesReserved;
    }

    /** Its answer is here. */
    void ready() {
        ready = true;
    }

    boolean isReady() {
        return ready;
    }

    void takeBody(ByteBuf bytes) {
        body = bytes;
    }

    int status() {
        return status;
    }

    /** The answer's body, at an offset that leaves room for the head; null for none. */
    @Nullable ByteBuf answer() {
        return answer;
    }

    /** Hands the answer over to whoever writes it. */
    @Nullable ByteBuf takeAnswer() {
        ByteBuf taken = answer;
        answer = null;
        return taken;
    }

    String contentType() {
        return contentType;
    }

    @Nullable String extraHeader() {
        return extraHeader;
    }

    boolean isOpen() {
        return state == OPEN;
    }

    /** On the loop: the client will send no more, so nobody need wait for it any longer. */
    void hangUp() {
        Runnable action = abandoned;
        if (action != null && state == OPEN) {
            action.run();
            dropAnswer();
            finish(408, false, GONE); // So that a late answer finds nobody.
        }
    }

    /** On the loop: the client is gone. Does what was said for that case, once. */
    void abandon() {
        if (STATE.compareAndSet(this, OPEN, GONE)) {
            connection.server().requestDone();
            Runnable action = abandoned;
            if (action != null) {
                action.run();
            }
        }
    }

    /** On the loop: write the answer. */
    @Override
    public void run() {
        connection.answered(this);
    }

    void release() {
        ByteBuf bytes = body;
        body = Unpooled.EMPTY_BUFFER;
        bytes.release();
    }

    private void finish(int code, boolean compressed) {
        finish(code, compressed, ANSWERED);
    }

    private void finish(int code, boolean compressed, int next) {
        if (!STATE.compareAndSet(this, OPEN, next)) {
            dropAnswer();
            if (next == ANSWERED && state == ANSWERED) {
                throw new IllegalStateException("answered twice: " + path);
            }
            return; // The client left.
        }
        status = code;
        if (compressed) {
            compress();
        }
        connection.deliver(this);
        connection.server().requestDone(); // Last: a stop waits for it, then closes connections.
    }

    private void append(char c) {
        ByteBuf out = answer;
        if (out != null) {
            out.writeByte(c);
        }
    }

    private ByteBuf begin() {
        dropAnswer();
        ByteBuf out = connection.allocate(ResponseHead.BYTES_MAX + FIRST_BODY_BYTES);
        out.writerIndex(ResponseHead.BYTES_MAX).readerIndex(ResponseHead.BYTES_MAX);
        answer = out;
        return out;
    }

    private void dropAnswer() {
        ReferenceCountUtil.release(answer);
        answer = null;
    }

    private void compress() {
        ByteBuf plain = answer;
        if (plain == null) {
            return;
        }
        answer = null;
        begin();
        try (GZIPOutputStream zip = new FastGzip(new ByteBufOutputStream(answer()))) {
            plain.readBytes(zip, plain.readableBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("compressing in memory failed", e);
        } finally {
            plain.release();
        }
        extraHeader =
                extraHeader == null ? ResponseHead.GZIP : extraHeader + "\r\n" + ResponseHead.GZIP;
    }

    /** Level 1: half the work of the default for some percent more bytes. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(ByteBufOutputStream out) throws IOException {
            super(out, 8192);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
