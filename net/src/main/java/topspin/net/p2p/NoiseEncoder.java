package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

import org.jspecify.annotations.Nullable;

/**
 * Plaintext in, Noise messages out. What is written between two flushes shares messages: many small
 * frames cost one length and one tag.
 */
final class NoiseEncoder extends ChannelOutboundHandlerAdapter {
    /** Longest Noise message, its tag included. */
    static final int MESSAGE_BYTES_MAX = 0xffff;

    /** Longest plaintext of one. */
    static final int PLAIN_BYTES_MAX = MESSAGE_BYTES_MAX - ChaChaPoly.TAG_BYTES;

    private final ChaChaPoly cipher;

    /** Length to come, then plaintext; room for the tag. Grows with what is written. */
    private @Nullable ByteBuf message;

    NoiseEncoder(ChaChaPoly cipher) {
        this.cipher = cipher;
    }

    @Override
    public void write(ChannelHandlerContext context, Object bytes, ChannelPromise promise) {
        ByteBuf plain = (ByteBuf) bytes;
        try {
            while (plain.isReadable()) {
                ByteBuf open = message == null ? begin(context, plain.readableBytes()) : message;
                int room = Short.BYTES + PLAIN_BYTES_MAX - open.writerIndex();
                int part = Math.min(room, plain.readableBytes());
                open.writeBytes(plain, part);
                if (part == room) {
                    seal(context);
                }
            }
        } finally {
            plain.release();
        }
        promise.trySuccess();
    }

    private ByteBuf begin(ChannelHandlerContext context, int expected) {
        int overhead = Short.BYTES + ChaChaPoly.TAG_BYTES;
        ByteBuf begun =
                context.alloc()
                        .heapBuffer(
                                overhead + Math.min(expected, PLAIN_BYTES_MAX),
                                overhead + PLAIN_BYTES_MAX)
                        .writeShort(0);
        message = begun;
        return begun;
    }

    private void seal(ChannelHandlerContext context) {
        ByteBuf sealed = message;
        if (sealed != null) {
            message = null;
            int plain = sealed.readableBytes() - Short.BYTES;
            sealed.ensureWritable(ChaChaPoly.TAG_BYTES);
            cipher.seal(sealed.array(), sealed.arrayOffset() + Short.BYTES, plain);
            sealed.setShort(0, plain + ChaChaPoly.TAG_BYTES);
            sealed.writerIndex(Short.BYTES + plain + ChaChaPoly.TAG_BYTES);
            var unused = context.write(sealed, context.voidPromise());
        }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        seal(context);
        context.flush();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (message != null) {
            message.release();
            message = null;
        }
        cipher.destroy();
    }
}
