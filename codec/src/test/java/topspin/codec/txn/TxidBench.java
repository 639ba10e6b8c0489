package topspin.codec.txn;

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

import topspin.codec.Digest;
import topspin.codec.Samples;
import topspin.codec.bench.Yardstick;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Names a transaction: encoding and hashing it, beside hashing alone, which no encoder can beat,
 * and beside msgpack-java as encoder.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(7)
@Warmup(iterations = 16, time = 60, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 6, time = 60, timeUnit = TimeUnit.MILLISECONDS)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class TxidBench {
    @Param public TransactionType shape = TransactionType.PAYMENT;

    private final TxIdHasher hasher = new TxIdHasher();
    private final MessagePackOracle oracle = new MessagePackOracle();
    private final byte[] id = new byte[Digest.BYTES];
    private Transaction txn = new Samples(1).plainPayment();
    private byte[] encoded = new byte[0];
    private byte[] prefixed = new byte[0];

    @Setup
    public void setUp() {
        var samples = new Samples(1);
        txn =
                shape == TransactionType.PAYMENT
                        ? samples.plainPayment()
                        : samples.transaction(shape);
        encoded = TransactionEncoder.encode(txn);
        prefixed = Domain.TX.prepend(encoded, 0, encoded.length);
        oracle.learn(encoded);
    }

    @Benchmark
    public byte[] ours() {
        hasher.hash(txn, id, 0);
        return id;
    }

    /** The same bytes, prefix included, hashed in one go: what no encoder can beat. */
    @Benchmark
    @Yardstick
    public byte[] bareHash() {
        HashFunction.SHA512_256.digest(prefixed, 0, prefixed.length, id, 0);
        return id;
    }

    /**
     * What a received transaction costs: its bytes are canonical, so they are hashed where they
     * are.
     */
    @Benchmark
    public byte[] received() {
        hasher.hash(encoded, 0, encoded.length, id, 0);
        return id;
    }

    @Benchmark
    public byte[] messagePackJava() throws IOException {
        byte[] bytes = oracle.encode();
        hasher.hash(bytes, 0, bytes.length, id, 0);
        return id;
    }
}
