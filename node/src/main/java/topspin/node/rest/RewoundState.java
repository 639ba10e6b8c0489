package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.ledger.StateDelta;
import topspin.ledger.StateDelta.AccountChange;
import topspin.ledger.StateDelta.AssetChange;
import topspin.ledger.StateDelta.HoldingChange;
import topspin.ledger.account.Account;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.StateReader;

import java.util.HashMap;
import java.util.Map;

/**
 * The state at the end of an earlier round: the latest one, without what changed since. For one
 * thread.
 */
final class RewoundState implements StateReader {
    private record Place(Address address, long asset) {}

    private final StateReader latest;
    private final Map<Address, AccountChange> accounts = new HashMap<>();
    private final Map<Place, HoldingChange> holdings = new HashMap<>();
    private final Map<Long, AssetChange> assets = new HashMap<>();

    RewoundState(StateReader latest) {
        this.latest = latest;
    }

    /** Goes back by one more round, whose changes these are. */
    void undo(StateDelta delta) {
        delta.accounts().forEach(change -> accounts.put(change.address(), change));
        delta.holdings()
                .forEach(
                        change ->
                                holdings.put(new Place(change.address(), change.asset()), change));
        delta.assets().forEach(change -> assets.put(change.asset(), change));
    }

    @Override
    public Account account(Address address) {
        AccountChange changed = accounts.get(address);
        return changed != null ? changed.before() : latest.account(address);
    }

    @Override
    public @Nullable Holding holding(Address address, long asset) {
        HoldingChange changed = holdings.get(new Place(address, asset));
        return changed != null ? changed.before() : latest.holding(address, asset);
    }

    @Override
    public @Nullable AssetRecord asset(long asset) {
        AssetChange changed = assets.get(asset);
        return changed != null ? changed.before() : latest.asset(asset);
    }
}
