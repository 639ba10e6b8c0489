package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;

import topspin.net.Drop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Streams of a peer without a socket: each is opened, given bytes, and reset, over one muxer of
 * ours. What reaches the end of a stream's pipeline is released; what is thrown there is kept.
 */
public final class StreamHarness {
    /** A muxer takes so many streams between two pings. */
    private static final int STREAMS_MAX = 4_000;

    private final Consumer<YamuxStream> fill;
    private final List<Throwable> thrown = new ArrayList<>();
    private final List<Drop> ends = new ArrayList<>();
    private EmbeddedChannel channel;
    private int streams;

    /**
     * @param fill puts the handlers of a stream on it
     */
    public StreamHarness(Consumer<YamuxStream> fill) {
        this.fill = fill;
        this.channel = open();
    }

    private EmbeddedChannel open() {
        streams = 0;
        var opened = new EmbeddedChannel();
        opened.freezeTime(); // No ping is ever due.
        opened.pipeline()
                .addLast(
                        new Yamux(
                                false,
                                stream -> {
                                    fill.accept(stream);
                                    stream.pipeline().addLast(new Keeper());
                                },
                                ends::add));
        return opened;
    }

    private final class Keeper extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            thrown.add(cause);
            var unused = context.close();
        }
    }

    /** What was thrown through the streams since this was last asked. */
    public List<Throwable> takeThrown() {
        List<Throwable> taken = List.copyOf(thrown);
        thrown.clear();
        return taken;
    }

    /** Opens a stream and gives it bytes, all at once or one by one, then resets it. */
    public void feed(byte[] bytes, int length, boolean oneByOne) {
        if (++streams > STREAMS_MAX) {
            channel.finishAndReleaseAll();
            channel = open();
        }
        int id = 2 * streams - 1;
        ByteBuf frames = Unpooled.buffer(length + 64);
        int step = oneByOne ? 1 : Math.max(length, 1);
        for (int at = 0; at < Math.max(length, 1); at += step) {
            int part = Math.min(step, length - at);
            header(Yamux.DATA, at == 0 ? Yamux.SYN : 0, id, part, frames);
            frames.writeBytes(bytes, at, part);
        }
        channel.writeInbound(frames);
        ByteBuf reset = Unpooled.buffer(Yamux.HEADER_BYTES);
        header(Yamux.WINDOW_UPDATE, Yamux.RST, id, 0, reset);
        channel.writeInbound(reset);
        channel.runPendingTasks();
        channel.releaseOutbound();
        if (!ends.isEmpty()) {
            throw new AssertionError("the connection ended: " + ends);
        }
    }

    private static void header(int type, int flags, int id, int length, ByteBuf frames) {
        frames.writeByte(0).writeByte(type).writeShort(flags).writeInt(id).writeInt(length);
    }

    public void close() {
        channel.finishAndReleaseAll();
    }
}
