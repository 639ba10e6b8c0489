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
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How long a grown ledger takes to open, and what it then takes of memory: neither may depend on
 * how much it holds.
 */
@Tag("long")
final class LedgerOpeningTest {
    private static final int ACCOUNTS = 1_000_000;
    private static final int ROUNDS = 10_000;

    /** Of the last thousand rounds, whose ids are all alive: three million. */
    private static final int PAYMENTS = 3000;

    private static final int HEAP_MIB_MAX = 100;
    private static final int RESIDENT_MIB_MAX = 400;

    private final Path base;
    private final Path dir;

    LedgerOpeningTest(@TempDir Path base) {
        this.base = base;
        dir = base.resolve("ledger");
    }

    @Test
    void millionAccountsAndThreeMillionIdsOpenInTime(TestReporter reporter)
            throws IOException, InterruptedException {
        try (var builder = process("build")) {
            assertThat(builder.next()).isEqualTo("built");
            builder.kill();
        }
        for (String kind : List.of("after a kill", "clean")) {
            try (var opener = process("open")) {
                Figures figures = Figures.parse(String.valueOf(opener.next()));
                assertThat(opener.exitStatus()).isZero();
                reporter.publishEntry(kind, figures.toString());
                assertThat(figures.millis).isLessThanOrEqualTo(kind.equals("clean") ? 1500 : 5000);
                assertThat(figures.heapMib).isLessThanOrEqualTo(HEAP_MIB_MAX);
                assertThat(figures.residentMib).isLessThanOrEqualTo(RESIDENT_MIB_MAX);
            }
        }
    }

    private LedgerProcess process(String what) throws IOException {
        return new LedgerProcess(LedgerProcess.command(LedgerOpeningTest.class, base, what, dir));
    }

    /** What a process that has nothing but an open ledger takes. */
    private record Figures(long millis, long heapMib, long residentMib) {
        static Figures parse(String line) {
            String[] numbers = line.split(" ");
            return new Figures(
                    Long.parseLong(numbers[0]),
                    Long.parseLong(numbers[1]),
                    Long.parseLong(numbers[2]));
        }
    }

    /**
     * {@code build DIR} builds the ledger, says so, and works on nothing until it is killed; {@code
     * open DIR} opens it and prints milliseconds, heap in use and resident memory in MiB.
     */
    public static void main(String[] arguments) throws IOException {
        var say =
                new PrintStream(
                        new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        long start = System.nanoTime();
        try (Ledger ledger =
                Ledger.open(
                        Path.of(arguments[1]), SyntheticRounds.genesis(), LedgerConfig.DEFAULT)) {
            if (arguments[0].equals("open")) {
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                if (ledger.view().round() != ROUNDS) {
                    throw new AssertionError("opened at round " + ledger.view().round());
                }
                System.gc();
                long heap =
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
                say.println(millis + " " + heap + " " + residentMib());
                return;
            }
            var rounds = new SyntheticRounds(ledger, 1);
            rounds.addAccounts(ACCOUNTS);
            while (ledger.view().round() < ROUNDS) {
                boolean recent = ledger.view().round() >= ROUNDS - 1000;
                rounds.add(rounds.payments(recent ? PAYMENTS : 0, recent ? ACCOUNTS : 1));
            }
            say.println("built");
            System.in.read();
        }
    }

    private static long residentMib() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10;
            }
        }
        return 0; // Only Linux tells.
    }
}
