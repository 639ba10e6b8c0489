package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.Status;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The simplest round there is: whole maps, copied from round to round. It answers what the ledger's
 * view answers, from plain look-ups, so that the evaluator can be tested without a store.
 */
public final class MemoryState implements RoundState {
    private record HoldingKey(Address address, long asset) {}

    private record LeaseKey(Address sender, Digest lease) {}

    private final @Nullable MemoryState previous;
    private final BlockHeader header;
    private final Digest headerHash;
    private final ConsensusParams params;
    private final Map<Address, Account> accounts = new TreeMap<>();
    private final Map<HoldingKey, Holding> holdings = new HashMap<>();
    private final Map<Long, AssetRecord> assets = new TreeMap<>(Long::compareUnsigned);
    private final Map<Digest, Long> ids = new HashMap<>();
    private final Map<LeaseKey, Long> leases = new HashMap<>();
    private AccountTotals totals = AccountTotals.ZERO;

    private MemoryState(
            @Nullable MemoryState previous, BlockHeader header, ConsensusParams params) {
        this.previous = previous;
        this.header = header;
        this.headerHash = BlockEncoder.hash(header);
        this.params = params;
    }

    /** Round 0 of a network (block.md section 4). */
    public static MemoryState genesis(Genesis genesis, ConsensusVersions versions) {
        ConsensusParams params =
                Objects.requireNonNull(versions.get(genesis.protocol()), genesis.protocol());
        MemoryState state = new MemoryState(null, genesis.block(params).header(), params);
        for (StateDelta.AccountChange change : genesis.delta(params).accounts()) {
            state.put(change.address(), change.after());
        }
        return state;
    }

    /** The round that a block made of this one. */
    public MemoryState after(EvaluatedBlock evaluated, ConsensusVersions versions) {
        BlockHeader next = evaluated.block().header();
        StateDelta delta = evaluated.delta();
        MemoryState state =
                new MemoryState(
                        this,
                        next,
                        Objects.requireNonNull(versions.get(next.protocol()), next.protocol()));
        state.accounts.putAll(accounts);
        state.holdings.putAll(holdings);
        state.assets.putAll(assets);
        ids.forEach((id, last) -> keep(id, last, next.round(), state.ids));
        leases.forEach((lease, last) -> keep(lease, last, next.round(), state.leases));
        for (StateDelta.AccountChange change : delta.accounts()) {
            same(change.before(), account(change.address()));
            if (change.after().isEmpty()) {
                state.accounts.remove(change.address());
            } else {
                state.accounts.put(change.address(), change.after());
            }
        }
        for (StateDelta.HoldingChange change : delta.holdings()) {
            same(change.before(), holding(change.address(), change.asset()));
            put(new HoldingKey(change.address(), change.asset()), change.after(), state.holdings);
        }
        for (StateDelta.AssetChange change : delta.assets()) {
            same(change.before(), asset(change.asset()));
            put(change.asset(), change.after(), state.assets);
        }
        for (StateDelta.CommittedId id : delta.ids()) {
            state.ids.put(id.id(), id.lastValid());
        }
        for (StateDelta.Lease lease : delta.leases()) {
            state.leases.put(new LeaseKey(lease.sender(), lease.lease()), lease.lastValid());
        }
        state.totals = delta.totals();
        state.requireTotals();
        return state;
    }

    private static void same(@Nullable Object told, @Nullable Object known) {
        if (!Objects.equals(told, known)) {
            throw new AssertionError("before: " + told + ", known: " + known);
        }
    }

    private static <K> void keep(K key, long last, long round, Map<K, Long> target) {
        if (Long.compareUnsigned(last, round) > 0) {
            target.put(key, last);
        }
    }

    private static <K, V> void put(K key, @Nullable V value, Map<K, V> target) {
        if (value == null) {
            target.remove(key);
        } else {
            target.put(key, value);
        }
    }

    /** Totals that were kept up to date must be those that a whole count gives. */
    private void requireTotals() {
        AccountTotals counted = AccountTotals.ZERO.atLevel(header.rewardsLevel());
        for (Account account : accounts.values()) {
            counted = counted.plus(account, params.rewardUnit());
        }
        same(totals, counted);
    }

    /** Puts an account here outside any block: for tests that need a state nobody can reach. */
    public void put(Address address, Account account) {
        long unit = params.rewardUnit();
        totals = totals.minus(account(address), unit).plus(account, unit);
        accounts.put(address, account);
    }

    /** All accounts, by address. */
    public Map<Address, Account> accounts() {
        return accounts;
    }

    /** Units of an asset, over all accounts. */
    public long units(long asset) {
        long sum = 0;
        for (Map.Entry<HoldingKey, Holding> entry : holdings.entrySet()) {
            sum += entry.getKey().asset == asset ? entry.getValue().amount() : 0;
        }
        return sum;
    }

    /** All assets, by number. */
    public Map<Long, AssetRecord> assets() {
        return assets;
    }

    @Override
    public Account account(Address address) {
        return accounts.getOrDefault(address, Account.EMPTY);
    }

    @Override
    public @Nullable Holding holding(Address address, long asset) {
        return holdings.get(new HoldingKey(address, asset));
    }

    @Override
    public @Nullable AssetRecord asset(long asset) {
        return assets.get(asset);
    }

    @Override
    public long round() {
        return header.round();
    }

    @Override
    public BlockHeader header() {
        return header;
    }

    @Override
    public Digest headerHash() {
        return headerHash;
    }

    @Override
    public BlockHeader header(long round) {
        return at(round).header;
    }

    @Override
    public AccountTotals totals() {
        return totals;
    }

    @Override
    public boolean isCommitted(Digest id, long lastValid) {
        return ids.containsKey(id);
    }

    @Override
    public long leaseUntil(Address sender, Digest lease) {
        return leases.getOrDefault(new LeaseKey(sender, lease), NO_LEASE);
    }

    @Override
    public Account online(Address address, long round) {
        Account account = at(round).account(address);
        return account.status() == Status.ONLINE ? account : Account.EMPTY;
    }

    @Override
    public void forEachOnline(long round, BiConsumer<Address, Account> action) {
        at(round)
                .accounts
                .forEach(
                        (address, account) -> {
                            if (account.status() == Status.ONLINE) {
                                action.accept(address, account);
                            }
                        });
    }

    @Override
    public long circulation(long round, long voteRound) {
        MemoryState then = at(round);
        long stake = then.totals.online().money();
        if (round == 0) {
            return stake;
        }
        for (Account account : then.accounts.values()) {
            long last = account.participation().voteLast();
            if (account.status() == Status.ONLINE
                    && last != 0
                    && Long.compareUnsigned(last, voteRound) < 0) {
                stake -= account.balanceAt(then.header.rewardsLevel(), then.params.rewardUnit());
            }
        }
        return stake;
    }

    private MemoryState at(long round) {
        MemoryState state = this;
        while (state.round() != round) {
            if (state.previous == null || round > state.round()) {
                throw new IllegalArgumentException("no round " + round + " below " + round());
            }
            state = state.previous;
        }
        return state;
    }
}
