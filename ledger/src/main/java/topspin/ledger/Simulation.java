package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.account.Uint64;
import topspin.ledger.apply.Fees;
import topspin.ledger.rules.GroupRules;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Rules;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.WellFormed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a group would do in the block after a round, if it were sent (rest.md section 5). Nothing
 * comes of it. For one thread, and one group.
 */
public final class Simulation {
    /**
     * What may be missing.
     *
     * @param emptySignatures whether a member without any signature counts as signed
     * @param fixSigners whether such a member counts as signed by whoever may sign for its sender
     */
    public record Options(boolean emptySignatures, boolean fixSigners) {}

    /** What came of it. */
    public sealed interface Outcome {}

    /** The group is not what can be simulated; says nothing about any member. */
    public record Unfit(Refusal refusal) implements Outcome {}

    /**
     * What each member did, and why the group fails if it does.
     *
     * @param members in the order of the group
     * @param usage of the group, in millionths of the minimum fee
     * @param feesPaid by all members, in microAlgos
     * @param failure null when the group could be in the block
     */
    public record Simulated(
            List<Member> members, long usage, long feesPaid, @Nullable Failure failure)
            implements Outcome {}

    /**
     * One member.
     *
     * @param signed as it was given
     * @param applied zero for members that fail, and for all that come after
     * @param fixedSigner who would have to sign it, when that was not said; else zero
     */
    public record Member(SignedTransaction signed, ApplyData applied, Address fixedSigner) {}

    /**
     * Why a group fails.
     *
     * @param at index of the member that is to blame
     * @param text the reason, in the reference's words
     */
    public record Failure(int at, String text) {}

    private final RoundState base;
    private final Options options;
    private final TransactionGroup given;
    private final TransactionGroup group;
    private final BlockEvaluator evaluator;
    private final Signatures signatures;

    private Simulation(
            RoundState base,
            ConsensusVersions versions,
            Signatures signatures,
            TransactionGroup given,
            Options options) {
        this.base = base;
        this.options = options;
        this.given = given;
        this.signatures = signatures;
        this.group = options.fixSigners ? fixSigners() : given;
        this.evaluator = new BlockEvaluator(base, versions, base.header().timestamp());
    }

    /**
     * Tries a group of at least one member on top of a round.
     *
     * @param signatures verifies those that there are; belongs to the calling thread
     */
    public static Outcome of(
            TransactionGroup group,
            RoundState base,
            ConsensusVersions versions,
            Signatures signatures,
            Options options) {
        return new Simulation(base, versions, signatures, group, options).run();
    }

    private Outcome run() {
        Rules rules = evaluator.rules();
        for (int i = 0; i < group.size(); i++) {
            Refusal refusal = WellFormed.check(group.get(i).txn(), rules);
            if (refusal != null) {
                return failed(i, refusal.bareText());
            }
        }
        Refusal refusal = GroupRules.check(group, rules);
        if (refusal != null) {
            int blamed = blamed(refusal.reason());
            return blamed < 0 ? new Unfit(refusal) : failed(blamed, refusal.bareText());
        }
        refusal = Signatures.checkLogic(group, rules.params());
        if (refusal != null) {
            return new Unfit(refusal);
        }
        Outcome unsigned = checkSignatures(rules);
        if (unsigned != null) {
            return unsigned;
        }
        BlockEvaluator.Trial trial = evaluator.tryOut(group);
        refusal = trial.refusal();
        return simulated(
                trial.applied(),
                refusal == null ? null : new Failure(trial.failedAt(), refusal.text()));
    }

    /** The member that a broken rule of groups is held against, or -1. */
    private int blamed(Reason reason) {
        Digest id = group.first().txn().group();
        return switch (reason) {
            case GROUP_ID_MISSING -> 0;
            case GROUP_INCONSISTENT -> {
                int index = 1;
                while (group.get(index).txn().group().equals(id)) {
                    index++;
                }
                yield index;
            }
            default -> -1;
        };
    }

    /** What is missing comes before what is wrong, wherever they stand. */
    private @Nullable Outcome checkSignatures(Rules rules) {
        Refusal forged = null;
        for (int i = 0; i < group.size(); i++) {
            SignedTransaction member = group.get(i);
            if (options.emptySignatures && isUnsigned(member)) {
                continue;
            }
            Refusal refusal = signatures.checkSignature(member, rules.params());
            if (refusal == null) {
                continue;
            }
            if (refusal.reason() != Reason.SIGNATURE_INVALID) {
                return failed(i, refusal.invalid(member.id()).text());
            }
            forged = refusal;
        }
        return forged == null ? null : new Unfit(forged);
    }

    private static boolean isUnsigned(SignedTransaction member) {
        return member.signature() == null
                && member.multisig() == null
                && member.logicSignature() == null
                && member.pqSignature() == null;
    }

    /** Names for each member without a signature whoever may sign for its sender by then. */
    private TransactionGroup fixSigners() {
        Map<Address, Address> rekeyed = new HashMap<>();
        List<SignedTransaction> fixed = new ArrayList<>();
        for (SignedTransaction member : given) {
            Address sender = member.txn().sender();
            if (isUnsigned(member)) {
                Address known = rekeyed.get(sender);
                Address signer = known != null ? known : base.account(sender).authorizer();
                fixed.add(
                        SignedTransaction.of(
                                member.txn(),
                                null,
                                null,
                                null,
                                null,
                                signer.equals(sender) ? Address.ZERO : signer));
            } else {
                fixed.add(member);
            }
            Address rekeyTo = member.txn().header().rekeyTo();
            if (!rekeyTo.isZero()) {
                rekeyed.put(sender, rekeyTo);
            }
        }
        return TransactionGroup.of(fixed);
    }

    private Simulated failed(int at, String text) {
        return simulated(List.of(), new Failure(at, text));
    }

    private Simulated simulated(List<ApplyData> applied, @Nullable Failure failure) {
        List<Member> members = new ArrayList<>();
        long feesPaid = 0;
        for (int i = 0; i < given.size(); i++) {
            SignedTransaction member = given.get(i);
            Address signer = group.get(i).authorizer();
            members.add(
                    new Member(
                            member,
                            i < applied.size() ? applied.get(i) : ApplyData.ZERO,
                            signer.equals(member.authorizer()) ? Address.ZERO : signer));
            feesPaid = Uint64.saturatingAdd(feesPaid, member.txn().fee());
        }
        long usage = Fees.usage(given, evaluator.rules().params());
        return new Simulated(List.copyOf(members), usage, feesPaid, failure);
    }
}
