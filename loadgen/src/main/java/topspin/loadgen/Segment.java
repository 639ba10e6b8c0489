package topspin.loadgen;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Slots in a row, signed before they are due, with what became of each. The bytes lie outside the
 * heap and are given back once sent. Written by the signer; then the event loop owns {@link
 * #answers}, the confirmations thread {@link #confirmedMembers}.
 */
final class Segment {
    /** Bytes of signed groups that one segment may hold. */
    static final long BYTES_MAX = 1L << 30;

    /** What the node said of a slot. */
    static final byte NO_ANSWER_YET = 0;

    static final byte ACCEPTED = 1;
    static final byte REFUSED = 2;
    static final byte UNANSWERED = 3;
    static final byte UNSENT = 4;

    static final int ID_BYTES = 32;

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final long firstSlot;
    private final int slots;
    private final int groupSize;
    private final long lastValid;
    private final int slotBytesMax;
    private final Arena signedArena = Arena.ofShared();
    private final Arena idArena = Arena.ofShared();
    private final MemorySegment signed;
    private final MemorySegment ids;
    private final ByteBuf signedBytes;
    private final int[] lengths;
    private final byte[] answers;
    private final byte[] confirmedMembers;

    Segment(long firstSlot, int slots, int groupSize, long lastValid, int slotBytesMax) {
        if (slots < 1 || (long) slots * slotBytesMax > BYTES_MAX) {
            throw new IllegalArgumentException("a segment of " + slots + " slots");
        }
        this.firstSlot = firstSlot;
        this.slots = slots;
        this.groupSize = groupSize;
        this.lastValid = lastValid;
        this.slotBytesMax = slotBytesMax;
        signed = signedArena.allocate((long) slots * slotBytesMax);
        ids = idArena.allocate((long) slots * groupSize * ID_BYTES);
        signedBytes = Unpooled.wrappedBuffer(signed.asByteBuffer());
        lengths = new int[slots];
        answers = new byte[slots];
        confirmedMembers = new byte[slots];
    }

    /** Puts the slot's signed group and ids in. Several threads may, each for slots of its own. */
    void put(long slot, TransactionGroup group) {
        int index = index(slot);
        int length = group.signedLength();
        if (length > slotBytesMax || group.size() != groupSize) {
            throw new IllegalArgumentException("a group of " + length + " bytes");
        }
        MemorySegment.copy(
                group.bytes(),
                group.offset(),
                signed,
                ValueLayout.JAVA_BYTE,
                (long) index * slotBytesMax,
                length);
        lengths[index] = length;
        for (int member = 0; member < groupSize; member++) {
            SignedTransaction transaction = group.get(member);
            MemorySegment.copy(
                    transaction.id().toBytes(),
                    0,
                    ids,
                    ValueLayout.JAVA_BYTE,
                    idOffset(slot, member),
                    ID_BYTES);
        }
    }

    long firstSlot() {
        return firstSlot;
    }

    /** The first slot behind it. */
    long endSlot() {
        return firstSlot + slots;
    }

    int slots() {
        return slots;
    }

    boolean holds(long slot) {
        return slot >= firstSlot && slot < firstSlot + slots;
    }

    /** The last round that may hold its transactions. */
    long lastValid() {
        return lastValid;
    }

    /** The signed groups; one begins at {@link #start}. For the event loop only. */
    ByteBuf signedBytes() {
        return signedBytes;
    }

    int start(long slot) {
        return index(slot) * slotBytesMax;
    }

    int length(long slot) {
        return lengths[index(slot)];
    }

    /** The first eight bytes of a member's id. */
    long idPrefix(long slot, int member) {
        return ids.get(LONG, idOffset(slot, member));
    }

    /** The ids of a slot's members in a row. */
    byte[] ids(long slot) {
        return ids.asSlice(idOffset(slot, 0), (long) groupSize * ID_BYTES)
                .toArray(ValueLayout.JAVA_BYTE);
    }

    /** For the event loop. */
    void answer(long slot, byte answer) {
        answers[index(slot)] = answer;
    }

    byte answer(long slot) {
        return answers[index(slot)];
    }

    /** One more member of the slot is in a block. For the confirmations thread. */
    void confirm(long slot) {
        confirmedMembers[index(slot)]++;
    }

    int confirmedMembers(long slot) {
        return confirmedMembers[index(slot)];
    }

    /** All is sent: gives the bytes back. For the event loop, which alone reads them. */
    void releaseSigned() {
        signedArena.close();
    }

    /** All is settled: gives the ids back. For the confirmations thread, which alone reads them. */
    void release() {
        idArena.close();
        if (signedArena.scope().isAlive()) { // Never sent from: signed too late, or the run ended.
            signedArena.close();
        }
    }

    private long idOffset(long slot, int member) {
        return ((long) index(slot) * groupSize + member) * ID_BYTES;
    }

    private int index(long slot) {
        if (!holds(slot)) {
            throw new IllegalArgumentException("slot " + slot + " is elsewhere");
        }
        return (int) (slot - firstSlot);
    }
}
