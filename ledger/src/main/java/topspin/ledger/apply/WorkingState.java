package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.ledger.account.Account;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.StateReader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The state while a block is being evaluated: what the block has changed so far, over the state
 * below it. For one thread.
 *
 * <p>A group is all or nothing: between {@link #begin} and {@link #commit} or {@link #rollback}
 * each first write to a cell notes the old value in a journal, so that undoing costs what was
 * written, and a group that succeeds costs no copy. Groups do not nest.
 */
public final class WorkingState implements StateReader {
    /** Cells that were read and never written: beyond so many they are forgotten. */
    private static final int CLEAN_CELLS_MAX = 1 << 17;

    private static final int CAPACITY_MIN = 1024;

    /**
     * One thing of the state: as it was below the block, as it is now, as it was before the group.
     */
    private abstract static sealed class Cell<V extends @Nullable Object> {
        final V before;
        V now;
        V saved;

        /** The group that last wrote it; its value before that is in {@code saved}. */
        int writer;

        boolean written;
        boolean savedWritten;

        /** Its place among the first writes to all cells. */
        int turn;

        Cell(V before) {
            this.before = before;
            this.now = before;
            this.saved = before;
        }

        /** Whatever group wrote it last has ended. */
        void copyTo(Cell<V> other) {
            other.now = now;
            other.written = written;
            other.turn = turn;
        }
    }

    private static final class AccountCell extends Cell<Account> {
        final Address address;

        AccountCell(Address address, Account before) {
            super(before);
            this.address = address;
        }
    }

    private static final class HoldingCell extends Cell<@Nullable Holding> {
        final HoldingKey key;

        @SuppressWarnings("NullAway") // It does not follow a nullable type argument.
        HoldingCell(HoldingKey key, @Nullable Holding before) {
            super(before);
            this.key = key;
        }
    }

    private static final class AssetCell extends Cell<@Nullable AssetRecord> {
        final long asset;

        @SuppressWarnings("NullAway") // It does not follow a nullable type argument.
        AssetCell(long asset, @Nullable AssetRecord before) {
            super(before);
            this.asset = asset;
        }
    }

    private record HoldingKey(Address address, long asset) implements Comparable<HoldingKey> {
        @Override
        public int compareTo(HoldingKey that) {
            int byAddress = address.compareTo(that.address);
            return byAddress != 0 ? byAddress : Long.compareUnsigned(asset, that.asset);
        }
    }

    private final StateReader base;

    /** Open addressing over the salted hash of the address, at most half full. */
    private @Nullable AccountCell[] accounts = new AccountCell[CAPACITY_MIN];

    private int accountCells;
    private int accountCellsWritten;

    private final Map<HoldingKey, HoldingCell> holdings = new HashMap<>();
    private final Map<Long, AssetCell> assets = new HashMap<>();

    /** Cells written by the open group, in order of their first write. */
    private final ArrayList<Cell<?>> journal = new ArrayList<>();

    private int group;
    private int turns;
    private int turnsBeforeGroup;
    private boolean open;

    public WorkingState(StateReader base) {
        this.base = base;
    }

    /**
     * The same state, which from here on goes its own way. No group may be open. What was read and
     * never written is left out, and read again.
     */
    public WorkingState copy() {
        assert !open : "a group is open";
        WorkingState copy = new WorkingState(base);
        copy.group = group;
        copy.turns = turns;
        for (AccountCell cell : accounts) {
            if (cell != null && cell.written) {
                cell.copyTo(copy.newCell(cell.address, cell.before));
                copy.accountCellsWritten++;
            }
        }
        for (HoldingCell cell : holdings.values()) {
            if (cell.written) {
                var fresh = new HoldingCell(cell.key, cell.before);
                cell.copyTo(fresh);
                copy.holdings.put(cell.key, fresh);
            }
        }
        for (AssetCell cell : assets.values()) {
            if (cell.written) {
                var fresh = new AssetCell(cell.asset, cell.before);
                cell.copyTo(fresh);
                copy.assets.put(cell.asset, fresh);
            }
        }
        return copy;
    }

    @Override
    public Account account(Address address) {
        return cell(address).now;
    }

    @Override
    public @Nullable Holding holding(Address address, long asset) {
        return holdingCell(address, asset).now;
    }

    @Override
    public @Nullable AssetRecord asset(long asset) {
        return assetCell(asset).now;
    }

    /** Opens a group: what is written from here on stays or goes together. */
    public void begin() {
        assert !open : "a group is open";
        open = true;
        group++;
        turnsBeforeGroup = turns;
    }

    /** Keeps what the group wrote. */
    public void commit() {
        assert open : "no group is open";
        open = false;
        journal.clear();
    }

    /** Undoes what the group wrote. */
    public void rollback() {
        assert open : "no group is open";
        open = false;
        for (int i = 0; i < journal.size(); i++) {
            undo(journal.get(i));
        }
        journal.clear();
        turns = turnsBeforeGroup; // Else what was refused would show in what is kept.
        if (accountCells - accountCellsWritten > CLEAN_CELLS_MAX) {
            forgetCleanAccounts();
        }
        if (holdings.size() > CLEAN_CELLS_MAX) {
            holdings.values().removeIf(cell -> !cell.written);
        }
        if (assets.size() > CLEAN_CELLS_MAX) {
            assets.values().removeIf(cell -> !cell.written);
        }
    }

    /** Replaces an account's record. */
    public void putAccount(Address address, Account account) {
        AccountCell cell = cell(address);
        if (!cell.written) {
            accountCellsWritten++;
        }
        note(cell);
        cell.now = account;
    }

    /** Replaces a holding; null takes it away. The caller keeps the account's count right. */
    @SuppressWarnings("NullAway") // It does not follow a nullable type argument.
    public void putHolding(Address address, long asset, @Nullable Holding holding) {
        HoldingCell cell = holdingCell(address, asset);
        note(cell);
        cell.now = holding;
    }

    /** Replaces an asset; null destroys it. The caller keeps the creator's counts right. */
    @SuppressWarnings("NullAway") // It does not follow a nullable type argument.
    public void putAsset(long asset, @Nullable AssetRecord record) {
        AssetCell cell = assetCell(asset);
        note(cell);
        cell.now = record;
    }

    /** Looks at an account that was written. */
    @FunctionalInterface
    public interface AccountVisitor<R> {
        /** Null goes on to the next account. */
        @Nullable R visit(Address address, Account account);
    }

    /**
     * Shows the accounts that the open group has written so far, in order of their first write,
     * until the visitor answers.
     */
    public <R> @Nullable R firstOfGroup(AccountVisitor<R> visitor) {
        for (int i = 0; i < journal.size(); i++) {
            if (journal.get(i) instanceof AccountCell cell) {
                R answer = visitor.visit(cell.address, cell.now);
                if (answer != null) {
                    return answer;
                }
            }
        }
        return null;
    }

    /** Takes what the open group has written, each with its place among the first writes. */
    public interface GroupVisitor {
        void account(int turn, Address address, Account before, Account after);

        void holding(
                int turn,
                Address address,
                long asset,
                @Nullable Holding before,
                @Nullable Holding after);

        void asset(int turn, long asset, @Nullable AssetRecord before, @Nullable AssetRecord after);
    }

    /** Shows what the open group has written so far, in order of first writes. */
    public void forEachOfGroup(GroupVisitor visitor) {
        for (int i = 0; i < journal.size(); i++) {
            switch (journal.get(i)) {
                case AccountCell cell -> visitor.account(i, cell.address, cell.saved, cell.now);
                case HoldingCell cell ->
                        visitor.holding(i, cell.key.address, cell.key.asset, cell.saved, cell.now);
                case AssetCell cell -> visitor.asset(i, cell.asset, cell.saved, cell.now);
            }
        }
    }

    /** Something of the state as it was below the block and as it is now. */
    @FunctionalInterface
    public interface ChangeVisitor<K, V extends @Nullable Object> {
        void visit(K key, V before, V after);
    }

    /** Shows the accounts that were written, by address. */
    public void forEachAccount(ChangeVisitor<Address, Account> visitor) {
        AccountCell[] written = new AccountCell[accountCellsWritten];
        int count = 0;
        for (AccountCell cell : accounts) {
            if (cell != null && cell.written) {
                written[count++] = cell;
            }
        }
        assert count == written.length : count + " of " + written.length;
        Arrays.sort(written, Comparator.comparing(cell -> cell.address));
        for (AccountCell cell : written) {
            visitor.visit(cell.address, cell.before, cell.now);
        }
    }

    /** A holding as it was below the block and as it is now; null when there is none. */
    @FunctionalInterface
    public interface HoldingVisitor {
        void visit(Address address, long asset, @Nullable Holding before, @Nullable Holding after);
    }

    /** Shows the holdings that were written, by address, then asset. */
    public void forEachHolding(HoldingVisitor visitor) {
        List<HoldingCell> written =
                new ArrayList<>(holdings.values().stream().filter(cell -> cell.written).toList());
        written.sort(Comparator.comparing(cell -> cell.key));
        for (HoldingCell cell : written) {
            visitor.visit(cell.key.address, cell.key.asset, cell.before, cell.now);
        }
    }

    /** Shows the assets that were written, by number. */
    public void forEachAsset(ChangeVisitor<Long, @Nullable AssetRecord> visitor) {
        List<AssetCell> written =
                new ArrayList<>(assets.values().stream().filter(cell -> cell.written).toList());
        written.sort((a, b) -> Long.compareUnsigned(a.asset, b.asset));
        for (AssetCell cell : written) {
            visitor.visit(cell.asset, cell.before, cell.now);
        }
    }

    /**
     * The place of an account that was written among all first writes of groups that were kept:
     * what was written earlier has a smaller one.
     */
    public int turn(Address address) {
        return cell(address).turn;
    }

    /** The same of a holding. */
    public int turn(Address address, long asset) {
        return holdingCell(address, asset).turn;
    }

    /** The same of an asset. */
    public int turn(long asset) {
        return assetCell(asset).turn;
    }

    private <V extends @Nullable Object> void note(Cell<V> cell) {
        assert open : "written outside a group";
        if (cell.writer != group) {
            cell.writer = group;
            cell.saved = cell.now;
            cell.savedWritten = cell.written;
            if (!cell.written) {
                cell.written = true;
                cell.turn = ++turns;
            }
            journal.add(cell);
        }
    }

    private <V extends @Nullable Object> void undo(Cell<V> cell) {
        cell.now = cell.saved;
        cell.written = cell.savedWritten;
        cell.writer = 0;
        if (cell instanceof AccountCell && !cell.written) {
            accountCellsWritten--;
        }
    }

    private AccountCell cell(Address address) {
        int mask = accounts.length - 1;
        int slot = address.hashCode() & mask;
        AccountCell held = accounts[slot];
        while (held != null) {
            if (held.address.equals(address)) {
                return held;
            }
            slot = (slot + 1) & mask;
            held = accounts[slot];
        }
        return newCell(address, base.account(address));
    }

    /** The address must not be there yet. */
    private AccountCell newCell(Address address, Account before) {
        AccountCell fresh = new AccountCell(address, before);
        if (2 * (accountCells + 1) > accounts.length) {
            rehash(accounts.length * 2, false);
        }
        int mask = accounts.length - 1;
        int slot = address.hashCode() & mask;
        while (accounts[slot] != null) {
            slot = (slot + 1) & mask;
        }
        accounts[slot] = fresh;
        accountCells++;
        return fresh;
    }

    private void forgetCleanAccounts() {
        rehash(accounts.length, true);
    }

    private void rehash(int capacity, boolean writtenOnly) {
        @Nullable AccountCell[] old = accounts;
        accounts = new AccountCell[capacity];
        accountCells = 0;
        int mask = capacity - 1;
        for (AccountCell cell : old) {
            if (cell == null || (writtenOnly && !cell.written)) {
                continue;
            }
            int slot = cell.address.hashCode() & mask;
            while (accounts[slot] != null) {
                slot = (slot + 1) & mask;
            }
            accounts[slot] = cell;
            accountCells++;
        }
    }

    private HoldingCell holdingCell(Address address, long asset) {
        return holdings.computeIfAbsent(
                new HoldingKey(address, asset),
                key -> new HoldingCell(key, base.holding(address, asset)));
    }

    private AssetCell assetCell(long asset) {
        return assets.computeIfAbsent(asset, key -> new AssetCell(asset, base.asset(asset)));
    }
}
