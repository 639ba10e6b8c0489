package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.params.ConsensusParams;
import topspin.codec.txn.KeyRegistration;
import topspin.ledger.account.Account;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Status;
import topspin.ledger.account.Uint64;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

/** Going online, offline, or out for good (validation.md 11.8). */
final class ApplyKeyRegistration {
    private ApplyKeyRegistration() {}

    static @Nullable Refusal apply(WorkingState state, BlockContext block, KeyRegistration txn) {
        Address sender = txn.header().sender();
        Account account = state.account(sender);
        if (account.status() == Status.NOT_PARTICIPATING) {
            return Reason.KEYREG_NOT_PARTICIPATING.refusal(sender);
        }
        if (txn.voteKey().isZero() || txn.selectionKey().isZero()) {
            Status status = txn.nonParticipation() ? Status.NOT_PARTICIPATING : Status.OFFLINE;
            state.putAccount(
                    sender,
                    account.withStatus(status, Participation.NONE, account.incentiveEligible()));
            return null;
        }
        if (!Uint64.less(block.round(), txn.voteLast())) {
            return Reason.KEYREG_LAST_IN_PAST.refusal();
        }
        if (Uint64.less(block.round() + 1, txn.voteFirst())) {
            return Reason.KEYREG_FIRST_TOO_FAR.refusal();
        }
        ConsensusParams params = block.params();
        boolean payouts = params.payouts().enabled();
        boolean paid = payouts && !Uint64.less(txn.header().fee(), params.payouts().goOnlineFee());
        Account online =
                account.withStatus(
                        Status.ONLINE,
                        new Participation(
                                txn.voteKey(),
                                txn.selectionKey(),
                                txn.stateProofKey().compact(),
                                txn.voteFirst(),
                                txn.voteLast(),
                                txn.voteKeyDilution()),
                        paid || account.incentiveEligible());
        // Until the new keys count for agreement, it cannot be expected to propose.
        state.putAccount(
                sender,
                payouts
                        ? online.withLastSeen(
                                online.lastProposed(), block.round() + params.balanceLookback())
                        : online);
        return null;
    }
}
