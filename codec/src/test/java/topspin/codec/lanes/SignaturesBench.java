package topspin.codec.lanes;

import org.bouncycastle.math.ec.rfc8032.Ed25519;
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
import topspin.codec.crypto.BatchVerifier;
import topspin.codec.crypto.Claims;
import topspin.codec.crypto.SampleSignatures;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Time per signature of 128, verified in batches of {@code batch}: by one equation in lanes, by
 * lanes each for itself, by one equation without vectors, and by Bouncy Castle, which has no
 * batches. Distinct keys, messages of 150 bytes.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(
        value = 7,
        jvmArgsAppend = {"--add-modules", "jdk.incubator.vector"})
@Warmup(iterations = 30, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 6, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the setup.
public class SignaturesBench {
    private static final int SIGNATURES = 128;

    @Param({"1", "8", "64", "128"})
    public int batch;

    private final List<Claims> batches = new ArrayList<>();
    private final boolean[] verdicts = new boolean[SIGNATURES];
    private BatchVerifier equation;
    private BatchVerifier lanes;
    private BatchVerifier scalar;

    @Setup
    public void prepare() {
        for (int i = 0; i < SIGNATURES; i += batch) {
            batches.add(SampleSignatures.claims(batch));
        }
        equation = new LaneBatch(batch, new SecureRandom());
        lanes = new LaneVerifier();
        scalar = SampleSignatures.scalar(batch);
    }

    @Benchmark
    @OperationsPerInvocation(SIGNATURES)
    public boolean equationInLanes() {
        return verify(equation);
    }

    @Benchmark
    @OperationsPerInvocation(SIGNATURES)
    public boolean eachInItsLane() {
        return verify(lanes);
    }

    @Benchmark
    @OperationsPerInvocation(SIGNATURES)
    public boolean equationScalar() {
        return verify(scalar);
    }

    private boolean verify(BatchVerifier verifier) {
        boolean all = true;
        for (Claims claims : batches) {
            verifier.verify(claims, verdicts);
            for (int i = 0; i < batch; i++) {
                all &= verdicts[i];
            }
        }
        return require(all);
    }

    @Benchmark
    @Yardstick
    @OperationsPerInvocation(SIGNATURES)
    public boolean bouncyCastle() {
        boolean all = true;
        for (Claims claims : batches) {
            for (int i = 0; i < batch; i++) {
                byte[] signed =
                        claims.domain(i)
                                .prepend(claims.message(i), claims.offset(i), claims.length(i));
                all &=
                        Ed25519.verify(
                                claims.signatures(),
                                claims.signatureOffset(i),
                                claims.keys(),
                                claims.keyOffset(i),
                                signed,
                                0,
                                signed.length);
            }
        }
        return require(all);
    }

    private static boolean require(boolean all) {
        if (!all) {
            throw new AssertionError("a good signature was refused");
        }
        return true;
    }
}
