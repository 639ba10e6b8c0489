package topspin.net.p2p;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/** One frame of a stream through Noise and yamux, written on one side and read on the other. */
@BenchmarkMode(Mode.AverageTime)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class TransportBench {
    @Param({"300", "65000"})
    int bytes;

    private EmbeddedChannel sender;
    private EmbeddedChannel receiver;
    private YamuxStream stream;
    private byte[] body;
    private long received;

    @Setup
    public void connect() {
        var key = new byte[32];
        var sending = new Yamux(true, opened -> {}, reason -> {});
        sender = new EmbeddedChannel(new NoiseEncoder(new ChaChaPoly(key)), sending);
        var receiving =
                new Yamux(
                        false,
                        accepted ->
                                accepted.pipeline()
                                        .addLast(
                                                new ChannelInboundHandlerAdapter() {
                                                    @Override
                                                    public void channelRead(
                                                            ChannelHandlerContext context,
                                                            Object read) {
                                                        received +=
                                                                ((ByteBuf) read).readableBytes();
                                                        ReferenceCountUtil.release(read);
                                                    }
                                                }),
                        reason -> {});
        receiver = new EmbeddedChannel(new NoiseDecoder(new ChaChaPoly(key)), receiving);
        sender.config().setAllocator(PooledByteBufAllocator.DEFAULT);
        receiver.config().setAllocator(PooledByteBufAllocator.DEFAULT);
        stream = sending.open(opened -> {});
        body = new byte[bytes];
        carry();
        receiver.runPendingTasks();
    }

    /** What one side wrote to the other; windows come back in the clear, as a bench may. */
    private void carry() {
        for (Object out = sender.readOutbound(); out != null; out = sender.readOutbound()) {
            receiver.pipeline().fireChannelRead(out);
        }
        receiver.pipeline().fireChannelReadComplete();
        boolean granted = false;
        for (Object out = receiver.readOutbound(); out != null; out = receiver.readOutbound()) {
            sender.pipeline().context(Yamux.class).fireChannelRead(out);
            granted = true;
        }
        if (granted) {
            sender.runPendingTasks();
        }
    }

    @Benchmark
    public long carryOneFrame() {
        ByteBuf frame = sender.alloc().heapBuffer(bytes).writeBytes(body);
        var unused = stream.writeAndFlush(frame, stream.voidPromise());
        stream.windowRaised(bytes); // As the peer would say in time.
        carry();
        return received;
    }
}
