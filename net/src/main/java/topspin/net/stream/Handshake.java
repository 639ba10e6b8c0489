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
    private final HeaderBlock ours;
    private final boolean dialled;
    private final Duration timeout;
    private final Outcome outcome;

    private @Nullable ScheduledFuture<?> deadline;
    private boolean over;

    /** Told once how it ended, unless the connection closed before; on the event loop. */
    public interface Outcome {
        /** Both blocks are exchanged; {@code this} handler is to be replaced. */
        void agreed(ChannelHandlerContext context, HeaderBlock theirs);

        /** It failed; the connection is closed next. */
        void refused(Drop reason);
    }

    public Handshake(HeaderBlock ours, boolean dialled, Duration timeout, Outcome outcome) {
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
        if (context.channel().isActive()) {
            begin(context);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        begin(context);
        context.fireChannelActive();
    }

    private void begin(ChannelHandlerContext context) {
        if (dialled) {
            write(context);
        }
    }

    private void write(ChannelHandlerContext context) {
        ByteBuf block = context.alloc().directBuffer();
        ours.encode(block);
        var unused = context.writeAndFlush(block, context.voidPromise());
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> none) {
        if (over) {
            bytes.skipBytes(bytes.readableBytes());
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
        } else if (!theirs.genesisId().equals(ours.genesisId())) {
            refuse(context, Drop.GENESIS);
        } else if (theirs.nodeId().equals(ours.nodeId())) {
            refuse(context, Drop.SELF);
        } else {
            over = true;
            if (!dialled) {
                write(context);
            }
            outcome.agreed(context, theirs);
        }
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
