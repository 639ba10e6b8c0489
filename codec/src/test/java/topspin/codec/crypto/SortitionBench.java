package topspin.codec.crypto;

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

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** One selection for the soft-vote committee, by an account that holds a share of all stake. */
@BenchmarkMode(Mode.AverageTime)
@Fork(7)
@Warmup(iterations = 6, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 8, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SortitionBench {
    private static final long TOTAL = 2_000_000_000_000_000L;
    private static final long COMMITTEE = 2990;
    private static final int DIGESTS = 256;

    /** One over so much of all stake; 2 for an account with a half. */
    @Param({"2", "100", "100000"})
    public int shareOf;

    private final byte[] digests = new byte[DIGESTS * SelectF128.DIGEST_BYTES];
    private int next;

    @Setup
    public void draw() {
        new SplittableRandom(128).nextBytes(digests);
    }

    @Benchmark
    public long select() {
        next = (next + 1) % DIGESTS;
        return SelectF128.weight(
                TOTAL / shareOf, TOTAL, COMMITTEE, digests, next * SelectF128.DIGEST_BYTES);
    }
}
