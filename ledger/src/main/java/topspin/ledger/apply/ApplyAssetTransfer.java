package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.txn.AssetTransfer;
import topspin.ledger.account.Account;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.Uint64;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

/**
 * Transfers, opt-ins, close-outs and clawbacks of assets: all that apply run in one transaction, in
 * this order (validation.md 11.6).
 */
final class ApplyAssetTransfer {
    private ApplyAssetTransfer() {}

    static @Nullable Refusal apply(
            WorkingState state, BlockContext block, AssetTransfer txn, Effects effects) {
        Address sender = txn.header().sender();
        boolean clawback = !txn.assetSender().isZero();
        Address source = clawback ? txn.assetSender() : sender;
        Refusal refusal = clawback ? mayClawBack(state, txn, sender) : optIn(state, block, txn);
        if (refusal != null) {
            return refusal;
        }
        refusal = move(state, txn.asset(), txn.amount(), source, txn.receiver(), clawback);
        if (refusal != null) {
            return refusal;
        }
        return txn.closeTo().isZero() ? null : closeOut(state, txn, source, effects);
    }

    private static @Nullable Refusal mayClawBack(
            WorkingState state, AssetTransfer txn, Address sender) {
        AssetRecord asset = state.asset(txn.asset());
        if (asset == null) {
            return Reason.ASSET_ABSENT.refusal(txn.asset());
        }
        Address clawback = asset.params().clawback();
        return clawback.isZero() || !clawback.equals(sender)
                ? Reason.ASSET_CLAWBACK.refusal(sender, clawback)
                : null;
    }

    /** Nothing sent to oneself: asks for a holding, if there is none yet. */
    private static @Nullable Refusal optIn(
            WorkingState state, BlockContext block, AssetTransfer txn) {
        Address sender = txn.header().sender();
        if (txn.amount() != 0
                || !txn.receiver().equals(sender)
                || state.holding(sender, txn.asset()) != null) {
            return null;
        }
        AssetRecord asset = state.asset(txn.asset());
        if (asset == null) {
            return Reason.ASSET_ABSENT.refusal(txn.asset());
        }
        Account account = state.account(sender);
        Refusal full = ApplyAssetConfig.roomForOneMore(account, block.params());
        if (full != null) {
            return full;
        }
        state.putAccount(sender, account.withResources(account.resources().plusAssets(1, 0)));
        state.putHolding(sender, txn.asset(), new Holding(0, asset.params().defaultFrozen()));
        return null;
    }

    /** Nothing moves without any look-up, so that it may be "sent" to anyone. */
    private static @Nullable Refusal move(
            WorkingState state,
            long asset,
            long amount,
            Address from,
            Address to,
            boolean evenFrozen) {
        if (amount == 0) {
            return null;
        }
        Holding source = state.holding(from, asset);
        if (source == null) {
            return Reason.ASSET_MISSING.refusal(asset, from);
        }
        if (source.frozen() && !evenFrozen) {
            return Reason.ASSET_FROZEN.refusal(asset, from);
        }
        if (Uint64.less(source.amount(), amount)) {
            return Reason.ASSET_UNDERFLOW.refusal(amount, source.amount());
        }
        state.putHolding(from, asset, source.withAmount(source.amount() - amount));

        Holding target = state.holding(to, asset); // Read after the write: it may be the same.
        if (target == null) {
            return Reason.ASSET_RECEIVER_MISSING.refusal(asset, to);
        }
        if (target.frozen() && !evenFrozen) {
            return Reason.ASSET_RECEIVER_FROZEN.refusal();
        }
        if (Uint64.addOverflows(target.amount(), amount)) {
            return Reason.ASSET_OVERFLOW.refusal(amount, target.amount() + amount);
        }
        state.putHolding(to, asset, target.withAmount(target.amount() + amount));
        return null;
    }

    private static @Nullable Refusal closeOut(
            WorkingState state, AssetTransfer txn, Address source, Effects effects) {
        long asset = txn.asset();
        Account account = state.account(source);
        if (account.resources().assets() == 0) {
            return Reason.ASSET_CLOSE_NOT_OPTED_IN.refusal(source, asset);
        }
        AssetRecord record = state.asset(asset);
        if (record != null && record.creator().equals(source)) {
            return Reason.ASSET_CLOSE_BY_CREATOR.refusal();
        }
        Holding holding = state.holding(source, asset);
        if (holding == null) {
            return Reason.ASSET_CLOSE_ABSENT.refusal(asset, source);
        }
        boolean toCreator = record != null && record.creator().equals(txn.closeTo());
        Refusal refusal = move(state, asset, holding.amount(), source, txn.closeTo(), toCreator);
        if (refusal != null) {
            return refusal;
        }
        Holding left = state.holding(source, asset);
        if (left != null && left.amount() != 0) { // Closed to itself.
            return Reason.ASSET_CLOSE_LEFT.refusal(asset, left.amount());
        }
        effects.assetClosingAmount = holding.amount();
        state.putAccount(source, account.withResources(account.resources().plusAssets(-1, 0)));
        state.putHolding(source, asset, null);
        return null;
    }
}
