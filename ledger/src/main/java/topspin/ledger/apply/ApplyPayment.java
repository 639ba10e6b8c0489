package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.txn.Payment;
import topspin.ledger.account.Account;
import topspin.ledger.account.Resources;
import topspin.ledger.apply.Money.Credit;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

/** Payments, and the closing of accounts (validation.md 11.4). */
final class ApplyPayment {
    private ApplyPayment() {}

    static @Nullable Refusal apply(
            WorkingState state, BlockContext block, Payment txn, Effects effects) {
        Address sender = txn.header().sender();
        if (txn.amount() != 0 || !txn.receiver().isZero()) {
            Refusal refusal =
                    Money.move(
                            state,
                            block,
                            sender,
                            txn.receiver(),
                            txn.amount(),
                            Credit.PAYMENT,
                            effects);
            if (refusal != null) {
                return refusal;
            }
        }
        return txn.closeTo().isZero() ? null : close(state, block, txn, effects);
    }

    private static @Nullable Refusal close(
            WorkingState state, BlockContext block, Payment txn, Effects effects) {
        Address sender = txn.header().sender();
        long remainder =
                state.account(sender).balanceAt(block.rewardsLevel(), block.params().rewardUnit());
        effects.closingAmount = remainder;
        Refusal refusal =
                Money.move(state, block, sender, txn.closeTo(), remainder, Credit.CLOSE, effects);
        if (refusal != null) {
            return refusal;
        }
        Account closed = state.account(sender);
        if (closed.balance() != 0) {
            return Reason.CLOSE_BALANCE_LEFT.refusal(closed.balance());
        }
        Resources held = closed.resources();
        if (held.assets() != 0) {
            return Reason.CLOSE_HAS_ASSETS.refusal(held.assets());
        }
        if (held.createdAssets() != 0) {
            return Reason.CLOSE_HAS_CREATED_ASSETS.refusal(held.createdAssets());
        }
        if (held.optedInApps() != 0) {
            return Reason.CLOSE_HAS_OPT_INS.refusal(held.optedInApps());
        }
        if (held.boxes() != 0) {
            return Reason.CLOSE_HAS_BOXES.refusal(held.boxes());
        }
        if (held.createdApps() != 0) {
            return Reason.CLOSE_HAS_CREATED_APPS.refusal(held.createdApps());
        }
        state.putAccount(sender, Account.EMPTY);
        return null;
    }
}
