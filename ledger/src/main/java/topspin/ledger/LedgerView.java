package topspin.ledger;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.OnlineStake.RoundSums;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.StoredForm;
import topspin.ledger.store.Column;
import topspin.ledger.store.LedgerStore;
import topspin.ledger.store.Recovery.Link;
import topspin.ledger.store.StoreFault;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The state at the end of a round. Never changes; any thread may read it, also while the writer
 * goes on: it reads a snapshot of the store, and caches that know which round an entry belongs to.
 *
 * <p>A view is for one piece of work, such as a request or a block. The latest one can always be
 * read. An older one can be read for {@link Ledger#VIEW_NANOS} after it was superseded, or a little
 * longer; unless {@link Ledger#VIEWS_MAX} rounds have passed before. Then its reads throw {@link
 * topspin.ledger.store.SnapshotClosed}: take the next view and start again.
 */
public final class LedgerView implements RoundState {
    /** A transaction that is in no block. */
    public static final long NOT_COMMITTED = -1;

    /**
     * How far ahead an id is looked for that comes without its last valid round. Public versions
     * let a transaction live for 1,000 rounds; of a private one's longer lives the far end is not
     * searched.
     */
    private static final long SEARCHED_ROUNDS_MAX = 10_000;

    private static final ThreadLocal<StoredForm> FORM = ThreadLocal.withInitial(StoredForm::new);

    /** What all views of a ledger share. */
    record Shared(
            Genesis genesis,
            ConsensusVersions versions,
            Headers headers,
            RecordCache<Address, Account> accounts,
            TxTail tail,
            OnlineStake stake) {}

    /** One asset that an account is opted in to. */
    public record AssetHolding(long asset, Holding holding) {}

    private final Shared shared;
    private final LedgerStore.Snapshot snapshot;
    private final Link link;
    private final RoundSums sums;
    private final long first;
    private final ConsensusParams params;

    LedgerView(
            Shared shared, LedgerStore.Snapshot snapshot, Link link, RoundSums sums, long first) {
        this.shared = shared;
        this.snapshot = snapshot;
        this.link = link;
        this.sums = sums;
        this.first = first;
        this.params = requireNonNull(shared.versions.get(link.header().protocol()));
    }

    @Override
    public long round() {
        return link.header().round();
    }

    @Override
    public BlockHeader header() {
        return link.header();
    }

    @Override
    public Digest headerHash() {
        return link.hash();
    }

    /** The first round whose block is kept. */
    public long firstRound() {
        return first;
    }

    public Genesis genesis() {
        return shared.genesis;
    }

    /** The rules of this round's block. */
    public ConsensusParams params() {
        return params;
    }

    @Override
    public BlockHeader header(long round) {
        return link(round).header();
    }

    /**
     * The hash of the header of a round up to this one.
     *
     * @throws RoundNotKept when it is pruned
     * @throws IllegalArgumentException when the round lies ahead
     */
    public Digest headerHash(long round) {
        return link(round).hash();
    }

    private Link link(long round) {
        if (round < 0 || round > round()) {
            throw new IllegalArgumentException(
                    "round " + Long.toUnsignedString(round) + " lies ahead of " + round());
        }
        Link recent = shared.headers.get(round);
        if (recent != null) {
            return recent;
        }
        if (round < first) {
            throw new RoundNotKept(round, first);
        }
        byte[] bytes = snapshot.get(Column.HEADERS, Column.number(round));
        if (bytes == null) {
            throw StoreFault.damaged("no header of round " + round, null);
        }
        try {
            return new Link(
                    new BlockDecoder().decodeHeader(bytes),
                    Digest.fromBytes(Sha512_256.digest(Domain.BH, bytes)));
        } catch (MalformedMessage malformed) {
            throw damaged("header of round " + round, malformed);
        }
    }

    @Override
    public AccountTotals totals() {
        return sums.totals();
    }

    /**
     * Sums over all accounts at the end of a round that agreement may look back to.
     *
     * @throws RoundNotKept when it is further back
     */
    public AccountTotals totals(long round) {
        return sums(round).totals();
    }

    // Accounts and assets.

    @Override
    public Account account(Address address) {
        Account known = shared.accounts.get(address, round());
        if (known != null) {
            return known;
        }
        byte[] value = snapshot.get(Column.ACCOUNTS, Column.address(address));
        Account read = value == null ? Account.EMPTY : decodeAccount(address, value);
        shared.accounts.add(address, read, round());
        return read;
    }

    private static Account decodeAccount(Address address, byte[] value) {
        try {
            return FORM.get().decodeAccount(value);
        } catch (MalformedMessage malformed) {
            throw damaged("account " + address, malformed);
        }
    }

    @Override
    public @Nullable Holding holding(Address address, long asset) {
        byte[] value = snapshot.get(Column.HOLDINGS, Column.holding(address, asset));
        return value == null ? null : decodeHolding(address, value);
    }

    /**
     * What an account holds, in order of asset.
     *
     * @param after assets with a greater number only; 0 for all
     * @param max most entries to read
     */
    public List<AssetHolding> holdings(Address address, long after, int max) {
        List<AssetHolding> found = new ArrayList<>();
        if (max <= 0 || after == -1L) {
            return found;
        }
        snapshot.scan(
                Column.HOLDINGS,
                Column.holding(address, after + 1),
                null,
                (key, value) -> {
                    if (!address.isAt(key, 0)) {
                        return false;
                    }
                    found.add(
                            new AssetHolding(
                                    Column.numberAt(key, Address.BYTES),
                                    decodeHolding(address, value)));
                    return found.size() < max;
                });
        return found;
    }

    private static Holding decodeHolding(Address address, byte[] value) {
        try {
            return FORM.get().decodeHolding(value);
        } catch (MalformedMessage malformed) {
            throw damaged("holding of " + address, malformed);
        }
    }

    @Override
    public @Nullable AssetRecord asset(long asset) {
        byte[] value = snapshot.get(Column.ASSETS, Column.number(asset));
        if (value == null) {
            return null;
        }
        try {
            return FORM.get().decodeAsset(value);
        } catch (MalformedMessage malformed) {
            throw damaged("asset " + Long.toUnsignedString(asset), malformed);
        }
    }

    // Transactions.

    @Override
    public boolean isCommitted(Digest id, long lastValid) {
        return committedRound(id, lastValid) != NOT_COMMITTED;
    }

    /**
     * The round that a transaction was committed in, or {@link #NOT_COMMITTED}. Known until 1,000
     * rounds after its last valid one.
     */
    public long committedRound(Digest id, long lastValid) {
        return shared.tail.committed(id, lastValid, round(), snapshot);
    }

    /**
     * The same for a transaction of which only the id is known: looks at each last valid round that
     * it may have had, up to 10,000 ahead, which takes some milliseconds.
     */
    public long committedRound(Digest id) {
        long farthest = round() + Math.min(params.maxTxnLife(), SEARCHED_ROUNDS_MAX);
        for (long lastValid = farthest;
                lastValid >= Math.max(0, round() - TxTail.IDS_LINGER_ROUNDS);
                lastValid--) {
            long committed = committedRound(id, lastValid);
            if (committed != NOT_COMMITTED) {
                return committed;
            }
        }
        return NOT_COMMITTED;
    }

    @Override
    public long leaseUntil(Address sender, Digest lease) {
        return TxTail.leaseUntil(sender, lease, snapshot);
    }

    // Agreement's look-back.

    @Override
    public Account online(Address address, long round) {
        requireHistory(round);
        return shared.stake.online(address, round, round(), snapshot, this::account);
    }

    @Override
    public void forEachOnline(long round, BiConsumer<Address, Account> action) {
        requireHistory(round);
        OnlineStake.forEachOnline(round, round(), snapshot, this::account, action);
    }

    @Override
    public long circulation(long round, long voteRound) {
        RoundSums at = sums(round);
        long online = at.totals().online().money();
        if (round == 0) {
            return online;
        }
        if (at.limit() == voteRound) {
            return online - at.expiring().stakeAt(at.totals().rewardsLevel());
        }
        long level = at.totals().rewardsLevel();
        var expiring = new long[1];
        forEachOnline(
                round,
                (address, account) -> {
                    long voteLast = account.participation().voteLast();
                    if (voteLast != 0 && Long.compareUnsigned(voteLast, voteRound) < 0) {
                        expiring[0] += account.balanceAt(level, params.rewardUnit());
                    }
                });
        return online - expiring[0];
    }

    private RoundSums sums(long round) {
        if (round == round()) {
            return sums;
        }
        requireHistory(round);
        return OnlineStake.sums(round, snapshot);
    }

    private void requireHistory(long round) {
        if (round < 0 || round > round()) {
            throw new IllegalArgumentException(
                    "round " + Long.toUnsignedString(round) + " lies ahead of " + round());
        }
        long oldest = Math.max(0, round() - OnlineStake.historyRounds(params));
        if (round < oldest) {
            throw new RoundNotKept(round, oldest);
        }
    }

    // The whole state.

    /** SHA-512/256 over all state columns in key order: equal states, equal digests. Reads all. */
    public Digest digest() {
        MessageDigest hash = newHash();
        var length = ByteBuffer.allocate(2 * Integer.BYTES);
        for (Column column : Column.values()) {
            if (!column.isState()) {
                continue;
            }
            hash.update(Column.name(column.name()));
            snapshot.scan(
                    column,
                    new byte[0],
                    null,
                    (key, value) -> {
                        length.putInt(0, key.length).putInt(Integer.BYTES, value.length);
                        hash.update(length.array());
                        hash.update(key);
                        hash.update(value);
                        return true;
                    });
        }
        return Digest.fromBytes(hash.digest());
    }

    private static MessageDigest newHash() {
        try {
            return MessageDigest.getInstance("SHA-512/256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new LinkageError("every JDK has it", impossible);
        }
    }

    RoundSums sums() {
        return sums;
    }

    /** By the ledger, when the view is too old. */
    void close() {
        snapshot.close();
    }

    private static StoreFault damaged(String what, MalformedMessage malformed) {
        return StoreFault.damaged(what + ": " + malformed.getMessage(), malformed);
    }
}
