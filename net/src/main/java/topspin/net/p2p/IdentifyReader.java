package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Reads what a peer says of itself: messages until it ends the stream, merged. */
final class IdentifyReader extends ByteToMessageDecoder {
    /** Messages that are read. */
    private static final int MESSAGES_MAX = 10;

    /** Streams on which a peer may push such messages; each may cost us a signature. */
    static final int PUSHES_MAX = 256;

    private static final int LENGTH_BYTES_MAX = 2;

    /** From the first look to the end of the stream. */
    static final Duration TIME_MAX = Duration.ofSeconds(5);

    private final Consumer<Identify> said;
    private Identify known;
    private int messages;

    /**
     * @param known what it has said before
     * @param said told after each message that could be read
     */
    IdentifyReader(Identify known, Consumer<Identify> said) {
        this.known = known;
        this.said = said;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> none) {
        int start = bytes.readerIndex();
        long length = Protobuf.varint(bytes);
        if (length < 0 && bytes.readableBytes() < LENGTH_BYTES_MAX) {
            return; // Not all there.
        }
        if (length < 0 || length > Identify.BYTES_MAX || messages == MESSAGES_MAX) {
            bytes.skipBytes(bytes.readableBytes());
            var unused = context.close();
            return;
        }
        if (bytes.readableBytes() < length) {
            bytes.readerIndex(start);
            return;
        }
        messages++;
        Identify more = known.merge(bytes.readSlice((int) length));
        if (more == null) {
            bytes.skipBytes(bytes.readableBytes());
            var unused = context.close();
            return;
        }
        known = more;
        said.accept(known);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            ((YamuxStream) context.channel()).finish();
        }
    }
}
