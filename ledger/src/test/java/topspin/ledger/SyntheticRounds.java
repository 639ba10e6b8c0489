package topspin.ledger;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.Certificate;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.StateDelta.AccountChange;
import topspin.ledger.StateDelta.CommittedId;
import topspin.ledger.account.Account;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Rounds with the size and shape of real ones and no meaning: for measuring what it takes to keep
 * them. Signatures are random bytes, balances wander, and the totals stand still.
 */
final class SyntheticRounds {
    private static final long LIFE = 1000;

    private final Ledger ledger;
    private final SplittableRandom random;
    private final List<Address> accounts = new ArrayList<>();
    private List<BlockTransaction> transactions = List.of();

    SyntheticRounds(Ledger ledger, long seed) {
        this.ledger = ledger;
        this.random = new SplittableRandom(seed);
    }

    /** A genesis that owns nothing worth naming. */
    static Genesis genesis() {
        Address pool = address(1, new SplittableRandom(1));
        Address sink = address(2, new SplittableRandom(2));
        return new Genesis(
                List.of(
                        new Genesis.Allocation(pool, "", Genesis.State.notParticipating(100_000)),
                        new Genesis.Allocation(sink, "", Genesis.State.notParticipating(100_000))),
                "",
                true,
                sink,
                pool,
                "v1",
                "synthetic",
                ConsensusVersions.V42,
                0);
    }

    /** Adds accounts, 50,000 a round. */
    void addAccounts(int count) {
        while (accounts.size() < count) {
            int from = accounts.size();
            int more = Math.min(50_000, count - from);
            for (int i = 0; i < more; i++) {
                accounts.add(address(from + i + 10, random));
            }
            add(next(List.of(), changes(accounts.subList(from, from + more)), 0));
        }
    }

    /** A round and its changes, not yet added. */
    record Round(Block block, byte[] certificate, StateDelta delta) {}

    /** Payments, each between two accounts drawn from the first {@code among}. */
    Round payments(int count, int among) {
        if (transactions.size() != count) {
            transactions = makeTransactions(count);
        }
        var touched = new boolean[Math.min(among, accounts.size())];
        for (int i = 0; i < 2 * count; i++) {
            touched[random.nextInt(touched.length)] = true;
        }
        List<Address> changed = new ArrayList<>();
        for (int i = 0; i < touched.length; i++) {
            if (touched[i]) {
                changed.add(accounts.get(i));
            }
        }
        return next(transactions, changes(changed), count);
    }

    void add(Round round) {
        ledger.add(round.block, round.certificate, round.delta);
    }

    private Round next(List<BlockTransaction> payset, List<AccountChange> changes, int ids) {
        LedgerView view = ledger.view();
        BlockHeader.Draft header = view.header().toDraft();
        header.round++;
        header.previous = view.headerHash();
        header.timestamp++;
        long round = header.round;
        List<CommittedId> committed = new ArrayList<>(ids);
        for (int i = 0; i < ids; i++) {
            committed.add(new CommittedId(digest(), round + LIFE - i % 5));
        }
        return new Round(
                new Block(header.build(), payset),
                Certificate.ofRound(round).encoding().toArray(),
                new StateDelta(
                        round, changes, List.of(), List.of(), committed, List.of(), view.totals()));
    }

    private List<AccountChange> changes(List<Address> changed) {
        List<AccountChange> changes = new ArrayList<>(changed.size());
        List<Address> sorted = new ArrayList<>(changed);
        sorted.sort(null);
        for (Address address : sorted) {
            Account after = Account.EMPTY.withBalance(1_000_000 + random.nextInt(1 << 30));
            changes.add(new AccountChange(address, Account.EMPTY, after));
        }
        return changes;
    }

    private List<BlockTransaction> makeTransactions(int count) {
        List<BlockTransaction> made = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            var note = new byte[8];
            Arrays.fill(note, (byte) i);
            var header =
                    new TransactionHeader(
                            accounts.get(random.nextInt(accounts.size())),
                            1000,
                            1,
                            1001,
                            Bytes.of(note),
                            "synthetic-v1",
                            ledger.genesis().hash(),
                            Digest.ZERO,
                            Digest.ZERO,
                            Address.ZERO);
            var payment =
                    new Payment(
                            header,
                            accounts.get(random.nextInt(accounts.size())),
                            1 + random.nextInt(1000),
                            Address.ZERO);
            made.add(
                    BlockTransaction.of(
                            SignedTransaction.of(payment, Bytes.of(bytes(64))), ApplyData.ZERO));
        }
        return made;
    }

    private static Address address(int number, SplittableRandom random) {
        var bytes = new byte[Address.BYTES];
        random.nextBytes(bytes);
        bytes[0] ^= (byte) number;
        return Address.of(bytes, 0);
    }

    private Digest digest() {
        return Digest.of(bytes(Digest.BYTES), 0);
    }

    private byte[] bytes(int count) {
        var bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
