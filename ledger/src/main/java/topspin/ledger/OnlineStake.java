package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.params.ConsensusParams;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.Status;
import topspin.ledger.account.StoredForm;
import topspin.ledger.store.Column;
import topspin.ledger.store.LedgerStore;
import topspin.ledger.store.StoreFault;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Who was online at the end of an earlier round, with which keys and how much: agreement on a round
 * looks back 320 rounds, so that nobody can buy votes once the lot is known (agreement.md section
 * 1.2).
 *
 * <p>The past is kept as what changed: {@code stake} holds the record that each account had
 * <em>before</em> a round, if it was online before or after it. The record at the end of round r is
 * the one before the first later change, or else today's. Old rounds go in one piece.
 *
 * <pre>
 *   online(a, r):   r          r+1        r+2        ...   view's round
 *                   ▲           –        before(a) ◄── first found
 * </pre>
 *
 * <p>Stake whose keys run out before the vote does not count. Its sum is carried along from round
 * to round, for the look-back of the round's rules; {@code expiries} has it by last voting round.
 * One writer; any thread reads.
 */
final class OnlineStake {
    /** Rounds kept beyond the look-back, for those who are a little behind. */
    private static final int SLACK_ROUNDS = 80;

    private static final int LOOKUPS_CACHED = 16_384;

    private record Lookup(long round, Address address) {}

    /** What was asked before. The past does not change, so all views share it. */
    private final RecordCache<Lookup, Account> lookups = new RecordCache<>(LOOKUPS_CACHED, 0);

    private final StoredForm form = new StoredForm();
    private final CanonicalWriter out = new CanonicalWriter(128);

    /**
     * Sums after a round.
     *
     * @param totals over all accounts
     * @param expiring over the online accounts with 0 &lt; last voting round &lt; {@code limit}
     * @param limit the round for which agreement asks that: this one and the look-back
     */
    record RoundSums(AccountTotals totals, Sums expiring, long limit) {
        static final RoundSums NONE = new RoundSums(AccountTotals.ZERO, Sums.ZERO, 0);
    }

    /**
     * Enough to tell the stake of a set of accounts at any level of rewards. All modulo 2^64: the
     * stake itself fits, so it comes out right.
     *
     * @param money stored balances
     * @param units whole reward units of each
     * @param credited units times the level up to which each has been paid
     */
    record Sums(long money, long units, long credited) {
        static final Sums ZERO = new Sums(0, 0, 0);

        static Sums of(Account account, long rewardUnit) {
            long units = Long.divideUnsigned(account.balance(), rewardUnit);
            return new Sums(account.balance(), units, units * account.rewardsBase());
        }

        Sums plus(Sums that) {
            return new Sums(money + that.money, units + that.units, credited + that.credited);
        }

        Sums minus(Sums that) {
            return new Sums(money - that.money, units - that.units, credited - that.credited);
        }

        long stakeAt(long level) {
            return money + units * level - credited;
        }
    }

    /** Rounds back from the latest for which stake can be looked up. */
    static long historyRounds(ConsensusParams params) {
        return Math.max(params.balanceLookback(), params.maxBalLookback()) + SLACK_ROUNDS;
    }

    // Reading. The snapshot is that of a view at round `latest`; `today` reads its accounts.

    /** The record an account had at the end of a round if it was online then, or EMPTY. */
    Account online(
            Address address,
            long round,
            long latest,
            LedgerStore.Snapshot snapshot,
            Function<Address, Account> today) {
        if (round == latest) {
            return ifOnline(today.apply(address));
        }
        var lookup = new Lookup(round, address);
        Account known = lookups.get(lookup, 0);
        if (known != null) {
            return known;
        }
        Account found = null;
        for (long later = round + 1; later <= latest && found == null; later++) {
            byte[] before = snapshot.get(Column.STAKE, Column.stake(later, address));
            found = before == null ? null : decodeAccount(before);
        }
        Account record = ifOnline(found == null ? today.apply(address) : found);
        lookups.add(lookup, record, 0);
        return record;
    }

    /** Shows all that were online at the end of a round, in order of address. */
    static void forEachOnline(
            long round,
            long latest,
            LedgerStore.Snapshot snapshot,
            Function<Address, Account> today,
            BiConsumer<Address, Account> action) {
        NavigableMap<Address, Account> changed = new TreeMap<>();
        snapshot.scan(
                Column.STAKE,
                Column.number(round + 1),
                Column.number(latest + 1),
                (key, before) -> {
                    changed.putIfAbsent(Address.of(key, Long.BYTES), decodeAccount(before));
                    return true;
                });
        snapshot.scan(
                Column.ONLINE,
                new byte[0],
                null,
                (key, nothing) -> {
                    Address address = Address.of(key, 0);
                    showUpTo(address, changed, action);
                    if (!changed.isEmpty() && changed.firstKey().equals(address)) {
                        show(changed.pollFirstEntry(), action);
                    } else {
                        action.accept(address, today.apply(address));
                    }
                    return true;
                });
        showUpTo(null, changed, action);
    }

    /** Shows and removes what lies before an address; null means all. */
    private static void showUpTo(
            @Nullable Address limit,
            NavigableMap<Address, Account> changed,
            BiConsumer<Address, Account> action) {
        while (!changed.isEmpty() && (limit == null || changed.firstKey().compareTo(limit) < 0)) {
            show(changed.pollFirstEntry(), action);
        }
    }

    private static void show(
            Map.Entry<Address, Account> entry, BiConsumer<Address, Account> action) {
        if (entry.getValue().status() == Status.ONLINE) {
            action.accept(entry.getKey(), entry.getValue());
        }
    }

    /** The sums after a round. */
    static RoundSums sums(long round, LedgerStore.Snapshot snapshot) {
        byte[] value = snapshot.get(Column.TOTALS, Column.number(round));
        if (value == null) {
            throw StoreFault.damaged("no totals of round " + round, null);
        }
        return decodeRoundSums(value);
    }

    private static Account ifOnline(Account account) {
        return account.status() == Status.ONLINE ? account : Account.EMPTY;
    }

    // Writing.

    /** Puts a round's history into the batch; returns the sums after it. */
    RoundSums write(
            StateDelta delta,
            RoundSums previous,
            ConsensusParams params,
            LedgerStore.Snapshot before,
            LedgerStore.Batch batch) {
        NavigableMap<Long, Sums> rises = new TreeMap<>(Long::compareUnsigned);
        for (StateDelta.AccountChange change : delta.accounts()) {
            boolean was = change.before().status() == Status.ONLINE;
            boolean is = change.after().status() == Status.ONLINE;
            if (!was && !is) {
                continue;
            }
            batch.put(
                    Column.STAKE,
                    Column.stake(delta.round(), change.address()),
                    form.encode(was ? change.before() : Account.EMPTY));
            if (was) {
                var sums = Sums.of(change.before(), params.rewardUnit());
                rises.merge(
                        change.before().participation().voteLast(),
                        Sums.ZERO.minus(sums),
                        Sums::plus);
            }
            if (is) {
                var sums = Sums.of(change.after(), params.rewardUnit());
                rises.merge(change.after().participation().voteLast(), sums, Sums::plus);
            }
            byte[] key = Column.address(change.address());
            if (is && !was) {
                batch.put(Column.ONLINE, key, NOTHING);
            } else if (was && !is) {
                batch.delete(Column.ONLINE, key);
            }
        }
        NavigableMap<Long, Sums> rows = new TreeMap<>(Long::compareUnsigned);
        rises.forEach(
                (voteLast, rise) -> {
                    byte[] key = Column.number(voteLast);
                    byte[] row = before.get(Column.EXPIRIES, key);
                    Sums sums = row == null ? rise : decodeSums(row).plus(rise);
                    rows.put(voteLast, sums);
                    if (sums.equals(Sums.ZERO)) {
                        batch.delete(Column.EXPIRIES, key);
                    } else {
                        batch.put(Column.EXPIRIES, key, encode(sums));
                    }
                });
        long limit = delta.round() + params.balanceLookback();
        Sums expiring = previous.expiring;
        for (Sums rise : within(rises, 1, previous.limit).values()) {
            expiring = expiring.plus(rise);
        }
        // The look-back of the rules at hand may differ from that of the round before.
        if (limit >= previous.limit) {
            for (Sums row : rows(previous.limit, limit, rows, before).values()) {
                expiring = expiring.plus(row);
            }
        } else {
            for (Sums row : rows(limit, previous.limit, rows, before).values()) {
                expiring = expiring.minus(row);
            }
        }
        var sums = new RoundSums(delta.totals(), expiring, limit);
        batch.put(Column.TOTALS, Column.number(delta.round()), encode(sums));
        long forgotten = delta.round() - historyRounds(params);
        if (forgotten > 0) {
            TxTail.deleteAll(Column.STAKE, forgotten, before, batch);
            batch.delete(Column.TOTALS, Column.number(forgotten - 1));
        }
        return sums;
    }

    /** Rows of {@code expiries} from one round up to another, exclusive, after the changes. */
    private static NavigableMap<Long, Sums> rows(
            long from, long to, NavigableMap<Long, Sums> changed, LedgerStore.Snapshot before) {
        long first = Math.max(from, 1); // A last voting round of 0 never runs out.
        NavigableMap<Long, Sums> rows = new TreeMap<>(Long::compareUnsigned);
        before.scan(
                Column.EXPIRIES,
                Column.number(first),
                Column.number(to),
                (key, value) -> {
                    rows.put(Column.numberAt(key, 0), decodeSums(value));
                    return true;
                });
        rows.putAll(within(changed, first, to));
        return rows;
    }

    private static NavigableMap<Long, Sums> within(
            NavigableMap<Long, Sums> rows, long from, long to) {
        return Long.compareUnsigned(from, to) < 0
                ? rows.subMap(from, true, to, false)
                : new TreeMap<>();
    }

    // Stored forms: lists of unsigned numbers.

    private static final byte[] NOTHING = {(byte) 0xc0};

    private byte[] encode(Sums sums) {
        out.reset();
        write(sums.money, sums.units, sums.credited);
        return out.toByteArray();
    }

    private byte[] encode(RoundSums sums) {
        AccountTotals totals = sums.totals;
        out.reset();
        write(
                totals.online().money(),
                totals.online().rewardUnits(),
                totals.offline().money(),
                totals.offline().rewardUnits(),
                totals.notParticipating().money(),
                totals.notParticipating().rewardUnits(),
                totals.rewardsLevel(),
                sums.expiring.money,
                sums.expiring.units,
                sums.expiring.credited,
                sums.limit);
        return out.toByteArray();
    }

    private void write(long... numbers) {
        out.writeArrayHeader(numbers.length);
        for (long number : numbers) {
            out.writeUint(number);
        }
    }

    private static Sums decodeSums(byte[] value) {
        long[] n = read(value, 3);
        return new Sums(n[0], n[1], n[2]);
    }

    private static RoundSums decodeRoundSums(byte[] value) {
        long[] n = read(value, 11);
        return new RoundSums(
                new AccountTotals(
                        new AccountTotals.Sum(n[0], n[1]),
                        new AccountTotals.Sum(n[2], n[3]),
                        new AccountTotals.Sum(n[4], n[5]),
                        n[6]),
                new Sums(n[7], n[8], n[9]),
                n[10]);
    }

    private static long[] read(byte[] value, int count) {
        try {
            var in = new MsgpackReader().reset(value, 0, value.length);
            var numbers = new long[in.readArrayHeader(count)];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = in.readUint();
            }
            if (numbers.length == count && in.atEnd()) {
                return numbers;
            }
        } catch (MalformedMessage malformed) {
            throw StoreFault.damaged("sums: " + malformed.getMessage(), malformed);
        }
        throw StoreFault.damaged("sums: " + Arrays.toString(value), null);
    }

    private static Account decodeAccount(byte[] value) {
        try {
            return new StoredForm().decodeAccount(value);
        } catch (MalformedMessage malformed) {
            throw StoreFault.damaged("stake: " + malformed.getMessage(), malformed);
        }
    }
}
