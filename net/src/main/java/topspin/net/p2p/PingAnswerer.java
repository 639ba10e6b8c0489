package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;

import java.util.List;

/** Sends back every 32 bytes that a peer sends to see whether we are there. */
final class PingAnswerer extends ByteToMessageDecoder {
    static final String PROTOCOL = "/ipfs/ping/1.0.0";

    /** Such streams that a peer may have open. */
    static final int STREAMS_MAX = 2;

    private static final int BYTES = 32;

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> none) {
        if (bytes.readableBytes() >= BYTES) {
            var unused =
                    context.writeAndFlush(bytes.readRetainedSlice(BYTES), context.voidPromise());
            if (!context.channel().isWritable()) {
                unused = context.close(); // It asks and does not listen.
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            ((YamuxStream) context.channel()).finish();
        }
    }
}
