package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.params.ConsensusParams;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetParams;
import topspin.ledger.account.Account;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

/** Creating, reconfiguring and destroying assets (validation.md 11.5). */
final class ApplyAssetConfig {
    private ApplyAssetConfig() {}

    /**
     * @param counter transactions ever, before this one; the next number names a new asset
     */
    static @Nullable Refusal apply(
            WorkingState state,
            BlockContext block,
            AssetConfig txn,
            long counter,
            Effects effects) {
        if (txn.asset() == 0) {
            return create(state, block, txn, counter + 1, effects);
        }
        AssetRecord asset = state.asset(txn.asset());
        if (asset == null) {
            return Reason.ASSET_ABSENT.refusal(txn.asset());
        }
        Address manager = asset.params().manager();
        Address sender = txn.header().sender();
        if (manager.isZero() || !manager.equals(sender)) {
            return Reason.ASSET_MANAGER.refusal(sender, manager);
        }
        if (txn.params().isZero()) {
            return destroy(state, txn.asset(), asset);
        }
        state.putAsset(
                txn.asset(),
                new AssetRecord(asset.creator(), reconfigured(asset.params(), txn.params())));
        return null;
    }

    private static @Nullable Refusal create(
            WorkingState state, BlockContext block, AssetConfig txn, long asset, Effects effects) {
        Address creator = txn.header().sender();
        Account account = state.account(creator);
        Refusal full = roomForOneMore(account, block.params());
        if (full != null) {
            return full;
        }
        state.putAccount(creator, account.withResources(account.resources().plusAssets(1, 1)));
        state.putAsset(asset, new AssetRecord(creator, detached(txn.params())));
        state.putHolding(creator, asset, new Holding(txn.params().total(), false));
        effects.createdAsset = asset;
        return null;
    }

    /** Private versions may limit how many assets an account holds; v42 does not. */
    static @Nullable Refusal roomForOneMore(Account account, ConsensusParams params) {
        long max = params.maxAssetsPerAccount();
        long held = account.resources().assets();
        return max > 0 && Long.compareUnsigned(held, max) >= 0
                ? Reason.ASSETS_TOO_MANY.refusal(held, max)
                : null;
    }

    private static @Nullable Refusal destroy(WorkingState state, long number, AssetRecord asset) {
        Address creator = asset.creator();
        Holding holding = state.holding(creator, number);
        long held = holding == null ? 0 : holding.amount();
        if (held != asset.params().total()) {
            return Reason.ASSET_DESTROY.refusal(held, asset.params().total());
        }
        Account account = state.account(creator);
        state.putAccount(creator, account.withResources(account.resources().plusAssets(-1, -1)));
        state.putHolding(creator, number, null);
        state.putAsset(number, null);
        return null;
    }

    /** An address that is zero stays zero; all else but the four addresses is ignored. */
    private static AssetParams reconfigured(AssetParams now, AssetParams wanted) {
        return new AssetParams(
                now.total(),
                now.decimals(),
                now.defaultFrozen(),
                now.unitName(),
                now.name(),
                now.url(),
                now.metadataHash(),
                kept(now.manager(), wanted.manager()),
                kept(now.reserve(), wanted.reserve()),
                kept(now.freeze(), wanted.freeze()),
                kept(now.clawback(), wanted.clawback()));
    }

    private static Address kept(Address now, Address wanted) {
        return now.isZero() ? Address.ZERO : wanted;
    }

    /** The same with names of their own, that do not keep alive the group they arrived in. */
    private static AssetParams detached(AssetParams params) {
        return new AssetParams(
                params.total(),
                params.decimals(),
                params.defaultFrozen(),
                params.unitName().compact(),
                params.name().compact(),
                params.url().compact(),
                params.metadataHash(),
                params.manager(),
                params.reserve(),
                params.freeze(),
                params.clawback());
    }
}
