package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.txn.AssetFreeze;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

/** Stopping and releasing a holding (validation.md 11.7). */
final class ApplyAssetFreeze {
    private ApplyAssetFreeze() {}

    static @Nullable Refusal apply(WorkingState state, AssetFreeze txn) {
        AssetRecord asset = state.asset(txn.asset());
        if (asset == null) {
            return Reason.ASSET_ABSENT.refusal(txn.asset());
        }
        Address freeze = asset.params().freeze();
        Address sender = txn.header().sender();
        if (freeze.isZero() || !freeze.equals(sender)) {
            return Reason.FREEZE_NOT_ALLOWED.refusal(sender, freeze);
        }
        Holding holding = state.holding(txn.account(), txn.asset());
        if (holding == null) {
            return Reason.FREEZE_ABSENT.refusal();
        }
        state.putHolding(txn.account(), txn.asset(), holding.withFrozen(txn.frozen()));
        return null;
    }
}
