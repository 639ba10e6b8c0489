package topspin.codec.crypto;

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

import java.util.concurrent.TimeUnit;

/** Proving and verifying a credential. */
@BenchmarkMode(Mode.AverageTime)
@Fork(7)
@Warmup(iterations = 8, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 8, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the setup.
public class VrfBench {
    private final byte[] message = new byte[60];
    private final byte[] output = new byte[Vrf.OUTPUT_BYTES];
    private final Vrf.KeyPair pair = Vrf.KeyPair.fromSeed(new byte[32]);
    private byte[] key;
    private byte[] proof;

    @Setup
    public void prepare() {
        key = pair.publicKey();
        proof = pair.prove(Domain.AS, message, 0, message.length);
    }

    @Benchmark
    public byte[] prove() {
        return pair.prove(Domain.AS, message, 0, message.length);
    }

    @Benchmark
    public boolean verify() {
        boolean isValid =
                Vrf.verify(key, 0, proof, 0, Domain.AS, message, 0, message.length, output, 0);
        if (!isValid) {
            throw new AssertionError("a good proof was refused");
        }
        return true;
    }
}
