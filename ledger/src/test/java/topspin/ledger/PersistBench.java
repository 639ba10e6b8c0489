package topspin.ledger;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Making a round durable and showing it: 25,000 payments, over 500 hot accounts or over random ones
 * of a million. Includes encoding the block and the sync of the log.
 */
@BenchmarkMode(Mode.SingleShotTime)
@Fork(1)
@Warmup(iterations = 20)
@Measurement(iterations = 40)
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class PersistBench {
    @Param({"500", "1000000"})
    public int accounts;

    @Param("25000")
    public int payments;

    private Path dir;
    private Ledger ledger;
    private SyntheticRounds rounds;
    private SyntheticRounds.Round round;

    @Setup
    public void open() throws IOException {
        dir = Files.createTempDirectory("persist");
        ledger = Ledger.open(dir, SyntheticRounds.genesis(), LedgerConfig.DEFAULT);
        rounds = new SyntheticRounds(ledger, 1);
        rounds.addAccounts(accounts);
    }

    @Setup(Level.Invocation)
    public void prepare() {
        round = rounds.payments(payments, accounts);
    }

    @Benchmark
    public long persist() {
        rounds.add(round);
        return ledger.view().round();
    }

    @TearDown
    public void close() throws IOException {
        ledger.close();
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
