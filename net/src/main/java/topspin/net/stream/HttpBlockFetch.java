package topspin.net.stream;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

import topspin.net.Drop;
import topspin.net.Tag;
import topspin.net.p2p.Connection;
import topspin.net.p2p.StreamDeadline;
import topspin.net.p2p.YamuxStream;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** Asks a peer for one block by HTTP, see {@link HttpService}. On its event loop. */
public final class HttpBlockFetch extends SimpleChannelInboundHandler<FullHttpResponse> {
    private static final int RADIX = 36;

    private final CompletableFuture<BlockAnswer> answer;

    private HttpBlockFetch(CompletableFuture<BlockAnswer> answer) {
        super(FullHttpResponse.class);
        this.answer = answer;
    }

    /**
     * Opens a stream and asks.
     *
     * @param answer fails with {@link TimeoutException} when nothing comes in time and with {@link
     *     IOException} when the peer leaves, does not speak HTTP or says what cannot be read
     */
    public static void begin(
            Connection connection,
            String genesisId,
            long round,
            Duration timeout,
            CompletableFuture<BlockAnswer> answer) {
        connection.open(
                List.of(HttpService.PROTOCOL),
                new Connection.Opening() {
                    @Override
                    public void opened(YamuxStream stream, String protocol) {
                        stream.pipeline()
                                .addLast(
                                        new StreamDeadline(
                                                timeout,
                                                () ->
                                                        answer.completeExceptionally(
                                                                new TimeoutException(
                                                                        "no answer by HTTP"))));
                        ask(stream, genesisId, round, answer);
                        stream.closeFuture()
                                .addListener(
                                        closed ->
                                                answer.completeExceptionally(
                                                        new IOException(
                                                                "closed without an answer")));
                    }

                    @Override
                    public void refused(Drop reason) {
                        answer.completeExceptionally(
                                new IOException("no HTTP here: " + reason.label()));
                    }
                });
    }

    /** Puts on a stream what reads the answer. */
    static void fill(ChannelPipeline stream, CompletableFuture<BlockAnswer> answer) {
        stream.addLast(new HttpClientCodec())
                .addLast(new HttpObjectAggregator(Tag.FRAME_BYTES_MAX, true))
                .addLast(new HttpBlockFetch(answer));
    }

    private static void ask(
            YamuxStream stream,
            String genesisId,
            long round,
            CompletableFuture<BlockAnswer> answer) {
        fill(stream.pipeline(), answer);
        var request =
                new DefaultFullHttpRequest(
                        HttpVersion.HTTP_1_1,
                        HttpMethod.GET,
                        "/v1/" + genesisId + "/block/" + Long.toUnsignedString(round, RADIX));
        request.headers()
                .set(HttpHeaderNames.HOST, "algorand")
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        var unused = stream.writeAndFlush(request);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
        if (response.decoderResult().isFailure()) {
            answer.completeExceptionally(
                    new IOException("no HTTP", response.decoderResult().cause()));
        } else {
            answer.complete(read(response));
        }
        var unused = context.close();
    }

    private static BlockAnswer read(FullHttpResponse response) {
        HttpResponseStatus status = response.status();
        if (status.equals(HttpResponseStatus.OK)) {
            BlockAnswer found =
                    BlockAndCertificate.decode(ByteBufUtil.getBytes(response.content()));
            return found == null ? new BlockAnswer.Refused("no block and certificate") : found;
        }
        String latest = response.headers().get(HttpService.LATEST_ROUND);
        if (status.equals(HttpResponseStatus.NOT_FOUND)
                && latest != null
                && latest.matches("[0-9]{1,19}")) {
            try {
                return new BlockAnswer.Missing(Long.parseLong(latest));
            } catch (NumberFormatException beyond) {
                return new BlockAnswer.Refused("a round of " + latest);
            }
        }
        return new BlockAnswer.Refused("status " + status.code());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        answer.completeExceptionally(new IOException("no HTTP", cause));
        var unused = context.close();
    }
}
