package topspin.codec.lanes;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import topspin.codec.bench.Yardstick;
import topspin.codec.crypto.BatchHasher;
import topspin.codec.crypto.HashFunction;
import topspin.codec.crypto.Messages;
import topspin.codec.crypto.SampleMessages;

import java.util.concurrent.TimeUnit;

/**
 * Time per transaction id, of 64 transactions of one length: in lanes, and by the JDK one after
 * another.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(
        value = 7,
        jvmArgsAppend = {"--add-modules", "jdk.incubator.vector"})
@Warmup(iterations = 16, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 8, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the setup.
public class TxidBatchBench {
    private static final int IDS = 64;

    /** A payment, an application call with a few arguments. */
    @Param({"150", "400"})
    public int bytes;

    private final byte[] ids = new byte[IDS * 32];
    private Messages messages;
    private BatchHasher lanes;

    @Setup
    public void prepare() {
        messages = SampleMessages.messages(IDS, bytes);
        lanes = new LaneHasher(HashFunction.SHA512_256);
    }

    @Benchmark
    @OperationsPerInvocation(IDS)
    public byte[] inLanes() {
        lanes.digest(messages, ids, 0);
        return ids;
    }

    @Benchmark
    @Yardstick
    @OperationsPerInvocation(IDS)
    public byte[] oneByOne() {
        messages.digest(HashFunction.SHA512_256, 0, IDS, ids, 0);
        return ids;
    }
}
