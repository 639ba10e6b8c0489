package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;

import java.util.List;

/**
 * All that one block changed. The same block gives the same delta, byte for byte: changes are in
 * order of their keys, ids and leases in order of their transactions.
 *
 * @param round the block's
 * @param accounts by address; a record that became {@link Account#EMPTY} is gone
 * @param holdings by address, then asset
 * @param assets by number
 * @param ids of the block's transactions
 * @param leases taken by the block's transactions
 * @param totals after the block
 */
public record StateDelta(
        long round,
        List<AccountChange> accounts,
        List<HoldingChange> holdings,
        List<AssetChange> assets,
        List<CommittedId> ids,
        List<Lease> leases,
        AccountTotals totals) {

    public StateDelta {
        accounts = List.copyOf(accounts);
        holdings = List.copyOf(holdings);
        assets = List.copyOf(assets);
        ids = List.copyOf(ids);
        leases = List.copyOf(leases);
    }

    /**
     * An account's record before and after the block; {@link Account#EMPTY} stands for none.
     *
     * @param turn its place among the first writes to accounts, holdings and assets, which is the
     *     order in which the reference tells of them; 0 where nobody evaluated anything
     */
    public record AccountChange(Address address, Account before, Account after, int turn) {
        public AccountChange(Address address, Account before, Account after) {
            this(address, before, after, 0);
        }
    }

    /** A holding before and after the block; null stands for none. */
    public record HoldingChange(
            Address address,
            long asset,
            @Nullable Holding before,
            @Nullable Holding after,
            int turn) {
        public HoldingChange(
                Address address, long asset, @Nullable Holding before, @Nullable Holding after) {
            this(address, asset, before, after, 0);
        }
    }

    /** An asset before and after the block; null stands for none. */
    public record AssetChange(
            long asset, @Nullable AssetRecord before, @Nullable AssetRecord after, int turn) {
        public AssetChange(long asset, @Nullable AssetRecord before, @Nullable AssetRecord after) {
            this(asset, before, after, 0);
        }
    }

    /** A transaction that may not be committed again before its last valid round has passed. */
    public record CommittedId(Digest id, long lastValid) {}

    /** A lease, held up to and including {@code lastValid}. */
    public record Lease(Address sender, Digest lease, long lastValid) {}
}
