package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;

import java.util.List;

/**
 * Noise messages in, plaintext out: each is copied once, from the socket's buffer into one of its
 * own, and decrypted there.
 */
final class NoiseDecoder extends ByteToMessageDecoder {
    private final ChaChaPoly cipher;
    private boolean broken;

    NoiseDecoder(ChaChaPoly cipher) {
        this.cipher = cipher;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> plaintexts) {
        if (broken) {
            bytes.skipBytes(bytes.readableBytes());
            return;
        }
        int length = NoiseFrame.length(bytes);
        if (length < 0) {
            return;
        }
        ByteBuf message = context.alloc().heapBuffer(Math.max(length, 1));
        bytes.readBytes(message, length);
        if (!cipher.open(message.array(), message.arrayOffset(), length)) {
            message.release();
            broken = true;
            throw new DecoderException("a message that its key does not fit");
        }
        message.writerIndex(length - ChaChaPoly.TAG_BYTES);
        if (message.isReadable()) {
            plaintexts.add(message);
        } else {
            message.release();
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        cipher.destroy();
    }
}
