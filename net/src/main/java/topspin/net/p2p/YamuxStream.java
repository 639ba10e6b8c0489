package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.DefaultChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One stream of a {@link Yamux} connection, as a channel of its own on the same event loop. What is
 * written waits for the peer's window; what arrives gives the peer back its window when it is
 * handed to the pipeline, which is when reading is on ({@link ChannelConfig#isAutoRead}).
 */
public final class YamuxStream extends AbstractChannel {
    private static final Logger LOG = System.getLogger(YamuxStream.class.getName());
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final Yamux connection;
    private final int id;
    private final DefaultChannelConfig config = new DefaultChannelConfig(this);
    private final Deque<ByteBuf> arrived = new ArrayDeque<>();

    /** What we may still send; the peer can raise it far. */
    private long sendWindow = Yamux.WINDOW_BYTES;

    /** What the peer may still send. */
    private int receiveWindow = Yamux.WINDOW_BYTES;

    /** Handed to the pipeline and not given back yet. */
    private int consumed;

    private boolean open = true;
    private boolean finishing;
    private boolean finished;
    private boolean peerFinished;
    private boolean inputEnded;
    private boolean wasReset;
    private boolean delivering;
    private boolean touched;
    private boolean answered;

    YamuxStream(Channel parent, Yamux connection, int id) {
        super(parent);
        this.connection = connection;
        this.id = id;
        config.setAllocator(parent.alloc());
        config.setWriteBufferWaterMark(parent.config().getWriteBufferWaterMark());
    }

    int streamId() {
        return id;
    }

    /** Sends what was written, then says that no more comes; the peer may go on. */
    public void finish() {
        finishing = true;
        unsafe().flush();
        writeFinish();
    }

    private void writeFinish() {
        ChannelOutboundBuffer waiting = unsafe().outboundBuffer();
        if (finishing && !finished && open && (waiting == null || waiting.isEmpty())) {
            finished = true;
            connection.writeFrame(Yamux.WINDOW_UPDATE, Yamux.FIN, id, 0);
            closeIfBothFinished();
        }
    }

    private void closeIfBothFinished() {
        if (finished && inputEnded) {
            unsafe().close(voidPromise());
        }
    }

    // What the connection reports; on the event loop.

    /** The peer has answered, or will not any more; whether that is news. */
    boolean answer() {
        boolean first = !answered;
        answered = true;
        return first;
    }

    /** Whether the peer may send so much more; then it is taken off its window. */
    boolean takeFromWindow(long bytes) {
        if (bytes > receiveWindow || peerFinished) {
            return false;
        }
        receiveWindow -= (int) bytes;
        return true;
    }

    /** Whether this is the first time since the last {@link #readComplete}. */
    boolean touch() {
        boolean first = !touched;
        touched = true;
        return first;
    }

    /** Takes over bytes of the peer. */
    void received(ByteBuf bytes) {
        arrived.add(bytes);
        deliver();
    }

    void windowRaised(long bytes) {
        sendWindow += bytes;
        resume();
    }

    /** The window or the connection has room again. */
    void resume() {
        if (open && isRegistered()) {
            unsafe().flush();
        }
    }

    void peerFinished() {
        peerFinished = true;
        deliver();
    }

    void peerReset() {
        wasReset = true;
        unsafe().close(voidPromise());
    }

    void readComplete() {
        touched = false;
        pipeline().fireChannelReadComplete();
    }

    private void deliver() {
        if (delivering || !isRegistered()) {
            return;
        }
        delivering = true;
        try {
            while (open && config.isAutoRead()) {
                ByteBuf bytes = arrived.poll();
                if (bytes == null) {
                    break;
                }
                consumed += bytes.readableBytes();
                pipeline().fireChannelRead(bytes);
            }
        } finally {
            delivering = false;
        }
        if (!open) {
            return;
        }
        if (consumed >= Yamux.WINDOW_BYTES / 2 && !peerFinished) {
            connection.writeFrame(Yamux.WINDOW_UPDATE, 0, id, consumed);
            receiveWindow += consumed;
            consumed = 0;
        }
        if (peerFinished && arrived.isEmpty() && !inputEnded) {
            inputEnded = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            closeIfBothFinished();
        }
    }

    // The channel.

    @Override
    protected DefaultChannelPipeline newChannelPipeline() {
        return new DefaultChannelPipeline(this) {
            /** What no handler of the stream dealt with ends the stream: it is nobody's news. */
            @Override
            protected void onUnhandledInboundException(Throwable cause) {
                LOG.log(Level.DEBUG, () -> YamuxStream.this + ": broken", cause);
                ReferenceCountUtil.release(cause);
                var unused = channel().close();
            }
        };
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new AbstractUnsafe() {
            @Override
            public void connect(
                    SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
                promise.setFailure(
                        new UnsupportedOperationException("a stream is opened by Yamux"));
            }
        };
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop == parent().eventLoop();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return parent().localAddress();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return parent().remoteAddress();
    }

    @Override
    protected void doBind(SocketAddress local) {
        throw new UnsupportedOperationException("a stream has no address");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        if (!open) {
            return;
        }
        open = false;
        boolean whole = finished && peerFinished;
        connection.closed(this, !whole && !wasReset);
        for (ByteBuf bytes = arrived.poll(); bytes != null; bytes = arrived.poll()) {
            bytes.release();
        }
    }

    @Override
    protected void doBeginRead() {
        if (!arrived.isEmpty()) {
            deliver();
            readComplete();
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer waiting) {
        // Flushing may make room at once, and tell so while this flush is not over: look again.
        while (writeSome(waiting) && connection.isWritable()) {}
        writeFinish();
    }

    /** Writes until there is no room; whether it was the connection that had none. */
    private boolean writeSome(ChannelOutboundBuffer waiting) {
        boolean written = false;
        boolean full = false;
        for (Object next = waiting.current(); next != null; next = waiting.current()) {
            ByteBuf bytes = (ByteBuf) next;
            long room = Math.min(sendWindow, Yamux.DATA_BYTES_MAX);
            int part = (int) Math.min(bytes.readableBytes(), room);
            if (part > 0 && !connection.isWritable()) {
                full = true;
                break;
            }
            if (part > 0) {
                sendWindow -= part;
                connection.writeData(id, bytes.readRetainedSlice(part));
                written = true;
            }
            if (!bytes.isReadable()) {
                waiting.remove();
            } else if (sendWindow == 0) {
                break;
            }
        }
        if (written) {
            connection.flushSoon();
        }
        return written && full;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }
}
