package topspin.net.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.MalformedMessage;
import topspin.net.Drop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The exchange of header blocks: whoever dialled speaks first, the other reads and answers.
 * Whatever comes behind the block is kept for the handler that takes this one's place.
 */
public final class Handshake extends ByteToMessageDecoder {
    public static final String PROTOCOL = "/algorand-ws/2.2.0";
    public static final String OLD_PROTOCOL = "/algorand-ws/1.0.0";

    private static final byte OLD_GREETING = 1;

    private final boolean old;
    private final HeaderBlock ours;
    private final boolean dialled;
    private final Duration timeout;
    private final Outcome outcome;

    private @Nullable ScheduledFuture<?> deadline;
    private boolean over;

    /** Told once how it ended, unless the connection closed before; on the event loop. */
    public interface Outcome {
        /** Both have said what they had to; this handler is to be replaced. */
        void agreed(ChannelHandlerContext context);

        /** It failed; the connection is closed next. */
        void refused(Drop reason);
    }

    /**
     * @param protocol one of the two
     * @param dialled whether we dialled the connection, whoever opened the stream
     */
    public Handshake(
            String protocol, HeaderBlock ours, boolean dialled, Duration timeout, Outcome outcome) {
        this.old = protocol.equals(OLD_PROTOCOL);
        this.ours = ours;
        this.dialled = dialled;
        this.timeout = timeout;
        this.outcome = outcome;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        deadline =
                context.executor()
                        .schedule(
                                () -> refuse(context, Drop.HANDSHAKE_TIMEOUT),
                                timeout.toNanos(),
                                TimeUnit.NANOSECONDS);
        begin(context);
    }

    private void begin(ChannelHandlerContext context) {
        if (dialled) {
            write(context);
            if (old) {
                agree(context);
            }
        }
    }

    private void write(ChannelHandlerContext context) {
        ByteBuf words = context.alloc().buffer();
        if (old) {
            words.writeByte(OLD_GREETING);
        } else {
            ours.encode(words);
        }
        var unused = context.writeAndFlush(words, context.voidPromise());
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> none) {
        if (over) {
            bytes.skipBytes(bytes.readableBytes());
            return;
        }
        if (old) {
            if (bytes.readByte() == OLD_GREETING) {
                agree(context);
            } else {
                refuse(context, Drop.HEADER_MALFORMED);
            }
            return;
        }
        try {
            HeaderBlock theirs = HeaderBlock.decode(bytes);
            if (theirs != null) {
                judge(context, theirs);
            }
        } catch (MalformedMessage malformed) {
            refuse(context, Drop.HEADER_MALFORMED);
        }
    }

    private void judge(ChannelHandlerContext context, HeaderBlock theirs) {
        if (!theirs.speaksOurVersion()) {
            refuse(context, Drop.VERSION);
        } else if (!theirs.genesisId().isEmpty() && !theirs.genesisId().equals(ours.genesisId())) {
            refuse(context, Drop.GENESIS);
        } else {
            if (!dialled) {
                write(context);
            }
            agree(context);
        }
    }

    private void agree(ChannelHandlerContext context) {
        over = true;
        outcome.agreed(context);
    }

    private void refuse(ChannelHandlerContext context, Drop reason) {
        if (!over) {
            over = true;
            outcome.refused(reason);
            var unused = context.close();
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        refuse(context, Drop.BROKEN);
    }
}
