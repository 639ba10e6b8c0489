package topspin.ledger;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.ledger.store.Column;
import topspin.ledger.store.LedgerStore;
import topspin.ledger.store.StoreFault;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Which transactions were committed lately and which leases are held (validation.md section 9).
 *
 * <p>All of it is on disk, keyed so that one lookup answers: at full load three million ids are
 * alive, far too many for the heap, and almost every question is about one that is not there, which
 * a Bloom filter answers. Memory holds the ids of the latest rounds only, since gossip brings those
 * again. One writer; any thread reads.
 */
final class TxTail {
    /**
     * Rounds for which an id stays on disk after its last valid round. It bars nothing any more,
     * but whoever asks after a transaction is told of the last 1,000 rounds (rest.md).
     */
    static final long IDS_LINGER_ROUNDS = 1000;

    /** Ids of committed transactions in memory: three full blocks. */
    private static final int IDS_CACHED = 131_072;

    private static final Comparator<StateDelta.CommittedId> BY_KEY =
            Comparator.comparingLong(StateDelta.CommittedId::lastValid)
                    .thenComparing(StateDelta.CommittedId::id);

    private final RecordCache<Digest, Long> recent;
    private final CanonicalWriter out = new CanonicalWriter(16);

    TxTail(long round) {
        recent = new RecordCache<>(IDS_CACHED, round);
    }

    // Reading. The snapshot is that of a view at the given round.

    /**
     * The round up to {@code round} in which a transaction was committed, or -1; that it was is
     * remembered for {@link #IDS_LINGER_ROUNDS} rounds after {@code lastValid}.
     */
    long committed(Digest id, long lastValid, long round, LedgerStore.Snapshot snapshot) {
        Long known = recent.get(id, round);
        if (known != null) {
            return known;
        }
        byte[] value = snapshot.get(Column.IDS, Column.id(lastValid, id));
        return value == null ? -1 : number(value);
    }

    /** The last round in which somebody holds the lease, or {@link RoundState#NO_LEASE}. */
    static long leaseUntil(Address sender, Digest lease, LedgerStore.Snapshot snapshot) {
        byte[] value = snapshot.get(Column.LEASES, Column.lease(sender, lease));
        return value == null ? RoundState.NO_LEASE : number(value);
    }

    // Writing.

    /** Puts a round's ids and leases into the batch, and takes out what that round ends. */
    void write(StateDelta delta, LedgerStore.Snapshot before, LedgerStore.Batch batch) {
        long round = delta.round();
        byte[] roundValue = value(round);
        // In order of their keys: the store takes neighbours twice as fast as strangers.
        List<StateDelta.CommittedId> ids = new ArrayList<>(delta.ids());
        ids.sort(BY_KEY);
        for (StateDelta.CommittedId id : ids) {
            batch.put(Column.IDS, Column.id(id.lastValid(), id.id()), roundValue);
        }
        long forgotten = round - IDS_LINGER_ROUNDS;
        if (forgotten > 0) {
            deleteAll(Column.IDS, forgotten, before, batch);
        }
        // What was held up to this round is free in the next.
        before.scan(
                Column.LEASE_ENDS,
                Column.number(round),
                Column.number(round + 1),
                (end, nothing) -> {
                    batch.delete(Column.LEASES, Arrays.copyOfRange(end, Long.BYTES, end.length));
                    batch.delete(Column.LEASE_ENDS, end);
                    return true;
                });
        for (StateDelta.Lease lease : delta.leases()) {
            if (lease.lastValid() > round) {
                batch.put(
                        Column.LEASES,
                        Column.lease(lease.sender(), lease.lease()),
                        value(lease.lastValid()));
                batch.put(
                        Column.LEASE_ENDS,
                        Column.leaseEnd(lease.lastValid(), lease.sender(), lease.lease()),
                        NOTHING);
            }
        }
    }

    /**
     * Removes all keys that start with a number. None is the usual case in a quiet network, and a
     * range deletion that deletes nothing would still be looked at by every read.
     */
    static void deleteAll(
            Column column, long number, LedgerStore.Snapshot before, LedgerStore.Batch batch) {
        byte[] from = Column.number(number);
        byte[] to = Column.number(number + 1);
        before.scan(
                column,
                from,
                to,
                (key, value) -> {
                    batch.deleteRange(column, from, to);
                    return false;
                });
    }

    /** After the batch is durable and before the round is shown. */
    void remember(StateDelta delta) {
        recent.begin(delta.round());
        for (StateDelta.CommittedId id : delta.ids()) {
            recent.change(id.id(), delta.round());
        }
    }

    private static final byte[] NOTHING = {(byte) 0xc0};

    private byte[] value(long number) {
        out.reset();
        out.writeUint(number);
        return out.toByteArray();
    }

    private static long number(byte[] value) {
        try {
            return new MsgpackReader().reset(value, 0, value.length).readUint();
        } catch (MalformedMessage malformed) {
            throw StoreFault.damaged("ids and leases: " + malformed.getMessage(), malformed);
        }
    }
}
