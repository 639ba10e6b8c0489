package topspin.loadgen.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

import org.jspecify.annotations.Nullable;

import java.net.UnixDomainSocketAddress;
import java.util.function.LongSupplier;

/** One socket to a node and the reader of its replies. Its event loop alone touches it. */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write closes the channel, which is told.
abstract sealed class Connection extends ChannelInboundHandlerAdapter implements ReplyReader.Sink
        permits RequestLane, SubmitLane {
    private static final int CONNECT_MILLIS_MAX = 5_000;

    private final Endpoint endpoint;
    private final EventLoop loop;
    private final LongSupplier nanoTime;
    private ReplyReader reader = new ReplyReader(this);
    private @Nullable ByteBuf unread;
    private @Nullable Channel channel;
    private @Nullable String fault;
    private long readNanos;

    Connection(Endpoint endpoint, EventLoop loop, LongSupplier nanoTime) {
        this.endpoint = endpoint;
        this.loop = loop;
        this.nanoTime = nanoTime;
    }

    final Endpoint endpoint() {
        return endpoint;
    }

    final EventLoop loop() {
        return loop;
    }

    /** When the bytes now being read arrived, in nanoseconds of the run's clock. */
    final long readNanos() {
        return readNanos;
    }

    final long now() {
        return nanoTime.getAsLong();
    }

    /** The open channel, or null while there is none. */
    final @Nullable Channel channel() {
        return channel;
    }

    /** Dials; {@link #opened} or {@link #lost} follows. */
    final void connect() {
        boolean unix = endpoint.address() instanceof UnixDomainSocketAddress;
        var bootstrap =
                new Bootstrap()
                        .group(loop)
                        .channel(unix ? NioDomainSocketChannel.class : NioSocketChannel.class)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS_MAX)
                        .handler(this);
        if (!unix) {
            bootstrap.option(ChannelOption.TCP_NODELAY, true);
        }
        ChannelFuture connecting = bootstrap.connect(endpoint.address());
        connecting.addListener(
                future -> {
                    if (!future.isSuccess()) {
                        lost("cannot connect: " + reason(future.cause()));
                    }
                });
    }

    /** Closes at once with a reason; {@link #lost} follows if it was open. */
    final void close(String reason) {
        fault = reason;
        if (channel != null) {
            channel.close();
        }
    }

    /** The socket is open and nothing has been sent on it. */
    abstract void opened(Channel channel);

    /** The socket is gone, or never came to be; whatever awaited a reply awaits it in vain. */
    abstract void lost(String reason);

    /** One connection has one channel at a time, so the handler may serve the next one too. */
    @Override
    public final boolean isSharable() {
        return true;
    }

    @Override
    public final void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        fault = null;
        reader = new ReplyReader(this);
        opened(channel);
    }

    @Override
    public final void channelRead(ChannelHandlerContext context, Object message) {
        readNanos = now();
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf all = bytes;
        if (unread != null) {
            all = unread.writeBytes(bytes);
            bytes.release();
            unread = null;
        }
        try {
            reader.read(all);
            if (all.isReadable()) { // Part of a line: short, and rare enough to copy.
                unread = context.alloc().buffer(all.readableBytes() + 256).writeBytes(all);
            }
        } catch (ReplyReader.MalformedReply e) {
            close("not an HTTP reply: " + e.getMessage());
        } finally {
            all.release();
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) {
        channel = null;
        if (unread != null) {
            unread.release();
            unread = null;
        }
        boolean cut = reader.closeCutsAReply();
        String reason = fault;
        if (reason == null) {
            reason = cut ? "connection closed within a reply" : "connection closed";
        }
        lost(reason);
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        close(reason(cause));
    }

    private static String reason(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
