package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

import topspin.net.Traffic;

/** Next to the socket: counts what passes. */
final class TrafficCounter extends ChannelDuplexHandler {
    private final Traffic traffic;

    TrafficCounter(Traffic traffic) {
        this.traffic = traffic;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        traffic.received(((ByteBuf) bytes).readableBytes());
        context.fireChannelRead(bytes);
    }

    @Override
    public void write(ChannelHandlerContext context, Object bytes, ChannelPromise promise) {
        traffic.sent(((ByteBuf) bytes).readableBytes());
        var unused = context.write(bytes, promise);
    }
}
