package topspin.node.rest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.FastThreadLocal;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * One client. Lives on one event loop; owns what it reads.
 *
 * <p>Works on one request at a time, but for submissions in a row ({@link Route#pipelined}), of
 * which up to {@link #PIPELINED_MAX} may await their answers; those are given in the order of the
 * requests. Whatever else arrived meanwhile waits here, and no more than one further read is asked
 * for, so that the end of the stream is noticed. A client whose answers pile up is not read at all.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails here closes the channel, which is told.
final class Connection extends ChannelInboundHandlerAdapter {
    private static final AsciiString PRIVATE_NETWORK =
            AsciiString.cached("access-control-request-private-network");
    private static final String BEARER = "Bearer ";

    /** Requests of one connection that may await their answers. */
    static final int PIPELINED_MAX = 32;

    /** A refused body up to this size is read and dropped, so that the connection may go on. */
    private static final int DROPPED_BYTES_MAX = 256 << 10;

    /**
     * How long, and for how many bytes, a connection that ends listens on after its last answer.
     */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long LINGER_BYTES_MAX = 16 << 20;

    /** Where heads are put together, one a loop. */
    private static final FastThreadLocal<ByteBuf> HEAD =
            new FastThreadLocal<>() {
                @Override
                protected ByteBuf initialValue() {
                    return Unpooled.buffer(ResponseHead.BYTES_MAX, ResponseHead.BYTES_MAX);
                }
            };

    private enum Phase {
        /** Between requests, or inside a head. */
        HEAD,
        /** A request was taken; its body is coming. */
        BODY,
        /** The request is whole and its answer is due. */
        ANSWER,
        /** The answer was given before the body was there; the rest is dropped. */
        DROP,
        /** The last answer was given; input is dropped until the client closes. */
        LINGER,
        CLOSED
    }

    private final RestServer server;

    /** Whether this is the Unix socket, whose file mode stands for the token. */
    private final boolean trusted;

    private final ArrayDeque<Object> waiting = new ArrayDeque<>(4);

    /** Requests without an answer, in their order; the one at hand is the last. */
    private final ArrayDeque<Exchange> due = new ArrayDeque<>(4);

    private final Runnable flush = this::flush;
    private boolean flushing;

    private @Nullable ChannelHandlerContext context;
    private Phase phase = Phase.HEAD;
    private long deadlineNanos;
    private long writeDeadlineNanos;
    private boolean pumping;
    private boolean inputEnded;

    /** Where the parameters of a path are, while its route is looked for. */
    private final int[] spans = new int[2 * RouteTable.PARAMETERS_MAX];

    // Of the request at hand.
    private @Nullable Exchange exchange;
    private ResponseHead.Persistence kept = ResponseHead.Persistence.DEFAULT;
    private boolean keepAlive;
    private boolean bodyless;
    private @Nullable String allowedOrigin;
    private @Nullable ByteBuf body;
    private int bodyBytesMax;
    private long bodyBytesReserved;
    private long droppedBytes;

    Connection(RestServer server, boolean trusted) {
        this.server = server;
        this.trusted = trusted;
    }

    // Life.

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        deadlineNanos = server.nanoTime() + server.readNanosMax();
        writeDeadlineNanos = Long.MAX_VALUE;
        scheduleCheck();
        active.read();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        phase = Phase.CLOSED;
        dropBody();
        exchange = null;
        for (Exchange left = due.poll(); left != null; left = due.poll()) {
            left.abandon();
            if (left.isReady()) { // It had to wait its turn; others may still be at theirs.
                ReferenceCountUtil.release(left.takeAnswer());
            }
            left.release();
            server.releaseBody(left.bodyBytesReserved());
        }
        Object message;
        while ((message = waiting.poll()) != null) {
            ReferenceCountUtil.release(message);
        }
        server.connectionClosed(context().channel());
    }

    @Override
    @SuppressWarnings("deprecation") // Deprecated for outbound handlers only.
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        failed.close(); // A reset, or a broken pipe: the client's doing.
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext where, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            pump();
            endOfInput();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (changed.channel().isWritable()) {
            pump();
        }
    }

    /** Looks at the deadlines, and again when the next one may be due. */
    private void check() {
        if (phase == Phase.CLOSED) {
            return;
        }
        long now = server.nanoTime();
        Channel channel = context().channel();
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        if (pending != null && pending.totalPendingWriteBytes() > 0) {
            if (now - writeDeadlineNanos >= 0) {
                server.counters().slowTakers.increment();
                channel.close();
                return;
            }
        }
        boolean answers = phase == Phase.ANSWER || (phase == Phase.HEAD && !due.isEmpty());
        if (!answers && now - deadlineNanos >= 0) {
            timeUp();
        }
        scheduleCheck();
    }

    private void timeUp() {
        server.counters().slowSenders.increment();
        if (phase == Phase.BODY && exchange != null) {
            keepAlive = false;
            phase = Phase.DROP;
            dropBody();
            exchange.fault(
                    400,
                    "read "
                            + context().channel().localAddress()
                            + "->"
                            + context().channel().remoteAddress()
                            + ": i/o timeout",
                    false);
            pump();
        } else {
            context().close();
        }
    }

    private void scheduleCheck() {
        if (phase != Phase.CLOSED) {
            long delay = Math.min(server.readNanosMax(), LINGER_NANOS);
            context().executor().schedule(this::check, delay, TimeUnit.NANOSECONDS);
        }
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext where = context;
        if (where == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return where;
    }

    // Reading.

    @Override
    public void channelRead(ChannelHandlerContext from, Object message) {
        waiting.addLast(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext from) {
        pump();
    }

    /** Takes what has arrived as far as the phase and the client's appetite allow. */
    private void pump() {
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            while (phase != Phase.ANSWER
                    && phase != Phase.CLOSED
                    && (phase == Phase.LINGER || context().channel().isWritable())) {
                Object message = waiting.peek();
                if (message == null
                        || (phase == Phase.HEAD && !due.isEmpty() && !goesOn(message))) {
                    break;
                }
                waiting.remove();
                try {
                    take(message);
                } finally {
                    ReferenceCountUtil.release(message);
                }
            }
        } finally {
            pumping = false;
        }
        if (phase == Phase.CLOSED) {
            return;
        }
        if (due.isEmpty()) {
            context().flush();
        } else {
            flushSoon(); // What else is answered by then leaves with it.
        }
        if (waiting.isEmpty() && !inputEnded) {
            context().read();
        }
    }

    /**
     * Whether a request may begin while others await their answers: it asks for the same as they
     * do, and nothing is to be said before its own answer.
     */
    private boolean goesOn(Object message) {
        return due.size() < PIPELINED_MAX
                && message instanceof HttpRequest request
                && request.decoderResult().isSuccess()
                && request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && request.headers().contains(HttpHeaderNames.HOST)
                && !HttpUtil.is100ContinueExpected(request)
                && due.getLast().isRepeatedBy(request);
    }

    private void flushSoon() {
        if (!flushing) {
            flushing = true;
            context().executor().execute(flush);
        }
    }

    private void flush() {
        flushing = false;
        context().flush();
    }

    private void take(Object message) {
        switch (phase) {
            case HEAD -> {
                // A head starts here; a stray end of a refused one is passed over.
                if (message instanceof HttpRequest request) {
                    begin(request);
                }
            }
            case BODY -> {
                if (message instanceof HttpContent content) {
                    collect(content);
                }
            }
            case DROP -> {
                if (message instanceof HttpContent content) {
                    drop(content);
                }
            }
            case LINGER -> {
                if (message instanceof HttpContent content) {
                    droppedBytes += content.content().readableBytes();
                    if (droppedBytes > LINGER_BYTES_MAX) {
                        context().close();
                    }
                }
            }
            case ANSWER, CLOSED -> throw new IllegalStateException("reading while " + phase);
        }
    }

    private void begin(HttpRequest request) {
        server.counters().requests.increment();
        droppedBytes = 0;
        if (request.decoderResult().isFailure()) {
            Throwable cause = request.decoderResult().cause();
            if (cause instanceof TooLongHttpHeaderException
                    || cause instanceof TooLongHttpLineException) {
                malformed("431 Request Header Fields Too Large");
            } else {
                malformed("400 Bad Request");
            }
            return;
        }
        HttpVersion version = request.protocolVersion();
        if (version.majorVersion() != 1) {
            malformed("505 HTTP Version Not Supported: unsupported protocol version");
            return;
        }
        HttpHeaders headers = request.headers();
        boolean old = version.minorVersion() == 0;
        if (!old && !headers.contains(HttpHeaderNames.HOST)) {
            malformed("400 Bad Request: missing required Host header");
            return;
        }
        long announced = HttpUtil.getContentLength(request, 0L);
        boolean persistent = HttpUtil.isKeepAlive(request) && !server.isStopping();
        // If refused: a client told of its refusal before it sends the body may send none, and one
        // that sends a large one all the same is not listened to.
        keepAlive =
                persistent
                        && !HttpUtil.is100ContinueExpected(request)
                        && announced <= DROPPED_BYTES_MAX;
        kept = old ? ResponseHead.Persistence.KEEP_ALIVE : ResponseHead.Persistence.DEFAULT;
        bodyless = request.method().equals(HttpMethod.HEAD);
        allowedOrigin = server.config().allowedOrigin(headers.get(HttpHeaderNames.ORIGIN));
        phase = Phase.DROP; // Until the request is found worth its body.
        deadlineNanos = server.nanoTime() + server.readNanosMax();

        String uri = pathAndQuery(request.uri());
        int question = uri.indexOf('?');
        String path = question < 0 ? uri : uri.substring(0, question);
        String query = question < 0 ? "" : uri.substring(question + 1);
        String encodings = headers.get(HttpHeaderNames.ACCEPT_ENCODING);
        Exchange asked =
                new Exchange(this, path, query, encodings != null && encodings.contains("gzip"));
        exchange = asked;
        due.addLast(asked);
        if (!server.requestBegins()) {
            asked.empty(429);
            return;
        }
        Route route = route(request, asked, path, announced);
        if (route == null) {
            return;
        }
        asked.dispatch(route, spans);
        keepAlive = persistent;
        phase = Phase.BODY;
        if (HttpUtil.is100ContinueExpected(request)) {
            ByteBuf line = allocate(ResponseHead.CONTINUE.length);
            context().writeAndFlush(line.writeBytes(ResponseHead.CONTINUE));
        }
    }

    /** The route that a request may take, or null after it was answered. */
    private @Nullable Route route(
            HttpRequest request, Exchange asked, String path, long announced) {
        HttpMethod method = request.method();
        HttpHeaders headers = request.headers();
        RouteTable.Node node = server.routes().find(path, spans);
        if (method.equals(HttpMethod.OPTIONS)) {
            preflight(headers, asked, node);
            return null;
        }
        if (node == null) {
            asked.fault(404, "Not Found", false);
            return null;
        }
        Route route = node.route(method);
        if (route == null) {
            asked.refuseMethod(node.allow());
            return null;
        }
        Limits limits = server.config().limits();
        bodyBytesMax =
                route.access() == Access.ADMIN ? limits.adminBodyBytesMax() : limits.bodyBytesMax();
        if (announced > bodyBytesMax) {
            asked.fault(413, "Request Entity Too Large", false);
            return null;
        }
        if (!trusted && !server.config().tokens().opens(route.access(), token(headers))) {
            server.counters().wrongTokens.increment();
            asked.fault(401, "Invalid API Token", false);
            return null;
        }
        if (route.bodyBytesMax() > 0) {
            bodyBytesMax = Math.min(bodyBytesMax, route.bodyBytesMax());
            if (announced > bodyBytesMax) {
                asked.fault(400, "http: request body too large");
                return null;
            }
        }
        return route;
    }

    private void preflight(HttpHeaders headers, Exchange asked, RouteTable.@Nullable Node node) {
        StringBuilder lines = new StringBuilder();
        if (node != null) {
            lines.append("Allow: ").append(node.allow());
        }
        if (allowedOrigin != null) {
            lines.append(lines.isEmpty() ? "" : "\r\n")
                    .append("Access-Control-Allow-Methods: GET,POST,PUT,DELETE,OPTIONS\r\n")
                    .append("Access-Control-Allow-Headers: ")
                    .append(server.tokenHeader())
                    .append(",Content-Type\r\n")
                    .append("Vary: Access-Control-Request-Method\r\n")
                    .append("Vary: Access-Control-Request-Headers");
            if (server.config().privateNetworkHeader()
                    && "true".equals(headers.get(PRIVATE_NETWORK))) {
                lines.append("\r\nAccess-Control-Allow-Private-Network: true");
            }
        }
        if (!lines.isEmpty()) {
            asked.header(lines.toString());
        }
        asked.empty(204);
    }

    /** The token of a request: its own header or, when that is absent or empty, the bearer's. */
    private CharSequence token(HttpHeaders headers) {
        String own = headers.get(server.tokenHeader());
        if (own != null && !own.isEmpty()) {
            return own;
        }
        String authorization = headers.get(HttpHeaderNames.AUTHORIZATION);
        if (authorization != null
                && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return authorization.substring(BEARER.length());
        }
        return "";
    }

    /** The origin form of a request target, from that or from the absolute form. */
    private static String pathAndQuery(String target) {
        int scheme = target.startsWith("/") ? -1 : target.indexOf("://");
        if (scheme < 0) {
            return target;
        }
        int slash = target.indexOf('/', scheme + 3);
        return slash < 0 ? "/" : target.substring(slash);
    }

    private void collect(HttpContent content) {
        Exchange asked = exchange;
        if (asked == null) {
            throw new IllegalStateException("a body of no request");
        }
        if (content.decoderResult().isFailure()) {
            keepAlive = false;
            phase = Phase.DROP;
            dropBody();
            asked.fault(400, "malformed chunked encoding", false);
            return;
        }
        boolean last = content instanceof LastHttpContent;
        ByteBuf part = content.content();
        ByteBuf whole = body;
        if (part.isReadable()) {
            int before = whole == null ? 0 : whole.readableBytes();
            if (before + (long) part.readableBytes() > bodyBytesMax) {
                bodyTooLarge(asked);
                return;
            }
            if (!server.reserveBody(part.readableBytes())) {
                keepAlive = false;
                phase = Phase.DROP;
                dropBody();
                asked.empty(429);
                return;
            }
            bodyBytesReserved += part.readableBytes();
            if (whole == null && last) {
                body = part.retain();
            } else if (whole == null) {
                body = allocate(2 * part.readableBytes()).writeBytes(part);
            } else {
                whole.writeBytes(part);
            }
        }
        if (last) {
            if (body != null) {
                asked.takeBody(body);
                body = null;
            }
            if (keepAlive && asked.route() != null && asked.route().pipelined()) {
                asked.letGo(kept, allowedOrigin, bodyBytesReserved);
                bodyBytesReserved = 0;
                exchange = null;
                next();
            } else {
                phase = Phase.ANSWER;
            }
            server.dispatch(asked);
        }
    }

    /** A chunked body grew past its limit; one that announces its length is refused earlier. */
    private void bodyTooLarge(Exchange asked) {
        keepAlive = false;
        phase = Phase.DROP;
        dropBody();
        Route route = asked.route();
        if (route != null && route.bodyBytesMax() > 0) {
            asked.fault(400, "http: request body too large");
        } else {
            asked.fault(
                    400,
                    "msgpack decode error [pos "
                            + bodyBytesMax
                            + "]: code=413, message=Request Entity Too Large");
        }
    }

    private void drop(HttpContent content) {
        droppedBytes += content.content().readableBytes();
        boolean tooMuch = droppedBytes > DROPPED_BYTES_MAX;
        keepAlive &= !tooMuch;
        if (content instanceof LastHttpContent || tooMuch) {
            if (exchange == null) {
                next();
            } else {
                phase = Phase.ANSWER; // It waits for its turn.
            }
        }
    }

    private void endOfInput() {
        if (!inputEnded) {
            return;
        }
        switch (phase) {
            case HEAD -> {
                if (due.isEmpty()) {
                    context().close();
                }
            }
            case LINGER -> context().close();
            case BODY -> {
                if (exchange != null) {
                    keepAlive = false;
                    phase = Phase.DROP;
                    dropBody();
                    exchange.fault(400, "unexpected EOF", false);
                    context().flush();
                }
            }
            case ANSWER -> {
                keepAlive = false;
                if (exchange != null) {
                    exchange.hangUp();
                }
            }
            case DROP, CLOSED -> {}
        }
    }

    private void dropBody() {
        ReferenceCountUtil.release(body);
        body = null;
        server.releaseBody(bodyBytesReserved);
        bodyBytesReserved = 0;
    }

    // Answering.

    RestServer server() {
        return server;
    }

    ByteBuf allocate(int bytes) {
        return context().alloc().buffer(bytes);
    }

    void execute(Runnable work) {
        if (context().executor().inEventLoop()) {
            work.run();
        } else {
            context().executor().execute(work);
        }
    }

    void onWorker(Exchange asked, Handler work) {
        server.onWorker(asked, work);
    }

    /** From any thread: an answer is ready. */
    void deliver(Exchange answered) {
        try {
            execute(answered);
        } catch (RejectedExecutionException stopped) {
            ReferenceCountUtil.release(
                    answered.takeAnswer()); // The server and its clients are gone.
        }
    }

    /** On the loop: writes an answer, or keeps it until its turn, and goes on. */
    void answered(Exchange answered) {
        if (phase == Phase.CLOSED || !due.contains(answered)) {
            ReferenceCountUtil.release(answered.takeAnswer());
            return;
        }
        answered.ready();
        for (Exchange first = due.peek();
                first != null && first.isReady() && phase != Phase.CLOSED;
                first = due.peek()) {
            due.remove();
            if (first == exchange) {
                answerLast(first);
            } else {
                write(first, false, first.allowedOrigin(), first.persistence());
                server.releaseBody(first.bodyBytesReserved());
                if (due.isEmpty()) {
                    next();
                }
            }
        }
        pump();
    }

    /** Answers the request at hand, which none has followed yet. */
    private void answerLast(Exchange answered) {
        exchange = null;
        server.releaseBody(bodyBytesReserved);
        bodyBytesReserved = 0;
        if (answered.isStreaming()) {
            answered.release();
            ReferenceCountUtil.release(
                    answered.takeAnswer()); // A fault amidst it: too late to say.
        } else {
            write(
                    answered,
                    bodyless,
                    allowedOrigin,
                    keepAlive ? kept : ResponseHead.Persistence.CLOSE);
        }
        if (phase == Phase.ANSWER) {
            next();
        } else if (phase == Phase.DROP && !keepAlive) {
            linger();
        }
    }

    /** On the loop: the head of an answer that ends with the connection. */
    void beginStream(String contentType) {
        keepAlive = false;
        ByteBuf head = allocate(ResponseHead.BYTES_MAX);
        ResponseHead.write(
                head,
                200,
                true,
                allowedOrigin,
                "Cache-Control: no-store",
                contentType,
                -1,
                server.dateLine(),
                ResponseHead.Persistence.CLOSE);
        push(head);
    }

    /** On the loop: whether what was written before has been taken but for a little. */
    boolean takesMore() {
        return phase == Phase.ANSWER && context().channel().isWritable();
    }

    /** On the loop: a piece of a stream, taken over. */
    void push(ByteBuf piece) {
        ChannelOutboundBuffer pending = context().channel().unsafe().outboundBuffer();
        if (pending == null || pending.totalPendingWriteBytes() == 0) {
            writeDeadlineNanos = server.nanoTime() + server.writeNanosMax();
        }
        context().writeAndFlush(piece, context().voidPromise());
    }

    /** The next request may come; where none can any more, the connection ends. */
    private void next() {
        if (keepAlive) {
            phase = Phase.HEAD;
            deadlineNanos = server.nanoTime() + server.readNanosMax();
            if (inputEnded && waiting.isEmpty() && due.isEmpty()) {
                linger();
            }
        } else {
            linger();
        }
    }

    private void write(
            Exchange answered,
            boolean withoutBody,
            @Nullable String origin,
            ResponseHead.Persistence connection) {
        ByteBuf answer = answered.takeAnswer();
        answered.release();
        ByteBuf head = HEAD.get().clear();
        int status = answered.status();
        long length = answer == null ? 0 : answer.readableBytes();
        ResponseHead.write(
                head,
                status,
                status != 429,
                origin,
                answered.extraHeader(),
                answer == null || withoutBody ? null : answered.contentType(),
                withoutBody || status == 204 ? -1 : length,
                server.dateLine(),
                connection);
        writeDeadlineNanos = server.nanoTime() + server.writeNanosMax();
        int headBytes = head.readableBytes();
        if (answer == null || withoutBody) {
            ReferenceCountUtil.release(answer);
            context().write(allocate(headBytes).writeBytes(head), context().voidPromise());
            return;
        }
        // The answer left room for its head, so that one buffer holds both.
        int start = answer.readerIndex() - headBytes;
        answer.setBytes(start, head.array(), 0, headBytes);
        answer.readerIndex(start);
        int capacity = answer.capacity();
        if (capacity >= Exchange.LARGE_BYTES_MIN) {
            server.answerMade(capacity);
            context().write(answer).addListener(written -> server.answerTaken(capacity));
        } else {
            context().write(answer, context().voidPromise());
        }
    }

    /** Answers what is not HTTP in the words of the reference's HTTP layer, and ends. */
    private void malformed(String text) {
        server.counters().malformed.increment();
        keepAlive = false;
        bodyless = false;
        allowedOrigin = null;
        ByteBuf out = allocate(256);
        ResponseHead.writeMalformed(out, text);
        context().write(out, context().voidPromise());
        linger();
    }

    /**
     * Says that no more will come and listens on for a while: closing with unread input would reset
     * the connection, and the client might never see its answer.
     */
    private void linger() {
        if (phase == Phase.CLOSED || phase == Phase.LINGER) {
            return;
        }
        phase = Phase.LINGER;
        droppedBytes = 0;
        deadlineNanos = server.nanoTime() + LINGER_NANOS;
        Channel channel = context().channel();
        channel.writeAndFlush(context().alloc().buffer(0))
                .addListener(
                        flushed -> {
                            if (inputEnded || !(channel instanceof DuplexChannel duplex)) {
                                channel.close();
                            } else {
                                duplex.shutdownOutput();
                            }
                        });
    }
}
