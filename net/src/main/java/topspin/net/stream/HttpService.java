package topspin.net.stream;

import static io.netty.handler.codec.http.HttpHeaderNames.CACHE_CONTROL;
import static io.netty.handler.codec.http.HttpHeaderNames.CONNECTION;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.netty.handler.codec.http.HttpHeaderNames.RETRY_AFTER;
import static io.netty.handler.codec.http.HttpHeaderValues.CLOSE;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;

import org.jspecify.annotations.Nullable;

import topspin.net.BlockSource;
import topspin.net.Drop;
import topspin.net.NetCounters;
import topspin.net.PendingSource;
import topspin.net.p2p.StreamDeadline;
import topspin.net.p2p.YamuxStream;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * Answers one HTTP request on a stream of its own: {@code GET /v1/<genesis id>/block/<round>}, the
 * round in base 36, or {@code POST /v1/<genesis id>/txsync} with a form whose {@code bf} names the
 * transactions that the peer has: {@link KnownIds} in base 64 (gossip.md A.7). Bytes on their way
 * count against those that all queues may hold.
 */
public final class HttpService extends SimpleChannelInboundHandler<HttpObject> {
    public static final String PROTOCOL = "/http/1.1";

    /** What a block comes as: {@code block} and {@code cert} in one map. */
    static final String BLOCK_TYPE = "application/x-algorand-block-v1";

    static final String LATEST_ROUND = "X-Latest-Round";

    /** What missing transactions come as: an array of them. */
    static final String TRANSACTIONS_TYPE = "application/x-algorand-ptx-v1";

    private static final String FORM_TYPE = "application/x-www-form-urlencoded";
    private static final String FORM_FIELD = "bf";

    /** The largest filter in base 64, its name, and some more where characters are escaped. */
    private static final int FORM_BYTES_MAX = 2 * KnownIds.BYTES_MAX;

    private static final String MOUNTS = "{\"/algorand-http/1.0.0\":{\"path\":\"/\"}}";
    private static final int LINE_BYTES_MAX = 1_024;
    private static final int HEADER_BYTES_MAX = 4_096;
    private static final int CHUNK_BYTES_MAX = 8_192;

    /** From opening the stream to the last byte of the answer taken. */
    private static final Duration TIME_MAX = Duration.ofSeconds(30);

    private static final int RADIX = 36;

    private final String genesisId;
    private final Object asker;
    private final BlockSource blocks;
    private final PendingSource pending;
    private final QueueBudget budget;
    private final NetCounters counters;

    private @Nullable HttpRequest request;
    private final ByteArrayOutputStream form = new ByteArrayOutputStream(0);
    private int held;
    private boolean answered;

    /**
     * @param asker see {@link BlockSource#find} and {@link PendingSource#missing}
     */
    public HttpService(
            String genesisId,
            Object asker,
            BlockSource blocks,
            PendingSource pending,
            QueueBudget budget,
            NetCounters counters) {
        this.genesisId = genesisId;
        this.asker = asker;
        this.blocks = blocks;
        this.pending = pending;
        this.budget = budget;
        this.counters = counters;
    }

    /** Puts the service and the layers that it needs on a stream. */
    public static void fill(ChannelPipeline stream, HttpService service) {
        stream.addLast(new StreamDeadline(TIME_MAX, () -> service.counters.count(Drop.SLOW_PEER)));
        stream.addLast(new HttpServerCodec(LINE_BYTES_MAX, HEADER_BYTES_MAX, CHUNK_BYTES_MAX));
        stream.addLast(service);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
        if (part instanceof HttpRequest begun) {
            request = begun;
        }
        if (request == null || answered) {
            return;
        }
        if (part instanceof HttpContent content && !keep(context, request, content.content())) {
            answered = true;
        } else if (part instanceof LastHttpContent) {
            answered = true;
            answer(context, request);
        }
    }

    /** Keeps what is sent with a request that has a use for it; false if it was answered. */
    private boolean keep(ChannelHandlerContext context, HttpRequest asked, ByteBuf content) {
        int length = content.readableBytes();
        if (length == 0 || !isForm(asked)) {
            return true;
        } else if (form.size() + length > FORM_BYTES_MAX) {
            send(context, false, empty(HttpResponseStatus.BAD_REQUEST));
            return false;
        } else if (!hold(context, length)) {
            send(context, false, later());
            return false;
        }
        byte[] bytes = new byte[length];
        content.readBytes(bytes);
        form.writeBytes(bytes);
        return true;
    }

    /** Takes room for so many bytes until the stream ends, or none and returns false. */
    private boolean hold(ChannelHandlerContext context, int bytes) {
        if (!budget.take(bytes)) {
            counters.count(Drop.QUEUE_FULL);
            return false;
        }
        held += bytes;
        if (held == bytes) {
            context.channel()
                    .closeFuture()
                    .addListener(
                            closed -> {
                                budget.give(held);
                                held = 0;
                            });
        }
        return true;
    }

    private static boolean isForm(HttpRequest asked) {
        return asked.method().equals(HttpMethod.POST)
                && asked.headers().getAll(CONTENT_TYPE).equals(List.of(FORM_TYPE));
    }

    private void answer(ChannelHandlerContext context, HttpRequest asked) {
        boolean head = asked.method().equals(HttpMethod.HEAD);
        if (asked.decoderResult().isFailure()) {
            send(context, false, empty(HttpResponseStatus.BAD_REQUEST));
            return;
        }
        String[] parts = asked.uri().replaceFirst("\\?.*", "").split("/", -1);
        boolean ours = parts.length > 3 && parts[1].equals("v1"); // "", "v1", genesis id, what.
        if (ours && parts.length == 4 && parts[3].equals("txsync")) {
            answerMissing(context, asked, parts[2]);
        } else if (!head && !asked.method().equals(HttpMethod.GET)) {
            send(context, head, empty(HttpResponseStatus.METHOD_NOT_ALLOWED));
        } else if (ours && parts.length == 5 && parts[3].equals("block")) {
            answerBlock(context, head, parts[2], round(parts[4]));
        } else if (String.join("/", parts).equals("/.well-known/libp2p/protocols")) {
            send(context, head, text(HttpResponseStatus.OK, "application/json", MOUNTS));
        } else {
            send(context, head, notFound());
        }
    }

    private void answerBlock(
            ChannelHandlerContext context, boolean head, String network, @Nullable Long round) {
        if (round == null) {
            send(context, head, notFound());
        } else if (!network.equals(genesisId)) {
            send(context, head, empty(HttpResponseStatus.BAD_REQUEST));
        } else {
            blocks.find(
                    asker,
                    round,
                    found -> context.executor().execute(() -> send(context, head, found)));
        }
    }

    private void answerMissing(ChannelHandlerContext context, HttpRequest asked, String network) {
        KnownIds known = network.equals(genesisId) && isForm(asked) ? knownIds() : null;
        if (known == null) {
            boolean head = asked.method().equals(HttpMethod.HEAD);
            send(context, head, empty(HttpResponseStatus.BAD_REQUEST));
            return;
        }
        pending.missing(
                asker,
                known,
                found -> context.executor().execute(() -> sendMissing(context, found)));
    }

    private void sendMissing(ChannelHandlerContext context, byte @Nullable [] found) {
        if (found == null) {
            send(context, false, later());
        } else {
            send(context, false, TRANSACTIONS_TYPE, found);
        }
    }

    private @Nullable KnownIds knownIds() {
        try {
            List<String> filter =
                    new QueryStringDecoder(form.toString(US_ASCII), false)
                            .parameters()
                            .getOrDefault(FORM_FIELD, List.of(""));
            return KnownIds.decode(Base64.getUrlDecoder().decode(filter.getFirst()));
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private static @Nullable Long round(String text) {
        try {
            return text.startsWith("+") ? null : (Long) Long.parseUnsignedLong(text, RADIX);
        } catch (NumberFormatException none) {
            return null;
        }
    }

    private void send(ChannelHandlerContext context, boolean head, BlockAnswer found) {
        switch (found) {
            case BlockAnswer.Found(byte[] block, byte[] certificate) ->
                    send(context, head, BLOCK_TYPE, BlockAndCertificate.encode(block, certificate));
            case BlockAnswer.Missing(long latest) -> {
                FullHttpResponse response = empty(HttpResponseStatus.NOT_FOUND);
                response.headers()
                        .set(LATEST_ROUND, Long.toUnsignedString(latest))
                        .set(CACHE_CONTROL, "public, max-age=1, must-revalidate");
                send(context, head, response);
            }
            case BlockAnswer.Refused refused -> send(context, head, later());
        }
    }

    /** What there is, if there is room for it on its way. */
    private void send(ChannelHandlerContext context, boolean head, String type, byte[] body) {
        if (!hold(context, body.length)) {
            send(context, head, later());
            return;
        }
        FullHttpResponse response = response(HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
        response.headers().set(CONTENT_TYPE, type);
        if (type.equals(BLOCK_TYPE)) {
            response.headers().set(CACHE_CONTROL, "public, max-age=31536000, immutable");
        }
        send(context, head, response);
    }

    private static FullHttpResponse notFound() {
        return text(HttpResponseStatus.NOT_FOUND, "text/plain", "not found\n");
    }

    private static FullHttpResponse later() {
        FullHttpResponse response = empty(HttpResponseStatus.SERVICE_UNAVAILABLE);
        response.headers().set(RETRY_AFTER, 3);
        return response;
    }

    private static FullHttpResponse empty(HttpResponseStatus status) {
        return response(status, Unpooled.EMPTY_BUFFER);
    }

    private static FullHttpResponse text(HttpResponseStatus status, String type, String body) {
        FullHttpResponse response =
                response(status, Unpooled.wrappedBuffer(body.getBytes(US_ASCII)));
        response.headers().set(CONTENT_TYPE, type);
        return response;
    }

    private static FullHttpResponse response(HttpResponseStatus status, ByteBuf body) {
        var response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
        response.headers().set(CONNECTION, CLOSE).set(CONTENT_LENGTH, body.readableBytes());
        return response;
    }

    /** The length is that of the whole answer, though a {@code HEAD} is spared the body. */
    private static void send(
            ChannelHandlerContext context, boolean head, FullHttpResponse response) {
        FullHttpResponse sent = response;
        if (head) {
            sent = response.replace(Unpooled.EMPTY_BUFFER);
            response.release();
        }
        context.writeAndFlush(sent)
                .addListener(
                        (ChannelFutureListener)
                                written -> ((YamuxStream) written.channel()).finish());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        counters.count(Drop.BROKEN);
        var unused = context.close();
    }
}
