package topspin.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** How long a grown ledger takes to open: it must not depend on how much it holds. */
@Tag("long")
final class LedgerOpeningTest {
    private static final int ACCOUNTS = 1_000_000;
    private static final int ROUNDS = 10_000;

    /** Of the last thousand rounds, whose ids are all alive: three million. */
    private static final int PAYMENTS = 3000;

    @Test
    void millionAccountsAndThreeMillionIdsOpenInTime(@TempDir Path base, TestReporter reporter)
            throws IOException, InterruptedException {
        Path dir = base.resolve("ledger");
        try (var builder =
                new LedgerProcess(LedgerProcess.command(LedgerOpeningTest.class, base, dir))) {
            assertThat(builder.next()).isEqualTo("built");
            builder.kill();
        }
        long afterKill = millisToOpen(dir);
        long clean = millisToOpen(dir);
        reporter.publishEntry(
                "opening", "clean " + clean + " ms, after a kill " + afterKill + " ms");
        assertThat(clean).isLessThanOrEqualTo(1500);
        assertThat(afterKill).isLessThanOrEqualTo(5000);
    }

    private static long millisToOpen(Path dir) {
        Genesis genesis = SyntheticRounds.genesis();
        long start = System.nanoTime();
        try (Ledger ledger = Ledger.open(dir, genesis, LedgerConfig.DEFAULT)) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertThat(ledger.view().round()).isEqualTo(ROUNDS);
            return millis;
        }
    }

    /** Builds the ledger, says so, and works on nothing until it is killed. */
    public static void main(String[] arguments) throws IOException {
        try (Ledger ledger =
                Ledger.open(
                        Path.of(arguments[0]), SyntheticRounds.genesis(), LedgerConfig.DEFAULT)) {
            var rounds = new SyntheticRounds(ledger, 1);
            rounds.addAccounts(ACCOUNTS);
            while (ledger.view().round() < ROUNDS) {
                boolean recent = ledger.view().round() >= ROUNDS - 1000;
                rounds.add(rounds.payments(recent ? PAYMENTS : 0, recent ? ACCOUNTS : 1));
            }
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8)
                    .println("built");
            System.in.read();
        }
    }
}
