package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.concurrent.ScheduledFuture;

import org.jspecify.annotations.Nullable;

import topspin.net.Drop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Many streams over one connection: yamux (gossip.md A.3). Each stream is a channel, see {@link
 * YamuxStream}; data is handed on as it arrives, however long its frame. On the connection's event
 * loop.
 */
final class Yamux extends ByteToMessageDecoder {
    static final String PROTOCOL = "/yamux/1.0.0";

    /** What each side may send on a stream before the other says more. */
    static final int WINDOW_BYTES = 256 << 10;

    /** Longest data that we put into one frame; with its header, what fits 64 KiB. */
    static final int DATA_BYTES_MAX = (64 << 10) - Yamux.HEADER_BYTES;

    /** Streams that the peer may have open. */
    static final int PEER_STREAMS_MAX = 384;

    /** Streams of ours that the peer has not answered yet. */
    static final int BACKLOG_MAX = 256;

    /** Streams that the peer may open from one ping of ours to the next. */
    static final int PEER_STREAMS_PER_PING_MAX = 4_096;

    /** A ping of ours is sent so often; */
    static final int PING_SECONDS = 30;

    /** and must be answered within this. */
    static final int PONG_SECONDS = 10;

    /** A peer that makes us say so much and does not read it is cut off. */
    static final long UNREAD_BYTES_MAX = 1 << 20;

    static final int HEADER_BYTES = 12;

    // Types of frames.
    static final int DATA = 0;
    static final int WINDOW_UPDATE = 1;
    static final int PING = 2;
    static final int GO_AWAY = 3;

    // Flags.
    static final int SYN = 1;
    static final int ACK = 2;
    static final int FIN = 4;
    static final int RST = 8;

    // Why a side goes away.
    private static final int NORMAL = 0;
    private static final int PROTOCOL_ERROR = 1;

    /** In an RST: the limit of streams is reached. */
    private static final int RESOURCE_LIMIT = 4_098;

    private final boolean dialer;
    private final Consumer<YamuxStream> accept;
    private final Consumer<Drop> ended;
    private final IntObjectMap<YamuxStream> streams = new IntObjectHashMap<>();
    private final List<YamuxStream> touched = new ArrayList<>();

    private @Nullable ChannelHandlerContext context;
    private int nextId;
    private int peerStreams;
    private int peerStreamsSincePing;
    private int unanswered;

    // The data frame being read.
    private long dataLeft;
    private int dataFlags;
    private @Nullable YamuxStream dataStream;

    private boolean reading;
    private boolean flushWanted;
    private boolean over;

    private @Nullable ScheduledFuture<?> pinging;

    /** Ends the connection unless the last ping is answered; taken back when it is over. */
    private @Nullable ScheduledFuture<?> pongDue;

    private int pings;
    private boolean pongMissing;

    /**
     * @param dialer whether we dialled the connection: decides whose stream ids are odd
     * @param accept given each stream that the peer opens, to fill its pipeline
     * @param ended told why the connection is to be closed
     */
    Yamux(boolean dialer, Consumer<YamuxStream> accept, Consumer<Drop> ended) {
        this.dialer = dialer;
        this.accept = accept;
        this.ended = ended;
        this.nextId = dialer ? 1 : 2;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        pinging =
                added.executor().scheduleAtFixedRate(this::ping, 0, PING_SECONDS, TimeUnit.SECONDS);
    }

    private ChannelHandlerContext context() {
        if (context == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return context;
    }

    /** Whether one more stream may be opened now. */
    boolean mayOpen() {
        return unanswered < BACKLOG_MAX;
    }

    /** Opens a stream whose pipeline {@code fill} has filled before anything happens on it. */
    YamuxStream open(Consumer<YamuxStream> fill) {
        var stream = new YamuxStream(context().channel(), this, nextId);
        streams.put(nextId, stream);
        unanswered++;
        writeFrame(WINDOW_UPDATE, SYN, nextId, 0);
        nextId += 2;
        fill.accept(stream);
        register(stream);
        return stream;
    }

    private void register(YamuxStream stream) {
        var unused = context().channel().eventLoop().register(stream);
    }

    // Writing.

    boolean isWritable() {
        return context().channel().isWritable();
    }

    /** Writes a frame without payload. */
    void writeFrame(int type, int flags, int id, int length) {
        ByteBuf frame = context().alloc().heapBuffer(HEADER_BYTES);
        writeHeader(type, flags, id, length, frame);
        var unused = context().write(frame, context().voidPromise());
        flushSoon();
        ChannelOutboundBuffer waiting = context().channel().unsafe().outboundBuffer();
        if (waiting != null && waiting.totalPendingWriteBytes() > UNREAD_BYTES_MAX) {
            end(Drop.SLOW_PEER);
        }
    }

    /** Writes a frame of data; the caller flushes. */
    void writeData(int id, ByteBuf bytes) {
        ByteBuf header = context().alloc().heapBuffer(HEADER_BYTES);
        writeHeader(DATA, 0, id, bytes.readableBytes(), header);
        var unused = context().write(header, context().voidPromise());
        unused = context().write(bytes, context().voidPromise());
    }

    private static void writeHeader(int type, int flags, int id, int length, ByteBuf frame) {
        frame.writeByte(0).writeByte(type).writeShort(flags).writeInt(id).writeInt(length);
    }

    /** Flushes now, or when all that has arrived is handled. */
    void flushSoon() {
        if (reading) {
            flushWanted = true;
        } else {
            context().flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (isWritable()) {
            // A copy: what a stream writes may close it or others.
            for (YamuxStream stream : new ArrayList<>(streams.values())) {
                stream.resume();
            }
        }
        changed.fireChannelWritabilityChanged();
    }

    // Reading.

    @Override
    public void channelRead(ChannelHandlerContext read, Object bytes) throws Exception {
        reading = true;
        super.channelRead(read, bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext completed) throws Exception {
        for (int index = 0; index < touched.size(); index++) {
            touched.get(index).readComplete();
        }
        touched.clear();
        reading = false;
        if (flushWanted) {
            flushWanted = false;
            completed.flush();
        }
        super.channelReadComplete(completed);
    }

    @Override
    protected void decode(ChannelHandlerContext read, ByteBuf bytes, List<Object> none) {
        if (over) {
            bytes.skipBytes(bytes.readableBytes());
        } else if (dataLeft > 0) {
            readData(bytes);
        } else if (bytes.readableBytes() >= HEADER_BYTES) {
            readHeader(bytes);
        }
    }

    private void readHeader(ByteBuf bytes) {
        int version = bytes.readUnsignedByte();
        int type = bytes.readUnsignedByte();
        int flags = bytes.readUnsignedShort();
        int id = bytes.readInt();
        long length = bytes.readUnsignedInt();
        if (version != 0 || type > GO_AWAY) {
            violated();
            return;
        }
        switch (type) {
            case PING -> pinged(flags, (int) length);
            case GO_AWAY -> end(Drop.LEFT);
            default -> readStreamFrame(type, flags, id, length);
        }
    }

    private void readStreamFrame(int type, int flags, int id, long length) {
        if ((flags & SYN) != 0 && !acceptStream(id)) {
            return;
        }
        YamuxStream stream = streams.get(id);
        if (stream != null && (flags & ACK) != 0 && isOurs(id) && stream.answer()) {
            unanswered--;
        }
        if (type == DATA) {
            if (stream != null && !stream.takeFromWindow(length)) {
                violated();
                return;
            }
            dataStream = stream;
            dataFlags = flags;
            dataLeft = length;
            if (length > 0) {
                return;
            }
        } else if (stream != null && (flags & RST) == 0) {
            stream.windowRaised(length); // With RST the length is an error code.
        }
        endStreamFrame(stream, flags);
    }

    private void readData(ByteBuf bytes) {
        int part = (int) Math.min(dataLeft, bytes.readableBytes());
        dataLeft -= part;
        YamuxStream stream = dataStream;
        if (stream == null || !stream.isOpen()) {
            bytes.skipBytes(part); // To a stream that is gone already.
        } else if (part > 0) {
            if (stream.touch()) {
                touched.add(stream);
            }
            stream.received(bytes.readRetainedSlice(part));
        }
        if (dataLeft == 0) {
            dataStream = null;
            endStreamFrame(stream, dataFlags);
        }
    }

    private static void endStreamFrame(@Nullable YamuxStream stream, int flags) {
        if (stream == null || !stream.isOpen()) {
            return;
        }
        if ((flags & RST) != 0) {
            stream.peerReset();
        } else if ((flags & FIN) != 0) {
            stream.peerFinished();
        }
    }

    /** Makes the stream that the peer opens; false if it is refused or the connection is over. */
    private boolean acceptStream(int id) {
        if (id == 0 || isOurs(id) || streams.containsKey(id)) {
            violated();
            return false;
        }
        if (++peerStreamsSincePing > PEER_STREAMS_PER_PING_MAX) {
            end(Drop.STREAMS_FULL);
            return false;
        }
        if (peerStreams >= PEER_STREAMS_MAX) {
            writeFrame(WINDOW_UPDATE, RST, id, RESOURCE_LIMIT);
            return true; // Its data, if any came with it, goes nowhere.
        }
        peerStreams++;
        var stream = new YamuxStream(context().channel(), this, id);
        streams.put(id, stream);
        writeFrame(WINDOW_UPDATE, ACK, id, 0);
        accept.accept(stream);
        register(stream);
        return true;
    }

    private boolean isOurs(int id) {
        return (id & 1) == (dialer ? 1 : 0);
    }

    /** A stream is closed. */
    void closed(YamuxStream stream, boolean tell) {
        streams.remove(stream.streamId());
        if (!isOurs(stream.streamId())) {
            peerStreams--;
        } else if (stream.answer()) {
            unanswered--;
        }
        if (tell && !over) {
            writeFrame(WINDOW_UPDATE, RST, stream.streamId(), 0);
        }
    }

    // Liveness.

    private void ping() {
        if (over) {
            return;
        }
        peerStreamsSincePing = 0;
        pongMissing = true;
        int value = pings++;
        writeFrame(PING, SYN, 0, value);
        pongDue =
                context()
                        .executor()
                        .schedule(
                                () -> {
                                    if (pongMissing && !over && pings == value + 1) {
                                        end(Drop.PING_TIMEOUT);
                                    }
                                },
                                PONG_SECONDS,
                                TimeUnit.SECONDS);
    }

    private void pinged(int flags, int value) {
        if ((flags & SYN) != 0) {
            writeFrame(PING, ACK, 0, value);
        } else if ((flags & ACK) != 0 && value == pings - 1) {
            pongMissing = false;
        }
    }

    // Ending.

    /** Tells the peer that the connection ends for no fault of its own. */
    void sayGoodbye() {
        if (!over && context != null) {
            over = true;
            writeFrame(GO_AWAY, 0, 0, NORMAL);
            context.flush();
        }
    }

    private void violated() {
        writeFrame(GO_AWAY, 0, 0, PROTOCOL_ERROR);
        context().flush();
        end(Drop.MUXER);
    }

    private void end(Drop reason) {
        if (!over) {
            over = true;
            ended.accept(reason);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) throws Exception {
        over = true;
        closeStreams();
        super.channelInactive(inactive);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext removed) {
        over = true;
        for (ScheduledFuture<?> waiting : new ScheduledFuture<?>[] {pinging, pongDue}) {
            if (waiting != null) {
                waiting.cancel(false);
            }
        }
        closeStreams();
    }

    private void closeStreams() {
        for (YamuxStream stream : new ArrayList<>(streams.values())) {
            stream.unsafe().close(stream.voidPromise());
        }
    }
}
