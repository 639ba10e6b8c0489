package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.params.ConsensusParams;
import topspin.ledger.account.Account;
import topspin.ledger.account.Resources;
import topspin.ledger.account.Uint64;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.SpecialAccounts;

/** What an account must keep for what it holds and created (validation.md 11.3). */
public final class MinimumBalance {
    private MinimumBalance() {}

    /** In microAlgos; every term saturates. */
    public static long of(Account account, ConsensusParams params) {
        Resources held = account.resources();
        if (held == Resources.NONE) {
            return params.minBalance();
        }
        long sum = params.minBalance();
        sum = plus(sum, params.minBalance(), held.assets());
        sum = plus(sum, params.appFlatParamsMinBalance(), held.createdApps());
        sum = plus(sum, params.appFlatOptInMinBalance(), held.optedInApps());
        sum = plus(sum, params.appFlatParamsMinBalance(), held.extraPages());
        sum =
                plus(
                        sum,
                        params.schemaMinBalancePerEntry(),
                        Uint64.saturatingAdd(held.schemaUints(), held.schemaByteSlices()));
        sum = plus(sum, params.schemaUintMinBalance(), held.schemaUints());
        sum = plus(sum, params.schemaBytesMinBalance(), held.schemaByteSlices());
        sum = plus(sum, params.boxFlatMinBalance(), held.boxes());
        sum = plus(sum, params.boxByteMinBalance(), held.boxBytes());
        long cap = params.maximumMinimumBalance();
        return cap == 0 ? sum : Uint64.min(sum, cap);
    }

    /**
     * Whether every account that the open group has written so far keeps its minimum: asked after
     * each transaction, so that money must come before what needs it.
     */
    static @Nullable Refusal check(WorkingState state, BlockContext block) {
        return state.firstOfGroup((address, account) -> check(address, account, block));
    }

    private static @Nullable Refusal check(Address address, Account account, BlockContext block) {
        ConsensusParams params = block.params();
        // The plain case first: enough for itself, nothing held.
        long balance = account.balanceAt(block.rewardsLevel(), params.rewardUnit());
        long minimum = of(account, params);
        if (!Uint64.less(balance, minimum) || isExempt(address, account, block)) {
            return null;
        }
        return Reason.BALANCE_BELOW_MINIMUM.refusal(
                address, balance, minimum, account.resources().assets());
    }

    private static boolean isExempt(Address address, Account account, BlockContext block) {
        return account.isEmpty()
                || address.equals(block.feeSink())
                || address.equals(block.rewardsPool())
                || address.equals(SpecialAccounts.STATE_PROOF_SENDER);
    }

    private static long plus(long sum, long each, long count) {
        return Uint64.saturatingAdd(sum, Uint64.saturatingMultiply(each, count));
    }
}
