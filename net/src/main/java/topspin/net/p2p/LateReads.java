package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import topspin.net.Impairment;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Near the socket: hands on what arrives as late as the impairment says, in order. While it holds
 * much nothing more is read, as with a slow line. Its event loop calls.
 */
final class LateReads extends ChannelInboundHandlerAdapter {
    /** What may wait, in bytes, before reading stops: a block and its proposal. */
    static final int HELD_BYTES_MAX = 8 << 20;

    private final Impairment impairment;
    private final Deque<Late> held = new ArrayDeque<>();
    private int heldBytes;

    /** Bytes and when, by the clock of the event loop, they are due. */
    private record Late(ByteBuf bytes, long dueNanos) {}

    LateReads(Impairment impairment) {
        this.impairment = impairment;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        long delay = impairment.delayNanos();
        if (delay == 0 && held.isEmpty()) {
            context.fireChannelRead(message);
            return;
        }
        ByteBuf bytes = (ByteBuf) message;
        held.add(new Late(bytes, now(context) + delay));
        heldBytes += bytes.readableBytes();
        if (heldBytes >= HELD_BYTES_MAX) {
            context.channel().config().setAutoRead(false);
        }
        if (held.size() == 1) {
            handOnLater(context);
        }
    }

    private void handOnLater(ChannelHandlerContext context) {
        long left = held.element().dueNanos() - now(context);
        var unused =
                context.executor()
                        .schedule(() -> handOn(context), Math.max(0, left), TimeUnit.NANOSECONDS);
    }

    private static long now(ChannelHandlerContext context) {
        return context.executor().ticker().nanoTime();
    }

    /** What was due behind something later waits for it: a line keeps its order. */
    private void handOn(ChannelHandlerContext context) {
        boolean any = false;
        while (!held.isEmpty() && held.element().dueNanos() - now(context) <= 0) {
            ByteBuf bytes = held.remove().bytes();
            heldBytes -= bytes.readableBytes();
            context.fireChannelRead(bytes);
            any = true;
        }
        if (any) {
            context.fireChannelReadComplete();
        }
        if (heldBytes < HELD_BYTES_MAX) {
            context.channel().config().setAutoRead(true);
        }
        if (!held.isEmpty()) {
            handOnLater(context);
        }
    }

    /** What was still under way is lost with the line. */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        release();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        release();
    }

    private void release() {
        held.forEach(late -> late.bytes().release());
        held.clear();
        heldBytes = 0;
    }
}
