package topspin.net.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;
import topspin.net.NetCounters;
import topspin.net.Tag;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Writes frames to one stream: what the socket does not take waits in an {@link OutboundQueue},
 * where priorities still hold. What is public may be called from any thread.
 */
public final class FrameSender {
    private final Channel channel;
    private final Limits limits;
    private final NetCounters counters;
    private final LongSupplier nanoTime;
    private final Consumer<Drop> end;
    private final OutboundQueue queue;
    private final AtomicBoolean draining = new AtomicBoolean();
    private final Runnable drain = this::drain;

    /**
     * @param end ends the connection, and counts why
     */
    public FrameSender(
            Channel channel,
            Limits limits,
            QueueBudget budget,
            NetCounters counters,
            LongSupplier nanoTime,
            Consumer<Drop> end) {
        this.channel = channel;
        this.limits = limits;
        this.counters = counters;
        this.nanoTime = nanoTime;
        this.end = end;
        this.queue = new OutboundQueue(limits.queueMessagesMax(), limits.queueBytesMax(), budget);
    }

    /** Takes over a frame; false, and counted, if it does not fit. */
    public boolean send(Tag tag, ByteBuf frame) {
        boolean queued = queue.offer(tag, frame, nanoTime.getAsLong());
        if (!queued) {
            counters.count(Drop.QUEUE_FULL);
        } else if (draining.compareAndSet(false, true)) {
            channel.eventLoop().execute(drain);
        }
        return queued;
    }

    /** Bytes that wait. */
    public long queuedBytes() {
        return queue.bytes();
    }

    /** Writes while the socket takes it; on the event loop. */
    void drain() {
        draining.set(false);
        boolean written = false;
        while (channel.isWritable()) {
            ByteBuf frame = queue.poll();
            if (frame == null) {
                break;
            }
            counters.messagesOut.increment();
            counters.bytesOut.add(frame.readableBytes());
            var unused = channel.write(frame, channel.voidPromise());
            written = true;
        }
        if (written) {
            channel.flush();
        }
    }

    /** A handler that goes on when the socket has room again; for a stream that is not read. */
    public ChannelInboundHandlerAdapter handler() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object unwanted) {
                ((ByteBuf) unwanted).release();
            }

            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                drain();
            }
        };
    }

    /** Cuts the peer off if it lets a frame wait too long. */
    public void checkProgress() {
        if (queue.waitedNanos(nanoTime.getAsLong()) > limits.staleAfter().toNanos()) {
            end.accept(Drop.SLOW_PEER);
        }
    }

    /** Drops what waits; from now on nothing is taken. */
    public void close() {
        queue.close();
    }
}
