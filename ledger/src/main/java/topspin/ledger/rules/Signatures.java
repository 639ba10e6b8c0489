package topspin.ledger.rules;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashedAddress;
import topspin.codec.crypto.SignatureBatch;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusParams;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.LogicSignature;
import topspin.codec.txn.MultisigSignature;
import topspin.codec.txn.MultisigSignature.Subsignature;
import topspin.codec.txn.PqSignature;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.TransactionGroup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Verifies groups: form, group rules, then signatures, many at once; the only maker of {@link
 * VerifiedGroup}. One per thread, since it owns a batch.
 */
public final class Signatures implements GroupVerifier {
    /** What came of one group: either it is verified, or it is refused. */
    public record Outcome(@Nullable VerifiedGroup verified, @Nullable Refusal refusal) {
        public Outcome {
            if ((verified == null) == (refusal == null)) {
                throw new IllegalArgumentException("neither verified nor refused, or both");
            }
        }
    }

    private static final int LOGIC_ARGUMENT_BYTES_FREE_PER_GROUP_MEMBER = 1_000;
    private static final Bytes FALCON_1024 = Bytes.utf8("f1");

    private final VerifiedCache cache;
    private final SignatureBatch batch;

    /** Which group of the call each claim in the batch belongs to. */
    private final int[] claimants;

    private final byte[] key = new byte[Address.BYTES];
    private boolean[] forged = new boolean[64];

    /**
     * @param cache is told of each group that passes, and spares those it knows
     * @param engine does the arithmetic
     * @param claimsMax signatures verified in one go, at most {@link SignatureBatch#CAPACITY_MAX}
     */
    public Signatures(VerifiedCache cache, SignatureEngine engine, int claimsMax) {
        this.cache = cache;
        this.batch = engine.newBatch(claimsMax);
        this.claimants = new int[claimsMax];
    }

    /** Verifies one group. */
    public Outcome verify(TransactionGroup group, Rules rules) {
        return verify(List.of(group), rules).getFirst();
    }

    @Override
    public List<Outcome> verify(List<TransactionGroup> groups, Rules rules) {
        int count = groups.size();
        start(count);
        @Nullable Refusal[] refusals = new Refusal[count];
        @Nullable Digest[] fresh = new Digest[count];
        for (int i = 0; i < count; i++) {
            TransactionGroup group = groups.get(i);
            Digest key = cache.key(group, rules.protocol());
            if (!cache.contains(key)) {
                fresh[i] = key;
                refusals[i] = checkAndClaim(group, i, rules);
            }
        }
        settle();
        List<Outcome> outcomes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Refusal refusal =
                    refusals[i] == null && forged[i]
                            ? Reason.SIGNATURE_INVALID.refusal()
                            : refusals[i];
            if (refusal != null) {
                outcomes.add(new Outcome(null, refusal));
                continue;
            }
            VerifiedGroup verified = new VerifiedGroup(groups.get(i), rules.protocol());
            Digest key = fresh[i];
            if (key != null) {
                cache.add(key);
            }
            outcomes.add(new Outcome(verified, null));
        }
        return outcomes;
    }

    /**
     * Whether one transaction's signature holds for its authorizer, whatever else may be wrong with
     * it.
     *
     * @return null if it does
     */
    public @Nullable Refusal checkSignature(SignedTransaction member, ConsensusParams params) {
        start(1);
        Refusal refusal = checkAndClaim(member, 0, params);
        settle();
        return refusal == null && forged[0] ? Reason.SIGNATURE_INVALID.refusal() : refusal;
    }

    /** Nobody is accused yet, and claims that an exception left behind accuse nobody. */
    private void start(int groups) {
        batch.clear();
        if (forged.length < groups) {
            forged = new boolean[groups];
        }
        Arrays.fill(forged, 0, groups, false);
    }

    /** Everything but the signatures themselves, which are added to the batch. */
    private @Nullable Refusal checkAndClaim(TransactionGroup group, int index, Rules rules) {
        Refusal refusal = WellFormed.check(group, rules);
        if (refusal != null) {
            return refusal;
        }
        refusal = GroupRules.check(group, rules);
        if (refusal != null) {
            return refusal;
        }
        refusal = checkLogic(group, rules.params());
        if (refusal != null) {
            return refusal;
        }
        for (int i = 0; i < group.size(); i++) {
            SignedTransaction member = group.get(i);
            refusal = checkAndClaim(member, index, rules.params());
            if (refusal != null) {
                return refusal.invalid(member.id());
            }
        }
        return null;
    }

    /** Rules that look at the logic signatures of the whole group (validation.md 6.1, 6.5). */
    public static @Nullable Refusal checkLogic(TransactionGroup group, ConsensusParams params) {
        long argumentBytes = 0;
        boolean pooled = false;
        for (int i = 0; i < group.size(); i++) {
            LogicSignature logic = group.get(i).logicSignature();
            if (logic == null) {
                continue;
            }
            // Before v42, which looks at authorization more strictly, it counted as absent.
            if (logic.program().isEmpty() && params.enforceAuthAddrSenderDiff()) {
                return Reason.LOGIC_WITHOUT_PROGRAM.refusal();
            }
            long bytes = 0;
            for (Bytes argument : logic.arguments()) {
                bytes += argument.length();
            }
            pooled |= bytes > LOGIC_ARGUMENT_BYTES_FREE_PER_GROUP_MEMBER;
            argumentBytes += bytes;
        }
        long pool = (long) LOGIC_ARGUMENT_BYTES_FREE_PER_GROUP_MEMBER * group.size();
        return pooled && argumentBytes > pool
                ? Reason.LOGIC_ARGUMENTS_TOO_LONG.refusal(
                        argumentBytes, pool, (long) LOGIC_ARGUMENT_BYTES_FREE_PER_GROUP_MEMBER)
                : null;
    }

    private @Nullable Refusal checkAndClaim(
            SignedTransaction member, int index, ConsensusParams params) {
        Bytes signature = member.signature();
        MultisigSignature multisig = member.multisig();
        LogicSignature logic = withProgram(member.logicSignature());
        PqSignature pq = member.pqSignature();
        if (params.enforceAuthAddrSenderDiff() && member.signer().equals(member.txn().sender())) {
            return Reason.SIGNER_IS_SENDER.refusal();
        }
        int kinds =
                (signature == null ? 0 : 1)
                        + (multisig == null ? 0 : 1)
                        + (logic == null ? 0 : 1)
                        + (pq == null ? 0 : 1);
        if (kinds > 1) {
            return Reason.SIGNATURES_OF_SEVERAL_KINDS.refusal();
        }
        if (kinds == 0) {
            return member.txn() instanceof StateProof
                    ? Reason.STATE_PROOF_UNSUPPORTED.refusal()
                    : Reason.SIGNATURE_MISSING.refusal();
        }
        if (logic != null) {
            return checkLogic(logic, member.authorizer(), params);
        }
        if (pq != null) {
            return checkPq(pq, member.authorizer(), params);
        }
        if (multisig != null) {
            Refusal refusal = checkMultisig(multisig, member.authorizer());
            if (refusal != null) {
                return refusal;
            }
            for (Subsignature share : multisig.keys()) {
                if (share.signature() != null) {
                    share.publicKey().writeTo(key, 0);
                    claim(member, share.signature(), index);
                }
            }
        } else if (signature != null) {
            member.authorizer().writeTo(key, 0);
            claim(member, signature, index);
        }
        // Its proof is a one-time signature, part of this same step.
        return member.txn() instanceof Heartbeat ? Reason.HEARTBEAT_UNSUPPORTED.refusal() : null;
    }

    private static @Nullable LogicSignature withProgram(@Nullable LogicSignature logic) {
        return logic == null || logic.program().isEmpty() ? null : logic;
    }

    private static @Nullable Refusal checkMultisig(MultisigSignature multisig, Address authorizer) {
        List<Subsignature> shares = multisig.keys();
        if (shares.isEmpty() || isBlank(shares.getFirst())) {
            return Reason.MULTISIG_COUNT.refusal();
        }
        if (multisig.version() != 1) {
            return Reason.MULTISIG_VERSION.refusal();
        }
        if (multisig.threshold() < 1 || multisig.threshold() > shares.size()) {
            return Reason.MULTISIG_THRESHOLD.refusal();
        }
        if (!address(multisig).equals(authorizer)) {
            return Reason.MULTISIG_ADDRESS.refusal();
        }
        int signed = 0;
        for (Subsignature share : shares) {
            signed += share.signature() == null ? 0 : 1;
        }
        return signed < multisig.threshold() ? Reason.MULTISIG_COUNT.refusal() : null;
    }

    private static boolean isBlank(Subsignature share) {
        return share.publicKey().isZero() && share.signature() == null;
    }

    private static Address address(MultisigSignature multisig) {
        return HashedAddress.ofMultisig(
                multisig.version(),
                multisig.threshold(),
                multisig.keys().stream().map(Subsignature::publicKey).toList());
    }

    /** As far as a node that runs no programs can tell a wrong one. */
    private static Refusal checkLogic(
            LogicSignature logic, Address authorizer, ConsensusParams params) {
        Bytes program = logic.program();
        if (program.length() > params.maxAbsoluteLogicSigProgramSize()) {
            return Reason.LOGIC_TOO_LONG.refusal((long) params.maxAbsoluteLogicSigProgramSize());
        }
        long version = ApplicationForm.version(program);
        if (version < 0) {
            return Reason.LOGIC_BAD_VERSION.refusal();
        }
        if (version > params.logicSigVersion()) {
            return Reason.LOGIC_VERSION_TOO_NEW.refusal();
        }
        int delegations =
                (logic.signature() == null ? 0 : 1)
                        + (logic.multisig() == null ? 0 : 1)
                        + (logic.logicMultisig() == null ? 0 : 1)
                        + (logic.pqSignature() == null ? 0 : 1);
        if (delegations > 1) {
            return Reason.LOGIC_DELEGATIONS_SEVERAL.refusal();
        }
        if (delegations == 0 && !HashedAddress.ofProgram(program).equals(authorizer)) {
            return Reason.LOGIC_NOT_SIGNED.refusal();
        }
        if (logic.multisig() != null && !params.logicSigMsig()) {
            return Reason.LOGIC_MULTISIG.refusal();
        }
        return Reason.LOGIC_UNSUPPORTED.refusal();
    }

    private static Refusal checkPq(PqSignature pq, Address authorizer, ConsensusParams params) {
        Bytes scheme = pq.scheme();
        if (!params.enablePQSchemeFalcon1024() || !scheme.equals(FALCON_1024)) {
            return Reason.PQ_SCHEME_UNKNOWN.refusal();
        }
        Address address = HashedAddress.ofPostQuantumKey(scheme, pq.salt(), pq.publicKey());
        if (!address.equals(authorizer)) {
            return Reason.PQ_AUTHORIZER.refusal();
        }
        return pq.signature().isEmpty()
                ? Reason.PQ_EMPTY.refusal()
                : Reason.PQ_UNSUPPORTED.refusal();
    }

    /** Adds a claim that {@link #key} signed the member's transaction. */
    private void claim(SignedTransaction member, Bytes signature, int index) {
        if (batch.size() == batch.capacity()) {
            settle();
        }
        claimants[batch.size()] = index;
        batch.add(
                key,
                0,
                signature.array(),
                signature.offset(),
                Domain.TX,
                member.bytes(),
                member.txnOffset(),
                member.txnLength());
    }

    /** Verifies what is in the batch, marks the groups whose claims are false, and empties it. */
    private void settle() {
        try {
            if (!batch.verify()) {
                for (int i = 0; i < batch.size(); i++) {
                    forged[claimants[i]] |= !batch.isValid(i);
                }
            }
        } finally {
            batch.clear();
        }
    }
}
