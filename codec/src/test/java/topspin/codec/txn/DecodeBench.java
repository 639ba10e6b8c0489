package topspin.codec.txn;

import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
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

import topspin.codec.Samples;
import topspin.codec.bench.Yardstick;
import topspin.codec.msgpack.MalformedMessage;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Reads a signed transaction: strictly, by the loose door that finds it canonical, and as a tree of
 * msgpack-java.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(7)
@Warmup(iterations = 10, time = 80, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 8, time = 80, timeUnit = TimeUnit.MILLISECONDS)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class DecodeBench {
    @Param({"PAYMENT", "ASSET_TRANSFER", "APPLICATION_CALL"})
    public TransactionType shape = TransactionType.PAYMENT;

    private final TransactionDecoder decoder = new TransactionDecoder();
    private final LooseDecoder loose = new LooseDecoder();
    private byte[] bytes = new byte[0];

    @Setup
    public void setUp() {
        var samples = new Samples(1);
        Transaction txn =
                shape == TransactionType.PAYMENT
                        ? samples.plainPayment()
                        : samples.transaction(shape);
        bytes = samples.signed(txn).toBytes();
    }

    @Benchmark
    public TransactionGroup ours() throws MalformedMessage {
        return decoder.decodeGroup(bytes, 0, bytes.length);
    }

    @Benchmark
    public TransactionGroup oursByRest() throws MalformedMessage {
        return loose.decodeGroup(bytes);
    }

    @Benchmark
    @Yardstick
    public Value messagePackJava() throws IOException {
        return MessagePack.newDefaultUnpacker(bytes).unpackValue();
    }
}
