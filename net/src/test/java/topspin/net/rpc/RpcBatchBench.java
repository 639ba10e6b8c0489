package topspin.net.rpc;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Splits what go-libp2p-pubsub's BenchmarkSplitRPCLargeMessages splits, at the same limit: 600
 * messages of 50 KB and a bit, and two of just below the limit; and gathers them first, which that
 * does not ({@code net/src/test/reference/split-rpc-bench.sh} runs that one). Beside it a day's
 * work: messages and ids of a heartbeat, gathered, split and written.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class RpcBatchBench {
    private static final int LIMIT = 1 << 20;
    private static final byte[] TOPIC = "algotx01".getBytes(US_ASCII);

    private final byte[][] many = new byte[600][];
    private final byte[][] two = new byte[2][];
    private final byte[][] small = new byte[300][];
    private final byte[] ids = new byte[1_000 * 32];
    private final RpcBatch gathered = new RpcBatch(LIMIT);
    private final RpcBatch batch = new RpcBatch(LIMIT);
    private final ByteBuf out = Unpooled.directBuffer(2 * LIMIT);

    @Setup
    public void setUp() {
        var random = new SplittableRandom(99);
        for (int index = 0; index < many.length; index++) {
            many[index] = entry(50 * 1_024 + random.nextInt(100));
            gathered.message(many[index]);
        }
        for (int index = 0; index < two.length; index++) {
            two[index] = entry(LIMIT - 100);
        }
        for (int index = 0; index < small.length; index++) {
            small[index] = entry(300);
        }
        random.nextBytes(ids);
    }

    private static byte[] entry(int data) {
        return RpcBatch.messageEntry(new byte[data], 0, data, TOPIC);
    }

    /** As upstream: the messages are there, what is asked for is where to cut. */
    @Benchmark
    public int splitManyLarge() {
        return gathered.split();
    }

    @Benchmark
    public int gatherAndSplitManyLarge() {
        return gatherAndSplit(many);
    }

    @Benchmark
    public int gatherAndSplitTwoLarge() {
        return gatherAndSplit(two);
    }

    private int gatherAndSplit(byte[][] entries) {
        batch.clear();
        for (byte[] entry : entries) {
            batch.message(entry);
        }
        return batch.split();
    }

    /** 300 messages of 300 bytes, written. */
    @Benchmark
    public int writeManySmall() {
        gatherAndSplit(small);
        return write();
    }

    /** The ids of a thousand messages, as IHAVE. */
    @Benchmark
    public int writeIds() {
        batch.clear();
        for (int at = 0; at < ids.length; at += 32) {
            batch.ihave(TOPIC, ids, at, 32);
        }
        batch.split();
        return write();
    }

    private int write() {
        out.clear();
        batch.writeFrame(0, out);
        return out.readableBytes();
    }
}
