package topspin.codec.txn;

import static topspin.codec.txn.Keys.GRP;
import static topspin.codec.txn.Keys.TXLIST;

import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;

import java.util.ArrayList;
import java.util.List;

/**
 * What binds the members of a group to each other, in their order: a hash over the ids that they
 * have while their {@code grp} is zero (transactions.md section 6).
 */
public final class GroupId {
    private GroupId() {}

    /** The id of a group of {@code members}, whatever their {@code grp} fields are. */
    public static Digest of(List<? extends Transaction> members) {
        if (members.isEmpty() || members.size() > Limits.GROUP_SIZE) {
            throw new IllegalArgumentException("a group of " + members.size());
        }
        TxIdHasher hasher = TxIdHasher.perThread();
        List<Digest> ids = new ArrayList<>();
        for (Transaction member : members) {
            ids.add(hasher.hash(member.withHeader(member.header().withGroup(Digest.ZERO))));
        }
        return ofIds(ids);
    }

    /**
     * The id that the members of a group must carry, of one or more transactions whatever they are.
     */
    public static Digest of(TransactionGroup group) {
        var out = new CanonicalWriter();
        List<Digest> ids = new ArrayList<>();
        for (SignedTransaction member : group) {
            out.reset();
            Cut cut = Cut.between(GRP, GRP, member.bytes(), member.txnOffset(), member.txnLength());
            cut.writeBefore(0, out);
            cut.writeBehind(out);
            ids.add(TxIdHasher.perThread().hash(out.array(), 0, out.position()));
        }
        return ofIds(ids);
    }

    /** The members, each carrying the id of the group they make. */
    public static List<Transaction> assign(List<? extends Transaction> members) {
        Digest group = of(members);
        List<Transaction> assigned = new ArrayList<>();
        for (Transaction member : members) {
            assigned.add(member.withHeader(member.header().withGroup(group)));
        }
        return assigned;
    }

    /** The id of the group whose members, with {@code grp} zero, have these ids. */
    public static Digest ofIds(List<Digest> ids) {
        var out = new CanonicalWriter(16 + 34 * Limits.GROUP_SIZE);
        long map = out.openMap();
        out.arrayHeader(TXLIST, ids.size());
        for (Digest id : ids) {
            out.writeDigest(id);
        }
        out.closeMap(map);
        byte[] group = new byte[Digest.BYTES];
        Sha512_256.digest(Domain.TG, out.array(), 0, out.position(), group, 0);
        return Digest.of(group, 0);
    }
}
