package topspin.loadgen;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Ed25519;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetFreeze;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.GroupId;
import topspin.codec.txn.KeyRegistration;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What each slot holds, signed: a function of seed, slot, genesis and first valid round alone, so
 * that the same ones give the same bytes. Senders take turns, in an order that the seed shuffles.
 * Any thread may call.
 */
final class Workload {
    /** Rounds that a transaction may be confirmed in, the first one apart. */
    static final long LIFETIME_ROUNDS = 100;

    static final int NOTE_BYTES_MIN = Long.BYTES;
    static final int NOTE_BYTES_MAX = 1024;

    /** Bytes of a signed transaction, note and genesis id apart, whatever its numbers. */
    private static final int SIGNED_BYTES_MAX = 600;

    /** What a draw is for, after the single ones: bytes of notes, and words of leases. */
    private static final int NOTE = 4;

    private static final int LEASE = NOTE + NOTE_BYTES_MAX;

    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    /**
     * Assets of the load: one that all hold, and one of each account's own; 0 where none is needed.
     */
    record Assets(long shared, long[] own) {
        static final Assets NONE = new Assets(0, new long[0]);

        /** An account's own asset, as it is made. */
        static AssetParams created(Address creator) {
            return new AssetParams(
                    1,
                    0,
                    false,
                    Bytes.utf8("PING"),
                    Bytes.utf8("pingpong"),
                    Bytes.EMPTY,
                    Digest.ZERO,
                    creator,
                    creator,
                    creator,
                    Address.ZERO);
        }

        /** A change of its reserve address; only addresses can change. */
        private static AssetParams changed(Address creator, Address reserve) {
            return new AssetParams(
                    0,
                    0,
                    false,
                    Bytes.EMPTY,
                    Bytes.EMPTY,
                    Bytes.EMPTY,
                    Digest.ZERO,
                    creator,
                    reserve,
                    creator,
                    Address.ZERO);
        }
    }

    private final Shape shape;
    private final Accounts accounts;
    private final Assets assets;
    private final String genesisId;
    private final Digest genesisHash;
    private final int[] order;

    Workload(Shape shape, Accounts accounts, Assets assets, String genesisId, Digest genesisHash) {
        this.shape = shape;
        this.accounts = accounts;
        this.assets = assets;
        this.genesisId = genesisId;
        this.genesisHash = genesisHash;
        this.order = shuffled(accounts.size(), shape.seed());
    }

    int groupSize() {
        return shape.groupSize();
    }

    /** Bytes that a slot's signed group takes at most. */
    int slotBytesMax() {
        return shape.groupSize() * (SIGNED_BYTES_MAX + shape.noteBytes() + genesisId.length());
    }

    /** The slot's transactions, signed; a group of more than one has its group id. */
    TransactionGroup group(long slot, long firstValid) {
        if (shape.groupSize() == 1) {
            return TransactionGroup.of(
                    SignedTransaction.sign(transaction(slot, firstValid), keysOf(slot)));
        }
        long first = slot * shape.groupSize();
        var members = new ArrayList<Transaction>(shape.groupSize());
        for (int i = 0; i < shape.groupSize(); i++) {
            members.add(transaction(first + i, firstValid));
        }
        List<Transaction> grouped = GroupId.assign(members);
        var signed = new ArrayList<SignedTransaction>(shape.groupSize());
        for (int i = 0; i < shape.groupSize(); i++) {
            signed.add(SignedTransaction.sign(grouped.get(i), keysOf(first + i)));
        }
        return TransactionGroup.of(signed);
    }

    private Transaction transaction(long number, long firstValid) {
        int turn = turn(number);
        Address sender = accounts.get(order[turn]).address();
        TransactionHeader header =
                new TransactionHeader(
                                sender,
                                shape.fee(),
                                firstValid,
                                firstValid + LIFETIME_ROUNDS,
                                genesisId,
                                genesisHash)
                        .withNote(note(number));
        if (shape.leases()) {
            header = header.withLease(lease(number));
        }
        if (shape.rekeys()) {
            header = header.withRekeyTo(isSecondOfPair(number) ? sender : other(number, turn));
        }
        long draw = draw(number, 1);
        long amount = shape.amountMin() + below(draw, shape.amountMax() - shape.amountMin() + 1);
        Kind kind = shape.mix().at((int) below(draw(number, 2), 100));
        return switch (kind) {
            case PAY -> new Payment(header, other(number, turn), amount, Address.ZERO);
            case AXFER ->
                    new AssetTransfer(
                            header,
                            assets.shared(),
                            amount,
                            Address.ZERO,
                            other(number, turn),
                            Address.ZERO);
            case ACFG -> {
                AssetParams changed = Assets.changed(sender, other(number, turn));
                yield new AssetConfig(header, assets.own()[order[turn]], changed);
            }
            case AFRZ ->
                    new AssetFreeze(header, sender, assets.own()[order[turn]], draw(number, 4) < 0);
            case KEYREG ->
                    new KeyRegistration(
                            header, Digest.ZERO, Digest.ZERO, Bytes.EMPTY, 0, 0, 0, false);
        };
    }

    private int turn(long number) {
        return (int) ((shape.rekeys() ? number / 2 : number) % order.length);
    }

    private boolean isSecondOfPair(long number) {
        return shape.rekeys() && number % 2 == 1;
    }

    private Ed25519.KeyPair keysOf(long number) {
        int turn = turn(number);
        int place = isSecondOfPair(number) ? otherPlace(number - 1, turn) : turn;
        return accounts.get(order[place]).keys();
    }

    private Address other(long number, int turn) {
        return accounts.get(order[otherPlace(number, turn)]).address();
    }

    /** An account that is not the sender, unless there is but one. */
    private int otherPlace(long number, int turn) {
        int others = order.length - 1;
        int step = others == 0 ? 0 : 1 + (int) below(draw(number, 3), others);
        return (turn + step) % order.length;
    }

    private Digest lease(long number) {
        ByteBuffer lease = ByteBuffer.allocate(Digest.BYTES);
        for (int purpose = LEASE; lease.hasRemaining(); purpose++) {
            lease.putLong(draw(number, purpose));
        }
        return Digest.fromBytes(lease.array());
    }

    private Bytes note(long number) {
        ByteBuffer note = ByteBuffer.allocate(shape.noteBytes()).putLong(number);
        while (note.hasRemaining()) {
            note.put((byte) draw(number, NOTE + note.position()));
        }
        return Bytes.of(note.array());
    }

    private long draw(long number, int purpose) {
        return mixed(mixed(shape.seed() * GOLDEN + number) + purpose * GOLDEN);
    }

    private static long below(long draw, long bound) {
        return Math.unsignedMultiplyHigh(draw, bound);
    }

    /** David Stafford's thirteenth mix of 64 bits. */
    private static long mixed(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    private static int[] shuffled(int count, long seed) {
        var order = new int[count];
        for (int i = 0; i < count; i++) {
            int place = (int) below(mixed(seed + (i + 1) * GOLDEN), i + 1);
            order[i] = order[place];
            order[place] = i;
        }
        return order;
    }
}
