package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.params.ConsensusParams;
import topspin.codec.txn.TransactionEncoder;
import topspin.ledger.account.Account;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Resources;
import topspin.ledger.account.Status;
import topspin.ledger.apply.MinimumBalance;

import java.util.Arrays;
import java.util.List;

/**
 * An account as REST shows it at the end of a round (rest.md section 3): the JSON of SDKs, and the
 * msgpack of goal, which is the reference's ledger record.
 *
 * @param account its record, without pending rewards
 * @param held all it holds, in order of asset; null when not asked for
 * @param round the round
 * @param level the rewards level of that round
 */
record AccountForm(
        Address address,
        Account account,
        @Nullable List<Held> held,
        long round,
        long level,
        ConsensusParams params) {

    /** One holding and the asset it is of, which may be gone. */
    record Held(long asset, Holding holding, @Nullable AssetRecord record) {
        boolean isCreatedBy(Address address) {
            return record != null && record.creator().equals(address);
        }
    }

    private long amount() {
        return account.balanceAt(level, params.rewardUnit());
    }

    private long pendingRewards() {
        return account.pendingRewards(level, params.rewardUnit());
    }

    /** A record that does not earn keeps its level; all others are shown at the present one. */
    private long shownLevel() {
        return account.status() == Status.NOT_PARTICIPATING ? account.rewardsBase() : level;
    }

    /**
     * Writes the account.
     *
     * @param withParams whether the assets it created come with their parameters
     */
    void writeJson(boolean withParams, JsonWriter json) {
        Resources resources = account.resources();
        json.beginObject().name("address").string(address.toString());
        json.name("amount").uint(amount());
        json.name("amount-without-pending-rewards").uint(account.balance());
        if (held != null) {
            json.name("apps-local-state").beginArray().endArray();
        }
        optional("apps-total-extra-pages", resources.extraPages(), json);
        json.name("apps-total-schema").beginObject();
        json.name("num-byte-slice").uint(resources.schemaByteSlices());
        json.name("num-uint").uint(resources.schemaUints()).endObject();
        if (held != null) {
            json.name("assets").beginArray();
            held.forEach(each -> AssetForm.holding(each.asset, each.holding, json));
            json.endArray();
        }
        if (!account.authorizer().isZero()) {
            json.name("auth-addr").string(account.authorizer().toString());
        }
        if (held != null) {
            json.name("created-apps").beginArray().endArray();
            createdAssets(held, withParams, json);
        }
        if (account.incentiveEligible()) {
            json.name("incentive-eligible").bool(true);
        }
        optional("last-heartbeat", account.lastHeartbeat(), json);
        optional("last-proposed", account.lastProposed(), json);
        json.name("min-balance").uint(MinimumBalance.of(account, params));
        if (account.hasVoteKey()) {
            participation(account.participation(), json);
        }
        json.name("pending-rewards").uint(pendingRewards());
        json.name("reward-base").uint(shownLevel());
        json.name("rewards").uint(account.rewarded() + pendingRewards());
        json.name("round").uint(round);
        json.name("status").string(account.status().toString());
        json.name("total-apps-opted-in").uint(resources.optedInApps());
        json.name("total-assets-opted-in").uint(resources.assets());
        optional("total-box-bytes", resources.boxBytes(), json);
        optional("total-boxes", resources.boxes(), json);
        json.name("total-created-apps").uint(resources.createdApps());
        json.name("total-created-assets").uint(resources.createdAssets()).endObject();
    }

    private void createdAssets(List<Held> all, boolean withParams, JsonWriter json) {
        json.name("created-assets").beginArray();
        for (Held each : all) {
            if (each.record != null && each.isCreatedBy(address)) {
                json.beginObject().name("index").uint(each.asset);
                if (withParams) {
                    json.name("params");
                    AssetForm.params(each.record, json);
                }
                json.endObject();
            }
        }
        json.endArray();
    }

    private static void participation(Participation keys, JsonWriter json) {
        json.name("participation").beginObject();
        json.name("selection-participation-key").base64(keys.selectionKey().toBytes());
        if (!keys.stateProofKey().isEmpty()) {
            json.name("state-proof-key").base64(keys.stateProofKey().toArray());
        }
        json.name("vote-first-valid").uint(keys.voteFirst());
        json.name("vote-key-dilution").uint(keys.voteKeyDilution());
        json.name("vote-last-valid").uint(keys.voteLast());
        json.name("vote-participation-key").base64(keys.voteKey().toBytes()).endObject();
    }

    private static void optional(String name, long value, JsonWriter json) {
        if (value != 0) {
            json.name(name).uint(value);
        }
    }

    // The ledger record of the reference.

    private static final Key ALGO = Key.of("algo");
    private static final Key APAR = Key.of("apar");
    private static final Key ASSET = Key.of("asset");
    private static final Key EBASE = Key.of("ebase");
    private static final Key ERN = Key.of("ern");
    private static final Key IE = Key.of("ie");
    private static final Key LHB = Key.of("lhb");
    private static final Key LPR = Key.of("lpr");
    private static final Key ONL = Key.of("onl");
    private static final Key SEL = Key.of("sel");
    private static final Key SPEND = Key.of("spend");
    private static final Key STPRF = Key.of("stprf");
    private static final Key VOTE = Key.of("vote");
    private static final Key VOTE_FST = Key.of("voteFst");
    private static final Key VOTE_KD = Key.of("voteKD");
    private static final Key VOTE_LST = Key.of("voteLst");
    private static final Key AMOUNT = Key.of("a");
    private static final Key FROZEN = Key.of("f");

    /** Writes the record with all it holds and created, zero fields left out. */
    void writeRecord(List<Held> all, CanonicalWriter out) {
        Participation keys = account.participation();
        List<Held> created = all.stream().filter(each -> each.isCreatedBy(address)).toList();
        long map = out.openMap();
        out.uint(ALGO, amount());
        if (!created.isEmpty()) {
            out.key(APAR);
            out.writeMapHeader(created.size());
            for (Held each : created) {
                if (each.record != null) {
                    out.writeUint(each.asset);
                    TransactionEncoder.encode(each.record.params(), out);
                }
            }
        }
        if (!all.isEmpty()) {
            out.key(ASSET);
            out.writeMapHeader(all.size());
            for (Held each : all) {
                out.writeUint(each.asset);
                writeRecord(each.holding, out);
            }
        }
        out.uint(EBASE, shownLevel());
        out.uint(ERN, account.rewarded() + pendingRewards());
        out.flag(IE, account.incentiveEligible());
        out.uint(LHB, account.lastHeartbeat());
        out.uint(LPR, account.lastProposed());
        out.uint(ONL, account.status().code());
        out.digest(SEL, keys.selectionKey());
        out.address(SPEND, account.authorizer());
        out.bytes(STPRF, keys.stateProofKey());
        out.digest(VOTE, keys.voteKey());
        out.uint(VOTE_FST, keys.voteFirst());
        out.uint(VOTE_KD, keys.voteKeyDilution());
        out.uint(VOTE_LST, keys.voteLast());
        out.closeMap(map);
    }

    static void writeRecord(Holding holding, CanonicalWriter out) {
        long map = out.openMap();
        out.uint(AMOUNT, holding.amount());
        out.flag(FROZEN, holding.frozen());
        out.closeMap(map);
    }

    /** Writes the record without resources: every field, under its name in the reference. */
    void writeBareRecord(CanonicalWriter out) {
        TwinWriter twin = new TwinWriter.Msgpack(out).map(BARE_FIELDS);
        writeBareFields(
                account, amount(), account.rewarded() + pendingRewards(), shownLevel(), twin);
        twin.endMap();
    }

    /** How many fields {@link #writeBareFields} writes. */
    static final int BARE_FIELDS = 22;

    /**
     * Writes the fields of a record without resources, in order of their names.
     *
     * @param amount shown in place of the stored balance
     * @param rewarded and of the rewards that were ever paid
     * @param level and of the level up to which they were
     */
    static void writeBareFields(
            Account account, long amount, long rewarded, long level, TwinWriter out) {
        Participation keys = account.participation();
        Resources resources = account.resources();
        out.name("AuthAddr").address(account.authorizer());
        out.name("IncentiveEligible").flag(account.incentiveEligible());
        out.name("LastHeartbeat").uint(account.lastHeartbeat());
        out.name("LastProposed").uint(account.lastProposed());
        out.name("MicroAlgos").uint(amount);
        out.name("RewardedMicroAlgos").uint(rewarded);
        out.name("RewardsBase").uint(level);
        out.name("SelectionID").bytes(keys.selectionKey().toBytes());
        byte[] stateProofKey = keys.stateProofKey().toArray();
        out.name("StateProofID")
                .bytes(Arrays.copyOf(stateProofKey, Participation.STATE_PROOF_KEY_BYTES));
        out.name("Status").uint(account.status().code());
        out.name("TotalAppLocalStates").uint(resources.optedInApps());
        out.name("TotalAppParams").uint(resources.createdApps());
        long slices = resources.schemaByteSlices();
        long uints = resources.schemaUints();
        out.name("TotalAppSchema").map((slices == 0 ? 0 : 1) + (uints == 0 ? 0 : 1));
        if (slices != 0) {
            out.name("nbs").uint(slices);
        }
        if (uints != 0) {
            out.name("nui").uint(uints);
        }
        out.endMap();
        out.name("TotalAssetParams").uint(resources.createdAssets());
        out.name("TotalAssets").uint(resources.assets());
        out.name("TotalBoxBytes").uint(resources.boxBytes());
        out.name("TotalBoxes").uint(resources.boxes());
        out.name("TotalExtraAppPages").uint(resources.extraPages());
        out.name("VoteFirstValid").uint(keys.voteFirst());
        out.name("VoteID").bytes(keys.voteKey().toBytes());
        out.name("VoteKeyDilution").uint(keys.voteKeyDilution());
        out.name("VoteLastValid").uint(keys.voteLast());
    }
}
