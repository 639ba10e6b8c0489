package topspin.ledger.apply;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.params.ConsensusParams;
import topspin.codec.txn.ApplicationCall;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.LogicSignature;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.account.Uint64;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

import java.util.Locale;

/**
 * What a group must pay. Any member may pay for all (validation.md section 7).
 *
 * <p>Usage is counted in millionths of the minimum fee, so that bytes beyond the free ones cost a
 * fraction of it each; it is rounded up once, for the group.
 */
public final class Fees {
    private static final long WHOLE = 1_000_000;
    private static final long PQ_SIGNATURE = 2_000_000;

    private Fees() {}

    /** Whether the members' fees together cover what the group uses. */
    public static @Nullable Refusal check(TransactionGroup group, ConsensusParams params) {
        long paid = 0;
        for (int i = 0; i < group.size(); i++) {
            paid = Uint64.saturatingAdd(paid, group.get(i).txn().fee());
        }
        long usage = usage(group, params);
        long needed = required(usage, params);
        if (!Uint64.less(paid, needed)) {
            return null;
        }
        return Reason.GROUP_FEE_TOO_LOW.refusal(
                paid, needed, millionths(usage), params.minTxnFee());
    }

    /** Usage of the whole group, in millionths of the minimum fee; saturates. */
    public static long usage(TransactionGroup group, ConsensusParams params) {
        long usage = 0;
        long programBytes = 0;
        for (int i = 0; i < group.size(); i++) {
            SignedTransaction member = group.get(i);
            usage = Uint64.saturatingAdd(usage, usage(member, params));
            LogicSignature logic = member.logicSignature();
            programBytes += logic == null ? 0 : logic.program().length();
        }
        long programBytesFree = (long) params.logicSigMaxSize() * group.size();
        return Uint64.saturatingAdd(usage, surcharge(programBytes - programBytesFree, params));
    }

    /** The fee for a usage, in microAlgos, rounded up. */
    public static long required(long usage, ConsensusParams params) {
        long floor = Uint64.multiplyDivide(params.minTxnFee(), usage, WHOLE);
        // What is left is less than 2^64, so it is nothing exactly when the low words agree.
        return floor * WHOLE == params.minTxnFee() * usage ? floor : Uint64.saturatingAdd(floor, 1);
    }

    private static long usage(SignedTransaction member, ConsensusParams params) {
        Transaction txn = member.txn();
        if (txn instanceof StateProof) {
            return 0;
        }
        long usage = WHOLE;
        usage += surcharge((long) txn.note().length() - params.maxTxnNoteBytes(), params);
        if (txn instanceof ApplicationCall call) {
            usage += surcharge(programBytesOver(call, params), params);
            usage += surcharge(argumentBytesOver(call, params), params);
        }
        if (txn instanceof Heartbeat heartbeat
                && heartbeat.fields() != null
                && heartbeat.fields().challengeDiscount()) {
            usage -= WHOLE;
        }
        LogicSignature logic = member.logicSignature();
        if (member.pqSignature() != null || (logic != null && logic.pqSignature() != null)) {
            usage += PQ_SIGNATURE;
        }
        return usage;
    }

    private static long programBytesOver(ApplicationCall call, ConsensusParams params) {
        long free = (long) params.maxAppTotalProgramLen() * (1 + params.maxExtraAppProgramPages());
        return (long) call.approvalProgram().length() + call.clearProgram().length() - free;
    }

    private static long argumentBytesOver(ApplicationCall call, ConsensusParams params) {
        long bytes = 0;
        for (Bytes argument : call.arguments()) {
            bytes += argument.length();
        }
        return bytes - params.maxAppTotalArgLen();
    }

    private static long surcharge(long bytesOver, ConsensusParams params) {
        return bytesOver <= 0 ? 0 : bytesOver * params.perByteTxnSurcharge();
    }

    private static String millionths(long usage) {
        return String.format(
                Locale.ROOT,
                "%s.%06d",
                Long.toUnsignedString(Long.divideUnsigned(usage, WHOLE)),
                Long.remainderUnsigned(usage, WHOLE));
    }
}
