package topspin.net.gossipsub;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import topspin.net.Verdict;

import java.util.concurrent.TimeUnit;

/**
 * Messages through the router, RPC reader and batcher included: each of 300 bytes comes from four
 * neighbours and goes on to three. A figure is for one message with all its copies.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class GossipSubBench {
    private final RouterLoad accepting = new RouterLoad(Verdict.ACCEPT);
    private final RouterLoad known = new RouterLoad(Verdict.ACCEPT);

    /** New: read, named, judged, passed on, and three times known. */
    @Benchmark
    public long newMessage() {
        accepting.message();
        return accepting.framesOut;
    }

    /** Four copies of what is known. */
    @Benchmark
    public long fourCopies() {
        known.duplicate();
        return known.deliveries;
    }
}
