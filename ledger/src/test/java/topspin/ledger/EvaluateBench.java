package topspin.ledger;

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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import topspin.codec.Address;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.Certificate;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.BlockEvaluator.Origin;
import topspin.ledger.StateDelta.AccountChange;
import topspin.ledger.account.Account;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Rules;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.rules.VerifiedGroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A block of 25,000 single payments whose signatures are known: made here, and judged as another
 * node's. Over 500 hot accounts, or over senders and receivers drawn from a million that no cache
 * holds.
 */
@BenchmarkMode(Mode.SingleShotTime)
@Fork(1)
@Warmup(iterations = 15)
@Measurement(iterations = 15)
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class EvaluateBench {
    private static final int PAYMENTS_MAX = 25_000;
    private static final int ACCOUNTS_A_ROUND = 50_000;

    @Param({"500", "1000000"})
    public int accounts;

    @Param("25000")
    public int payments;

    private Path dir;
    private Ledger ledger;
    private Signatures signatures;
    private List<VerifiedGroup> groups;
    private Block block;

    @Setup
    public void prepare() throws IOException {
        dir = Files.createTempDirectory("evaluate");
        boolean hot = accounts <= 500;
        LedgerConfig config =
                new LedgerConfig(
                        LedgerConfig.ALL_ROUNDS,
                        0,
                        hot ? LedgerConfig.DEFAULT.cachedAccounts() : 1,
                        LedgerConfig.DEFAULT.store(),
                        ConsensusVersions.builtIn());
        ledger = Ledger.open(dir, SyntheticRounds.genesis(), config);
        signatures =
                new Signatures(
                        new VerifiedCache(2 * PAYMENTS_MAX + 2, new Random(1)),
                        new SignatureEngine(new SecureRandom()),
                        1_024);
        SplittableRandom random = new SplittableRandom(1);
        List<Ed25519.KeyPair> senders = new ArrayList<>();
        List<Address> addresses = new ArrayList<>();
        for (int i = 0; i < Math.min(accounts, payments); i++) {
            senders.add(Ed25519.KeyPair.fromSeed(bytes(random)));
            addresses.add(Address.fromBytes(senders.get(i).publicKey()));
        }
        while (addresses.size() < accounts) {
            addresses.add(Address.fromBytes(bytes(random)));
        }
        fund(addresses);
        groups = payments(senders, addresses, random);
        block = assemble().block();
    }

    private void fund(List<Address> addresses) {
        for (int from = 0; from < addresses.size(); from += ACCOUNTS_A_ROUND) {
            int to = Math.min(from + ACCOUNTS_A_ROUND, addresses.size());
            List<AccountChange> changes = new ArrayList<>();
            addresses.subList(from, to).stream()
                    .sorted()
                    .forEach(
                            address ->
                                    changes.add(
                                            new AccountChange(
                                                    address,
                                                    Account.EMPTY,
                                                    Account.EMPTY.withBalance(1L << 40))));
            LedgerView view = ledger.view();
            BlockHeader.Draft header = view.header().toDraft();
            header.round++;
            header.previous = view.headerHash();
            header.timestamp++;
            ledger.add(
                    new Block(header.build(), List.of()),
                    Certificate.ofRound(header.round).encoding().toArray(),
                    new StateDelta(
                            header.round,
                            changes,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            view.totals()));
        }
    }

    private List<VerifiedGroup> payments(
            List<Ed25519.KeyPair> senders, List<Address> addresses, SplittableRandom random) {
        BlockHeader network = ledger.view().header();
        long round = network.round() + 1;
        List<TransactionGroup> made = new ArrayList<>();
        for (int i = 0; i < payments; i++) {
            Ed25519.KeyPair sender = senders.get(random.nextInt(senders.size()));
            TransactionHeader header =
                    new TransactionHeader(
                            Address.fromBytes(sender.publicKey()),
                            1_000,
                            round,
                            round + 900,
                            "",
                            network.genesisHash());
            Payment payment =
                    new Payment(
                            header,
                            addresses.get(random.nextInt(addresses.size())),
                            1_000 + i,
                            Address.ZERO);
            made.add(TransactionGroup.of(SignedTransaction.sign(payment, sender)));
        }
        Rules rules = Objects.requireNonNull(Rules.of(network, ConsensusVersions.builtIn()));
        List<VerifiedGroup> verified = new ArrayList<>();
        for (Signatures.Outcome outcome : signatures.verify(made, rules)) {
            verified.add(Objects.requireNonNull(outcome.verified()));
        }
        return verified;
    }

    @Benchmark
    public EvaluatedBlock assemble() {
        LedgerView view = ledger.view();
        BlockEvaluator evaluator =
                new BlockEvaluator(view, ConsensusVersions.builtIn(), view.header().timestamp());
        for (VerifiedGroup group : groups) {
            Refusal refusal = evaluator.add(group);
            if (refusal != null) {
                throw new IllegalStateException(refusal.text());
            }
        }
        return evaluator.finish(BlockMaker.devMode(view));
    }

    @Benchmark
    public EvaluatedBlock validate() {
        BlockEvaluator.Outcome outcome =
                BlockEvaluator.validate(
                        block,
                        ledger.view(),
                        ConsensusVersions.builtIn(),
                        signatures,
                        Origin.DEV_MODE);
        return Objects.requireNonNull(outcome.block(), () -> String.valueOf(outcome.refusal()));
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

    private static byte[] bytes(SplittableRandom random) {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return bytes;
    }
}
