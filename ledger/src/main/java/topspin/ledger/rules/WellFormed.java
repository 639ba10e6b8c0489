package topspin.ledger.rules;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.params.ConsensusParams;
import topspin.codec.txn.ApplicationCall;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetFreeze;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.KeyRegistration;
import topspin.codec.txn.Misfit;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.account.Uint64;

/**
 * The rules of form that a transaction meets by itself, whatever the state (validation.md sections
 * 3 and 4): those of its type first, then those of the header, as the reference reports them.
 */
public final class WellFormed {
    private WellFormed() {}

    /** The first fault of form in a group, as the verification step reports it; null if none. */
    public static @Nullable Refusal check(TransactionGroup group, Rules rules) {
        for (int i = 0; i < group.size(); i++) {
            SignedTransaction member = group.get(i);
            Refusal refusal = check(member.txn(), rules);
            if (refusal != null) {
                return refusal.invalid(member.id());
            }
        }
        return null;
    }

    /** The first fault of form of one transaction, without what names it; null if none. */
    public static @Nullable Refusal check(Transaction txn, Rules rules) {
        Refusal refusal = checkType(txn, rules);
        return refusal != null ? refusal : checkHeader(txn.header(), rules);
    }

    private static @Nullable Refusal checkType(Transaction txn, Rules rules) {
        ConsensusParams params = rules.params();
        return switch (txn) {
            case Payment payment -> checkPayment(payment, rules);
            case KeyRegistration keys -> checkKeys(keys, rules);
            case AssetConfig config -> checkAsset(config.params(), params);
            case AssetTransfer transfer -> checkTransfer(transfer);
            case AssetFreeze freeze -> checkFreeze(freeze);
            case ApplicationCall call -> ApplicationForm.check(call, params);
            case StateProof proof -> checkStateProof(proof.header());
            case Heartbeat heartbeat -> checkHeartbeat(heartbeat, params);
            case Misfit misfit -> checkMisfit(misfit, rules);
        };
    }

    private static @Nullable Refusal checkMisfit(Misfit misfit, Rules rules) {
        Transaction own = misfit.own();
        if (own == null) {
            return Reason.UNKNOWN_TYPE.refusal(misfit.typeText());
        }
        Refusal refusal = checkType(own, rules);
        return refusal != null
                ? refusal
                : Reason.FOREIGN_FIELDS.refusal(
                        misfit.typeText(), misfit.foreign().iterator().next().wireName());
    }

    private static @Nullable Refusal checkHeader(TransactionHeader header, Rules rules) {
        ConsensusParams params = rules.params();
        long first = header.firstValid();
        long last = header.lastValid();
        if (Uint64.less(last, first)) {
            return Reason.LIFETIME_REVERSED.refusal(first, last);
        }
        if (Uint64.less(params.maxTxnLife(), last - first)) {
            return Reason.LIFETIME_TOO_LONG.refusal(first, last);
        }
        int noteBytes = header.note().length();
        int noteBytesMax = params.maxAbsoluteTxnNoteBytes();
        if (noteBytes > noteBytesMax) {
            return Reason.NOTE_TOO_BIG.refusal((long) noteBytes, (long) noteBytesMax);
        }
        if (header.sender().equals(rules.rewardsPool())) {
            return Reason.SENDER_IS_REWARDS_POOL.refusal();
        }
        if (header.sender().isZero()) {
            return Reason.SENDER_ZERO.refusal();
        }
        return null;
    }

    private static @Nullable Refusal checkPayment(Payment txn, Rules rules) {
        Address sender = txn.header().sender();
        if (txn.closeTo().equals(sender)) {
            return Reason.CLOSE_TO_SENDER.refusal(sender);
        }
        if (!sender.equals(rules.feeSink())) {
            return null;
        }
        if (rules.params().payouts().enabled()) {
            return Reason.FEE_SINK_SPENDS.refusal(sender);
        }
        if (!txn.receiver().equals(rules.rewardsPool())) {
            return Reason.FEE_SINK_SPENDS_ELSEWHERE.refusal(sender, txn.receiver());
        }
        return txn.closeTo().isZero()
                ? null
                : Reason.FEE_SINK_CLOSES.refusal(sender, txn.closeTo());
    }

    private static @Nullable Refusal checkKeys(KeyRegistration txn, Rules rules) {
        Address sender = txn.header().sender();
        if (sender.equals(rules.feeSink())) {
            return Reason.KEYREG_OF_FEE_SINK.refusal(sender);
        }
        long first = txn.voteFirst();
        long last = txn.voteLast();
        if (Uint64.less(last, first)) {
            return Reason.KEYREG_ROUNDS_REVERSED.refusal();
        }
        boolean vote = !txn.voteKey().isZero();
        boolean selection = !txn.selectionKey().isZero();
        boolean dilution = txn.voteKeyDilution() != 0;
        if (vote != selection || vote != dilution) {
            return Reason.KEYREG_KEYS_INCOMPLETE.refusal();
        }
        if (!vote && (first != 0 || last != 0)) {
            return Reason.KEYREG_OFFLINE_WITH_ROUNDS.refusal();
        }
        if (vote && last == 0) {
            return Reason.KEYREG_ONLINE_WITHOUT_LAST.refusal();
        }
        if (vote && Uint64.less(Uint64.saturatingAdd(txn.header().lastValid(), 1), first)) {
            return Reason.KEYREG_FIRST_BEYOND_LIFETIME.refusal();
        }
        if (vote && txn.nonParticipation()) {
            return Reason.KEYREG_NONPART_WITH_KEYS.refusal();
        }
        if (Uint64.less(rules.params().maxKeyregValidPeriod(), last - first)) {
            return Reason.KEYREG_PERIOD_TOO_LONG.refusal();
        }
        boolean stateProof = !isZero(txn.stateProofKey());
        if (txn.nonParticipation()) {
            return stateProof ? Reason.KEYREG_NONPART_STATE_PROOF_KEY.refusal() : null;
        }
        if (!vote) {
            return stateProof ? Reason.KEYREG_OFFLINE_STATE_PROOF_KEY.refusal() : null;
        }
        return stateProof ? null : Reason.KEYREG_ONLINE_STATE_PROOF_KEY.refusal();
    }

    private static @Nullable Refusal checkAsset(AssetParams asset, ConsensusParams params) {
        long name = asset.name().length();
        if (name > params.maxAssetNameBytes()) {
            return Reason.ASSET_NAME_TOO_BIG.refusal(name, (long) params.maxAssetNameBytes());
        }
        long unit = asset.unitName().length();
        if (unit > params.maxAssetUnitNameBytes()) {
            return Reason.ASSET_UNIT_NAME_TOO_BIG.refusal(
                    unit, (long) params.maxAssetUnitNameBytes());
        }
        long url = asset.url().length();
        if (url > params.maxAssetURLBytes()) {
            return Reason.ASSET_URL_TOO_BIG.refusal(url, (long) params.maxAssetURLBytes());
        }
        return asset.decimals() > params.maxAssetDecimals()
                ? Reason.ASSET_DECIMALS_TOO_HIGH.refusal((long) params.maxAssetDecimals())
                : null;
    }

    private static @Nullable Refusal checkTransfer(AssetTransfer txn) {
        if (txn.asset() == 0 && txn.amount() != 0) {
            return Reason.ASSET_ID_ZERO.refusal();
        }
        return !txn.assetSender().isZero() && !txn.closeTo().isZero()
                ? Reason.ASSET_CLOSE_BY_CLAWBACK.refusal()
                : null;
    }

    private static @Nullable Refusal checkFreeze(AssetFreeze txn) {
        if (txn.asset() == 0) {
            return Reason.ASSET_ID_ZERO.refusal();
        }
        return txn.account().isZero() ? Reason.FREEZE_ACCOUNT_EMPTY.refusal() : null;
    }

    private static @Nullable Refusal checkStateProof(TransactionHeader header) {
        if (!header.sender().equals(SpecialAccounts.STATE_PROOF_SENDER)) {
            return Reason.STATE_PROOF_SENDER.refusal();
        }
        if (header.fee() != 0) {
            return Reason.STATE_PROOF_FEE.refusal();
        }
        if (!header.note().isEmpty()) {
            return Reason.STATE_PROOF_NOTE.refusal();
        }
        if (!header.group().isZero()) {
            return Reason.STATE_PROOF_GROUP.refusal();
        }
        if (!header.rekeyTo().isZero()) {
            return Reason.STATE_PROOF_REKEY.refusal();
        }
        return header.lease().isZero() ? null : Reason.STATE_PROOF_LEASE.refusal();
    }

    private static @Nullable Refusal checkHeartbeat(Heartbeat txn, ConsensusParams params) {
        var fields = txn.fields();
        if (fields == null) {
            return Reason.HEARTBEAT_WITHOUT_FIELDS.refusal();
        }
        TransactionHeader header = txn.header();
        String cheap = cheapness(header, fields.challengeDiscount(), params);
        if (cheap != null) {
            if (!header.note().isEmpty()) {
                return Reason.HEARTBEAT_NOTE.refusal(cheap);
            }
            if (!header.lease().isZero()) {
                return Reason.HEARTBEAT_LEASE.refusal(cheap);
            }
            if (!header.rekeyTo().isZero()) {
                return Reason.HEARTBEAT_REKEY.refusal(cheap);
            }
        }
        if (fields.proof().equals(topspin.codec.txn.HeartbeatFields.Proof.ZERO)) {
            return Reason.HEARTBEAT_PROOF_EMPTY.refusal();
        }
        if (fields.seed().isZero()) {
            return Reason.HEARTBEAT_SEED_EMPTY.refusal();
        }
        if (fields.voteId().isZero()) {
            return Reason.HEARTBEAT_VOTE_ID_EMPTY.refusal();
        }
        return fields.keyDilution() == 0 ? Reason.HEARTBEAT_DILUTION_ZERO.refusal() : null;
    }

    /**
     * How a heartbeat that may carry nothing else pays less than others; null when it does not.
     * Since v42, the version that counts load, it asks for that; before, it simply paid less.
     */
    private static @Nullable String cheapness(
            TransactionHeader header, boolean discount, ConsensusParams params) {
        if (params.loadTracking()) {
            return discount ? "discounted" : null;
        }
        if (!header.group().isZero() || !Uint64.less(header.fee(), params.minTxnFee())) {
            return null;
        }
        return header.fee() == 0 ? "free" : "cheap";
    }

    private static boolean isZero(topspin.codec.Bytes bytes) {
        for (int i = 0; i < bytes.length(); i++) {
            if (bytes.byteAt(i) != 0) {
                return false;
            }
        }
        return true;
    }
}
