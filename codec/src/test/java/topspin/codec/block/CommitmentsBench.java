package topspin.codec.block;

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
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.BlockTransaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Commits to the payments of a block three times over: what a proposer does, and everybody who
 * checks.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(7)
@Warmup(iterations = 8, time = 150, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 6, time = 150, timeUnit = TimeUnit.MILLISECONDS)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Thread)
public class CommitmentsBench {
    @Param({"100", "3000"})
    public int transactions = 100;

    private List<BlockTransaction> payset = List.of();

    @Setup
    public void setUp() {
        var samples = new Samples(1);
        payset = new ArrayList<>();
        for (int index = 0; index < transactions; index++) {
            BlockTransaction payment = BlockTransaction.of(samples.signedPayment(), ApplyData.ZERO);
            payment.signed().id(); // Known since it arrived.
            payset.add(payment);
        }
    }

    @Benchmark
    public TransactionRoot ours() {
        return TransactionRoot.of(payset);
    }
}
