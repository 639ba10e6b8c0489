package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.Certificate;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.rules.VerifiedGroup;
import topspin.ledger.store.StoreFault;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A process that opens a ledger and adds rounds of real payments until it is killed, has made as
 * many as asked, or the disk refuses. Says {@code opening}, {@code opened R}, then each round's
 * number once it is durable; ends with {@code fault KIND text} and an exit status, or {@code
 * closed}.
 */
final class LedgerProcess implements AutoCloseable {
    static final int ACCOUNTS = 8;
    private static final int PAYMENTS = 12;
    private static final int NOTE_BYTES = 1024;

    private final Process process;
    private final BufferedReader lines;

    /** Starts {@code command} in front of a JVM that runs this class. */
    LedgerProcess(List<String> command) throws IOException {
        process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The command line of a JVM that works on a folder; {@code rounds} below 0 go on for ever. */
    static List<String> command(Path dir, Path temporary, int rounds) {
        return command(LedgerProcess.class, temporary, dir, rounds);
    }

    /** The command line of a JVM that runs a class of these tests. */
    static List<String> command(Class<?> main, Path temporary, Object... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--add-modules",
                                "jdk.incubator.vector",
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:TieredStopAtLevel=1",
                                "-Xmx512m",
                                "-ea",
                                "-Djava.io.tmpdir=" + temporary,
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    /** The next line it says, or null when it has ended. */
    @Nullable String next() throws IOException {
        return lines.readLine();
    }

    /** All that is left to say. */
    List<String> rest() throws IOException {
        List<String> rest = new ArrayList<>();
        for (String line = next(); line != null; line = next()) {
            rest.add(line);
        }
        return rest;
    }

    /** As kill -9 does; returns when it is gone. */
    void kill() throws InterruptedException {
        process.toHandle().destroyForcibly(); // Unlike the process's, it leaves what was said.
        process.waitFor();
    }

    int exitStatus() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The network that all these processes work on. */
    static Genesis genesis() {
        return new TestNetwork(ACCOUNTS).genesis();
    }

    public static void main(String[] arguments) {
        var say =
                new PrintStream(
                        new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        say.println("opening");
        try (Ledger ledger = Ledger.open(Path.of(arguments[0]), genesis(), LedgerConfig.DEFAULT)) {
            say.println("opened " + ledger.view().round());
            int rounds = Integer.parseInt(arguments[1]);
            var maker = new Maker(ledger);
            for (int made = 0; made != rounds; made++) {
                maker.addRound();
                say.println(ledger.view().round());
            }
        } catch (StoreFault fault) {
            say.println("fault " + fault.kind() + " " + fault.getMessage());
            throw fault;
        }
        say.println("closed");
    }

    /** Makes rounds on whatever the ledger holds. */
    static final class Maker {
        private final Ledger ledger;
        private final Random random = new Random(1);
        private final Signatures signatures =
                new Signatures(
                        new VerifiedCache(1000, new Random(2)),
                        new SignatureEngine(new SecureRandom()),
                        64);

        Maker(Ledger ledger) {
            this.ledger = ledger;
        }

        void addRound() {
            LedgerView view = ledger.view();
            var evaluator =
                    new BlockEvaluator(view, ledger.versions(), view.header().timestamp() + 1);
            List<TransactionGroup> groups = new ArrayList<>();
            for (int i = 0; i < PAYMENTS; i++) {
                groups.add(TransactionGroup.of(payment(evaluator.round())));
            }
            for (Signatures.Outcome outcome : signatures.verify(groups, evaluator.rules())) {
                VerifiedGroup verified = outcome.verified();
                if (verified == null || evaluator.add(verified) != null) {
                    throw new IllegalStateException("a payment was refused: " + outcome);
                }
            }
            EvaluatedBlock made = evaluator.finish(BlockMaker.devMode(view));
            ledger.add(
                    made.block(),
                    Certificate.ofRound(made.block().round()).encoding().toArray(),
                    made.delta());
        }

        private SignedTransaction payment(long round) {
            var note = new byte[NOTE_BYTES];
            random.nextBytes(note);
            var header =
                    new TransactionHeader(
                            TestNetwork.address(random.nextInt(ACCOUNTS)),
                            TestNetwork.FEE,
                            round,
                            round + 1000,
                            Bytes.of(note),
                            ledger.genesis().id(),
                            ledger.genesis().hash(),
                            Digest.ZERO,
                            Digest.ZERO,
                            Address.ZERO);
            return TestNetwork.sign(
                    new Payment(
                            header,
                            TestNetwork.address(random.nextInt(ACCOUNTS)),
                            random.nextInt(1000),
                            Address.ZERO));
        }
    }
}
