package topspin.node.ingest;

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

import topspin.codec.txn.TransactionGroup;
import topspin.ledger.StateDelta.CommittedId;
import topspin.node.Funds;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What it costs to follow one transaction from its peer into its block: six steps, five clock
 * readings. The transactions are as many as a busy second brings, so that the table is not all in
 * the processor's cache.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TraceBench {
    private static final int TRANSACTIONS = 4096;

    private final QuietPeer peer = new QuietPeer();
    private TransactionTrace trace;
    private TransactionGroup[] groups;
    private List<List<CommittedId>> blocks;
    private int next;

    @Setup
    public void makeTransactions() {
        Funds funds = new Funds(2);
        trace = new TransactionTrace(System::nanoTime, InstantSource.system());
        groups = new TransactionGroup[TRANSACTIONS];
        blocks = new ArrayList<>();
        for (int i = 0; i < TRANSACTIONS; i++) {
            groups[i] = TransactionGroup.of(funds.payment(0, 1, 5));
            blocks.add(List.of(new CommittedId(groups[i].first().id(), 1000)));
        }
    }

    @Benchmark
    public int journey() {
        int at = next++ & (TRANSACTIONS - 1);
        TransactionGroup group = groups[at];
        trace.decoded(group, trace.source(peer), trace.now());
        trace.verified(group);
        trace.pooled(group);
        trace.relayed(group);
        trace.inBlock(1, blocks.get(at));
        return at;
    }
}
