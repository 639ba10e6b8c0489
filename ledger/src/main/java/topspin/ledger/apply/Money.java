package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.ledger.account.Account;
import topspin.ledger.account.Status;
import topspin.ledger.account.Uint64;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

/** Moves microAlgos from one account to another, crediting both with their pending rewards. */
final class Money {
    /** Who gets the rewards that a move credits written to its {@link Effects}. */
    enum Credit {
        /** The fee goes to the sink, whose rewards nobody records. */
        FEE,
        PAYMENT,
        CLOSE
    }

    private Money() {}

    /**
     * Takes the amount from one account, then gives it to the other, which is read again after the
     * first was written, so that both may be the same (validation.md 11.2).
     *
     * <p>A side with nothing to receive or give and less than one reward unit is not written: an
     * account without funds may thus send a transaction whose fee another pays.
     */
    static @Nullable Refusal move(
            WorkingState state,
            BlockContext block,
            Address from,
            Address to,
            long amount,
            Credit credit,
            Effects effects) {
        long unit = block.params().rewardUnit();
        long level = block.rewardsLevel();

        Account source = state.account(from);
        Account paid = source.withRewards(level, unit);
        effects.senderRewards += paid.balance() - source.balance();
        if (amount != 0 || !Uint64.less(source.balance(), unit)) {
            if (Uint64.less(paid.balance(), amount)) {
                return Reason.OVERSPEND.refusal(
                        from, source.balance(), source.rewardsBase(), amount);
            }
            Account left = paid.withBalance(paid.balance() - amount);
            state.putAccount(from, seenAlive(source, left, block));
        }

        Account target = state.account(to);
        Account credited = target.withRewards(level, unit);
        long rewards = credited.balance() - target.balance();
        switch (credit) {
            case FEE -> {}
            case PAYMENT -> effects.receiverRewards += rewards;
            case CLOSE -> effects.closeRewards += rewards;
        }
        if (amount != 0 || !Uint64.less(target.balance(), unit)) {
            if (Uint64.addOverflows(credited.balance(), amount)) {
                return Reason.BALANCE_OVERFLOW.refusal(to, credited.balance(), amount);
            }
            Account filled = credited.withBalance(credited.balance() + amount);
            state.putAccount(to, seenAlive(target, filled, block));
        }
        return null;
    }

    /**
     * An eligible account whose balance doubles is given time to notice that it is expected to
     * propose more often (validation.md 11.10).
     */
    static Account seenAlive(Account before, Account after, BlockContext block) {
        if (after.status() == Status.ONLINE
                && after.incentiveEligible()
                && !Uint64.less(after.balance(), Uint64.saturatingMultiply(2, before.balance()))) {
            return after.withLastSeen(
                    after.lastProposed(), block.round() + block.params().balanceLookback());
        }
        return after;
    }
}
