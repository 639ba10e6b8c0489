package topspin.net.rpc;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.protobuf.DynamicMessage;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.jspecify.annotations.Nullable;
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

/** Reads an RPC, and beside it protobuf-java's dynamic messages, which make an object for all. */
@BenchmarkMode(Mode.AverageTime)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class RpcReaderBench {
    private static final byte[] TOPIC = "algotx01".getBytes(US_ASCII);

    /** Messages of 300 bytes in the RPC; as many ids in an IHAVE. */
    @Param({"1", "100"})
    public int elements;

    private final RpcReader reader = new RpcReader();
    private ByteBuf rpc = Unpooled.EMPTY_BUFFER;
    private byte[] bytes = {};

    @Setup
    public void setUp() {
        var batch = new RpcBatch(1 << 20);
        byte[] data = new byte[300];
        for (int index = 0; index < elements; index++) {
            batch.message(RpcBatch.messageEntry(data, 0, data.length, TOPIC));
            batch.ihave(TOPIC, data, index, 32);
        }
        batch.split();
        ByteBuf frame = batch.frame(0, UnpooledByteBufAllocator.DEFAULT);
        frame.skipBytes(frame.readableBytes() - batch.rpcBytes(0));
        bytes = ByteBufUtil.getBytes(frame);
        rpc = Unpooled.directBuffer().writeBytes(frame);
        frame.release();
    }

    @Benchmark
    public @Nullable RpcFault ours() {
        return reader.read(rpc, 0, bytes.length);
    }

    @Benchmark
    public @Nullable DynamicMessage protobufJava() {
        return RpcOracle.parse(bytes);
    }
}
