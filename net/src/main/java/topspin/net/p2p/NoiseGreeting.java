package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;

import topspin.net.Drop;

import java.util.List;

/**
 * Carries a {@link NoiseHandshake} over a channel; what follows stays for those that replace it.
 */
final class NoiseGreeting extends ByteToMessageDecoder {
    private final NoiseHandshake handshake;
    private final Outcome outcome;
    private boolean over;

    /** Told once how it ended, on the event loop. */
    interface Outcome {
        /** Both sides are known; the greeting is to be replaced by decoder and encoder. */
        void secured(ChannelHandlerContext context, NoiseHandshake done);

        void failed(ChannelHandlerContext context, Drop reason);
    }

    NoiseGreeting(NoiseHandshake handshake, Outcome outcome) {
        this.handshake = handshake;
        this.outcome = outcome;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        writeOurs(context);
    }

    private void writeOurs(ChannelHandlerContext context) {
        if (handshake.isOurTurn()) {
            byte[] message = handshake.write();
            ByteBuf frame = context.alloc().buffer(Short.BYTES + message.length);
            frame.writeShort(message.length);
            frame.writeBytes(message);
            var unused = context.writeAndFlush(frame, context.voidPromise());
        }
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> none) {
        if (over) {
            bytes.skipBytes(bytes.readableBytes());
            return;
        }
        int length = NoiseFrame.length(bytes);
        if (length < 0) {
            return;
        }
        byte[] message = new byte[length];
        bytes.readBytes(message);
        if (!handshake.read(message)) {
            over = true;
            outcome.failed(context, Drop.NOISE);
            return;
        }
        writeOurs(context);
        if (handshake.isDone()) {
            over = true;
            outcome.secured(context, handshake);
        }
    }
}
