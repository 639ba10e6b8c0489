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
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;

import org.jspecify.annotations.Nullable;

import topspin.net.BlockSource;
import topspin.net.Drop;
import topspin.net.NetCounters;
import topspin.net.p2p.StreamDeadline;
import topspin.net.p2p.YamuxStream;

import java.time.Duration;

/**
 * Answers one HTTP request on a stream of its own: {@code GET /v1/<genesis id>/block/<round>}, the
 * round in base 36 (gossip.md A.7). Bytes on their way count against those that all queues may
 * hold.
 */
public final class HttpBlockService extends SimpleChannelInboundHandler<HttpObject> {
    public static final String PROTOCOL = "/http/1.1";

    /** What a block comes as: {@code block} and {@code cert} in one map. */
    static final String BLOCK_TYPE = "application/x-algorand-block-v1";

    static final String LATEST_ROUND = "X-Latest-Round";

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
    private final QueueBudget budget;
    private final NetCounters counters;

    private @Nullable HttpRequest request;
    private boolean answered;

    /**
     * @param asker see {@link BlockSource#find}
     */
    public HttpBlockService(
            String genesisId,
            Object asker,
            BlockSource blocks,
            QueueBudget budget,
            NetCounters counters) {
        this.genesisId = genesisId;
        this.asker = asker;
        this.blocks = blocks;
        this.budget = budget;
        this.counters = counters;
    }

    /** Puts the service and the layers that it needs on a stream. */
    public static void fill(ChannelPipeline stream, HttpBlockService service) {
        stream.addLast(new StreamDeadline(TIME_MAX, () -> service.counters.count(Drop.SLOW_PEER)));
        stream.addLast(new HttpServerCodec(LINE_BYTES_MAX, HEADER_BYTES_MAX, CHUNK_BYTES_MAX));
        stream.addLast(service);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
        if (part instanceof HttpRequest begun) {
            request = begun;
        }
        if (part instanceof LastHttpContent && request != null && !answered) {
            answered = true;
            answer(context, request);
        }
    }

    private void answer(ChannelHandlerContext context, HttpRequest asked) {
        boolean head = asked.method().equals(HttpMethod.HEAD);
        if (asked.decoderResult().isFailure()) {
            send(context, false, empty(HttpResponseStatus.BAD_REQUEST));
            return;
        }
        String path = asked.uri().replaceFirst("\\?.*", "");
        if (!head && !asked.method().equals(HttpMethod.GET)) {
            send(context, head, empty(HttpResponseStatus.METHOD_NOT_ALLOWED));
            return;
        }
        if (path.equals("/.well-known/libp2p/protocols")) {
            send(context, head, text(HttpResponseStatus.OK, "application/json", MOUNTS));
            return;
        }
        String[] parts = path.split("/", -1); // "", "v1", genesis id, "block", round.
        Long round =
                parts.length == 5 && parts[1].equals("v1") && parts[3].equals("block")
                        ? round(parts[4])
                        : null;
        if (round == null) {
            send(context, head, text(HttpResponseStatus.NOT_FOUND, "text/plain", "not found\n"));
        } else if (!parts[2].equals(genesisId)) {
            send(context, head, empty(HttpResponseStatus.BAD_REQUEST));
        } else {
            blocks.find(
                    asker,
                    round,
                    found -> context.executor().execute(() -> send(context, head, found)));
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
            case BlockAnswer.Found(byte[] block, byte[] certificate) -> {
                byte[] body = BlockAndCertificate.encode(block, certificate);
                if (!budget.take(body.length)) {
                    counters.count(Drop.QUEUE_FULL);
                    send(context, head, later());
                    return;
                }
                FullHttpResponse response =
                        response(HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
                response.headers()
                        .set(CONTENT_TYPE, BLOCK_TYPE)
                        .set(CACHE_CONTROL, "public, max-age=31536000, immutable");
                context.channel().closeFuture().addListener(closed -> budget.give(body.length));
                send(context, head, response);
            }
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
