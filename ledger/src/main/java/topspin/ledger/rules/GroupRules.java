package topspin.ledger.rules;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.txn.ApplicationCall;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.GroupId;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;

import java.util.List;

/** What the members of a group owe each other (validation.md section 5). */
public final class GroupRules {
    private GroupRules() {}

    /** The first rule of groups that is broken; null if none. Members must be well-formed. */
    public static @Nullable Refusal check(TransactionGroup group, Rules rules) {
        int size = group.size();
        if (size > rules.params().maxTxGroupSize()) {
            return Reason.GROUP_TOO_LARGE.refusal(
                    (long) size, (long) rules.params().maxTxGroupSize());
        }
        Digest id = group.first().txn().group();
        if (size == 1) {
            return id.isZero() ? null : checkId(group, id);
        }
        if (hasHeartbeatInBadCompany(group)) {
            return Reason.GROUP_HEARTBEAT.refusal();
        }
        if (id.isZero()) {
            return Reason.GROUP_ID_MISSING.refusal(0L, (long) size);
        }
        for (int i = 1; i < size; i++) {
            Digest other = group.get(i).txn().group();
            if (!other.equals(id)) {
                return Reason.GROUP_INCONSISTENT.refusal(other, id);
            }
        }
        return checkId(group, id);
    }

    private static @Nullable Refusal checkId(TransactionGroup group, Digest claimed) {
        Digest actual = GroupId.of(group);
        return actual.equals(claimed)
                ? null
                : Reason.GROUP_INCOMPLETE.refusal(
                        claimed, actual, listed(GroupId.memberIds(group)));
    }

    /** As the reference prints its list of hashes. */
    private static Object listed(List<Digest> ids) {
        return new Object() {
            @Override
            public String toString() {
                StringBuilder text = new StringBuilder("{{} [");
                for (int i = 0; i < ids.size(); i++) {
                    text.append(i == 0 ? "" : " ").append(ids.get(i));
                }
                return text.append("]}").toString();
            }
        };
    }

    private static boolean hasHeartbeatInBadCompany(TransactionGroup group) {
        boolean heartbeat = false;
        boolean badCompany = false;
        for (int i = 0; i < group.size(); i++) {
            Transaction txn = group.get(i).txn();
            heartbeat |= txn instanceof Heartbeat;
            badCompany |=
                    txn instanceof ApplicationCall
                            || (txn instanceof AssetConfig config && config.asset() == 0);
        }
        return heartbeat && badCompany;
    }
}
