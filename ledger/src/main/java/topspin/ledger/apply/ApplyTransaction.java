package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.txn.ApplicationCall;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetFreeze;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.KeyRegistration;
import topspin.codec.txn.Misfit;
import topspin.codec.txn.Payment;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.Transaction;
import topspin.ledger.account.Account;
import topspin.ledger.apply.Money.Credit;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

/** One transaction, from its fee to the minimum balances (validation.md 11.1). */
public final class ApplyTransaction {
    private ApplyTransaction() {}

    /**
     * Applies a well-formed transaction whose authorizer was checked. After a refusal the caller
     * rolls its group back.
     *
     * @param state with an open group
     * @param counter transactions ever, before this one
     * @param effects receives what is to be recorded beside the transaction
     */
    public static @Nullable Refusal apply(
            WorkingState state,
            BlockContext block,
            Transaction txn,
            long counter,
            Effects effects) {
        effects.clear();
        Address sender = txn.sender();
        Refusal refusal =
                Money.move(state, block, sender, block.feeSink(), txn.fee(), Credit.FEE, effects);
        if (refusal != null) {
            return refusal;
        }
        if (!txn.rekeyTo().isZero()) {
            rekey(state, sender, txn.rekeyTo());
        }
        refusal =
                switch (txn) {
                    case Payment payment -> ApplyPayment.apply(state, block, payment, effects);
                    case KeyRegistration keys -> ApplyKeyRegistration.apply(state, block, keys);
                    case AssetConfig config ->
                            ApplyAssetConfig.apply(state, block, config, counter, effects);
                    case AssetTransfer transfer ->
                            ApplyAssetTransfer.apply(state, block, transfer, effects);
                    case AssetFreeze freeze -> ApplyAssetFreeze.apply(state, freeze);
                    case ApplicationCall call -> Reason.APPLICATION_UNSUPPORTED.refusal();
                    case StateProof proof -> Reason.STATE_PROOF_UNSUPPORTED.refusal();
                    case Heartbeat heartbeat -> Reason.HEARTBEAT_UNSUPPORTED.refusal();
                    case Misfit misfit -> Reason.UNKNOWN_TYPE.refusal(misfit.typeText());
                };
        return refusal != null ? refusal : MinimumBalance.check(state, block);
    }

    /** Pays the proposer of a block from the fee sink; nothing is written when there is nothing. */
    public static @Nullable Refusal payOut(
            WorkingState state,
            BlockContext block,
            Address proposer,
            long amount,
            Effects effects) {
        return amount == 0
                ? null
                : Money.move(state, block, block.feeSink(), proposer, amount, Credit.FEE, effects);
    }

    private static void rekey(WorkingState state, Address sender, Address rekeyTo) {
        Account account = state.account(sender);
        Address authorizer = rekeyTo.equals(sender) ? Address.ZERO : rekeyTo;
        state.putAccount(sender, account.withAuthorizer(authorizer));
    }
}
