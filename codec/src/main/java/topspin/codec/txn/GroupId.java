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
 * have while their {@code grp} is zero (transactions.md section 6). An instance owns the buffers
 * that it encodes into, so it belongs to one thread; writing into the caller's array leaves no
 * garbage.
 */
public final class GroupId {
    private static final ThreadLocal<GroupId> PER_THREAD = ThreadLocal.withInitial(GroupId::new);

    private final TxIdHasher hasher = new TxIdHasher();
    private final Cut cut = new Cut();
    private final CanonicalWriter stripped = new CanonicalWriter();
    private final CanonicalWriter list = new CanonicalWriter(16 + 34 * Limits.GROUP_SIZE);
    private final byte[] digest = new byte[Digest.BYTES];

    /** The id of a group of {@code members}, whatever their {@code grp} fields are. */
    public static Digest of(List<? extends Transaction> members) {
        return PER_THREAD.get().ofTransactions(members);
    }

    /**
     * The id that the members of a group must carry, of one or more transactions whatever they are.
     */
    public static Digest of(TransactionGroup group) {
        return PER_THREAD.get().ofGroup(group);
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

    /** The ids that are hashed: those of the members without their {@code grp}. */
    public static List<Digest> memberIds(TransactionGroup group) {
        GroupId own = PER_THREAD.get();
        List<Digest> ids = new ArrayList<>();
        for (SignedTransaction member : group) {
            own.hashMember(member);
            ids.add(Digest.of(own.digest, 0));
        }
        return ids;
    }

    /**
     * Writes the id that the members of {@code group} must carry to {@code id} at {@code offset}.
     */
    public void hash(TransactionGroup group, byte[] id, int offset) {
        openList(group.size());
        for (int index = 0; index < group.size(); index++) {
            hashMember(group.get(index));
            list.writeBytes(digest, 0, Digest.BYTES);
        }
        Sha512_256.digest(Domain.TG, list.array(), 0, list.position(), id, offset);
    }

    private Digest ofGroup(TransactionGroup group) {
        hash(group, digest, 0);
        return Digest.of(digest, 0);
    }

    private Digest ofTransactions(List<? extends Transaction> members) {
        if (members.isEmpty() || members.size() > Limits.GROUP_SIZE) {
            throw new IllegalArgumentException("a group of " + members.size());
        }
        openList(members.size());
        for (Transaction member : members) {
            hasher.hash(member.withHeader(member.header().withGroup(Digest.ZERO)), digest, 0);
            list.writeBytes(digest, 0, Digest.BYTES);
        }
        Sha512_256.digest(Domain.TG, list.array(), 0, list.position(), digest, 0);
        return Digest.of(digest, 0);
    }

    /** Begins the map of one list; whole when so many digests follow. */
    private void openList(int size) {
        list.reset().writeMapHeader(1);
        list.key(TXLIST);
        list.writeArrayHeader(size);
    }

    /** The id of a member as if it were in no group. */
    private void hashMember(SignedTransaction member) {
        byte[] bytes = member.bytes();
        cut.find(GRP, GRP, bytes, member.txnOffset(), member.txnLength());
        stripped.reset();
        cut.writeBefore(bytes, 0, stripped);
        cut.writeBehind(bytes, stripped);
        hasher.hash(stripped.array(), 0, stripped.position(), digest, 0);
    }
}
