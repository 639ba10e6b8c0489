package topspin.net.rpc;

import static topspin.net.rpc.Fields.BYTES;
import static topspin.net.rpc.Fields.FIXED32;
import static topspin.net.rpc.Fields.FIXED64;
import static topspin.net.rpc.Fields.VARINT;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.net.Uvarint;
import topspin.net.rpc.RpcFault.Refused;

/**
 * Reads one RPC at a time and notes where its elements lie: offsets into the bytes it was lent,
 * valid until those are given back or the next one is read. Each header is decoded once, nothing is
 * copied, and the notes are used again, so that reading makes no garbage. Not for several threads;
 * one for each event loop is enough, and better than one for each peer, since its notes grow with
 * the largest RPC it met.
 *
 * <p>An RPC is read whole or refused whole. Read is what go-libp2p-pubsub reads: varints of up to
 * ten bytes, repeated fields of which the last counts, a control part in several pieces, unknown
 * fields. Refused beyond what that refuses are groups, which no version of the protocol has, and
 * more elements than the limits here, which are above what any honest peer sends.
 */
public final class RpcReader {
    /** As go-algorand's filter allows. */
    public static final int SUBSCRIPTIONS_MAX = 100;

    public static final int MESSAGES_MAX = 5_000;

    /** For each of IHAVE, IWANT and IDONTWANT. */
    public static final int IDS_MAX = 5_000;

    /** For each of IHAVE, GRAFT, PRUNE, and of pieces of the control part. */
    public static final int CONTROLS_MAX = 1_000;

    /** In the whole RPC; peers named in a PRUNE count, since nobody here goes to them. */
    public static final int UNKNOWN_FIELDS_MAX = 1_000;

    /** Offset and length of: the message, from, data, seqno, topic, key; then the flag. */
    private static final int MESSAGE_STRIDE = 13;

    private static final int FROM = 2;
    private static final int DATA = 4;
    private static final int SEQNO = 6;
    private static final int TOPIC = 8;
    private static final int KEY = 10;
    private static final int SIGNED = 12;

    /** Where a field lies that is not there. Its length is 0. */
    private static final int ABSENT = -1;

    private final Ints subscriptions = new Ints();
    private final Ints messages = new Ints();
    private final Ints ihaves = new Ints();
    private final Ints ihaveIds = new Ints();
    private final Ints iwantIds = new Ints();
    private final Ints idontwantIds = new Ints();
    private final Ints grafts = new Ints();
    private final Ints prunes = new Ints();

    private @Nullable ByteBuf lent;
    private int at;
    private int controls;
    private int wants;
    private int idontwants;
    private int unknownFields;

    // The element that is being read.
    private int fieldStart;
    private int fieldLength;

    /**
     * Reads the RPC that fills {@code length} bytes from {@code offset}. The buffer is lent: its
     * indexes stay, and it is not retained.
     *
     * @return null if it was read; else why not, and then nothing of it counts
     */
    public @Nullable RpcFault read(ByteBuf bytes, int offset, int length) {
        if (offset < 0 || length < 0 || length > bytes.capacity() - offset) {
            throw new IndexOutOfBoundsException(offset + " + " + length);
        }
        clear();
        lent = bytes;
        at = offset;
        try {
            readRpc(bytes, offset + length);
            return null;
        } catch (Refused refused) {
            clear();
            return refused.fault;
        }
    }

    private void clear() {
        subscriptions.clear();
        messages.clear();
        ihaves.clear();
        ihaveIds.clear();
        iwantIds.clear();
        idontwantIds.clear();
        grafts.clear();
        prunes.clear();
        controls = 0;
        wants = 0;
        idontwants = 0;
        unknownFields = 0;
    }

    private void readRpc(ByteBuf bytes, int end) {
        while (at < end) {
            long tag = varint(bytes, end);
            if (tag == Fields.PUBLISH) {
                readMessage(bytes, enter(bytes, end));
            } else if (tag == Fields.CONTROL) {
                bound(++controls, CONTROLS_MAX, RpcFault.CONTROLS);
                readControl(bytes, enter(bytes, end));
            } else if (tag == Fields.SUBSCRIPTION) {
                readSubscription(bytes, enter(bytes, end));
            } else {
                refuseOtherForm(tag, Fields.CONTROL >> 3);
                skip(bytes, tag, end);
            }
        }
    }

    private void readSubscription(ByteBuf bytes, int end) {
        int subscribe = 0;
        int topic = ABSENT;
        int topicLength = 0;
        while (at < end) {
            long tag = varint(bytes, end);
            if (tag == Fields.SUBSCRIBE) {
                subscribe = varint(bytes, end) != 0 ? 1 : 0;
            } else if (tag == Fields.SUBSCRIPTION_TOPIC) {
                readBytes(bytes, end);
                topic = fieldStart;
                topicLength = fieldLength;
            } else {
                refuseOtherForm(tag, 2);
                skip(bytes, tag, end);
            }
        }
        bound(subscriptions() + 1, SUBSCRIPTIONS_MAX, RpcFault.SUBSCRIPTIONS);
        subscriptions.add(topic, topicLength);
        subscriptions.add(subscribe);
    }

    private void readMessage(ByteBuf bytes, int end) {
        bound(messages() + 1, MESSAGES_MAX, RpcFault.MESSAGES);
        int base = messages.size();
        messages.add(at, end - at);
        for (int field = FROM; field < SIGNED; field += 2) {
            messages.add(ABSENT, 0);
        }
        messages.add(0);
        while (at < end) {
            long tag = varint(bytes, end);
            if (tag == Fields.DATA) {
                noteBytes(bytes, end, base + DATA);
            } else if (tag == Fields.TOPIC) {
                noteBytes(bytes, end, base + TOPIC);
            } else if (tag == Fields.FROM) {
                noteBytes(bytes, end, base + FROM);
            } else if (tag == Fields.SEQNO) {
                noteBytes(bytes, end, base + SEQNO);
            } else if (tag == Fields.KEY) {
                noteBytes(bytes, end, base + KEY);
            } else if (tag == Fields.SIGNATURE) {
                readBytes(bytes, end);
                messages.set(base + SIGNED, 1);
            } else {
                refuseOtherForm(tag, Fields.KEY >> 3);
                skip(bytes, tag, end);
            }
        }
    }

    private void noteBytes(ByteBuf bytes, int end, int place) {
        readBytes(bytes, end);
        messages.set(place, fieldStart);
        messages.set(place + 1, fieldLength);
    }

    private void readControl(ByteBuf bytes, int end) {
        while (at < end) {
            long tag = varint(bytes, end);
            if (tag == Fields.IHAVE) {
                readIhave(bytes, enter(bytes, end));
            } else if (tag == Fields.IWANT) {
                bound(++wants, CONTROLS_MAX, RpcFault.CONTROLS);
                readIds(bytes, enter(bytes, end), Fields.WANTED_ID, iwantIds);
            } else if (tag == Fields.IDONTWANT) {
                bound(++idontwants, CONTROLS_MAX, RpcFault.CONTROLS);
                readIds(bytes, enter(bytes, end), Fields.WANTED_ID, idontwantIds);
            } else if (tag == Fields.GRAFT) {
                readGraft(bytes, enter(bytes, end));
            } else if (tag == Fields.PRUNE) {
                readPrune(bytes, enter(bytes, end));
            } else if (tag == Fields.EXTENSIONS) {
                countUnknown();
                readBytes(bytes, end);
            } else {
                refuseOtherForm(tag, Fields.EXTENSIONS >> 3);
                skip(bytes, tag, end);
            }
        }
    }

    private void readIhave(ByteBuf bytes, int end) {
        int topic = ABSENT;
        int topicLength = 0;
        int first = ihaveIds.size() / 2;
        while (at < end) {
            long tag = varint(bytes, end);
            if (tag == Fields.IHAVE_ID) {
                readId(bytes, end, ihaveIds);
            } else if (tag == Fields.CONTROL_TOPIC) {
                readBytes(bytes, end);
                topic = fieldStart;
                topicLength = fieldLength;
            } else {
                refuseOtherForm(tag, 2);
                skip(bytes, tag, end);
            }
        }
        bound(ihaves() + 1, CONTROLS_MAX, RpcFault.CONTROLS);
        ihaves.add(topic, topicLength);
        ihaves.add(first, ihaveIds.size() / 2);
    }

    private void readIds(ByteBuf bytes, int end, int idTag, Ints ids) {
        while (at < end) {
            long tag = varint(bytes, end);
            if (tag == idTag) {
                readId(bytes, end, ids);
            } else {
                refuseOtherForm(tag, 1);
                skip(bytes, tag, end);
            }
        }
    }

    private void readId(ByteBuf bytes, int end, Ints ids) {
        bound(ids.size() / 2 + 1, IDS_MAX, RpcFault.IDS);
        readBytes(bytes, end);
        ids.add(fieldStart, fieldLength);
    }

    private void readGraft(ByteBuf bytes, int end) {
        int topic = ABSENT;
        int topicLength = 0;
        while (at < end) {
            long tag = varint(bytes, end);
            if (tag == Fields.CONTROL_TOPIC) {
                readBytes(bytes, end);
                topic = fieldStart;
                topicLength = fieldLength;
            } else {
                refuseOtherForm(tag, 1);
                skip(bytes, tag, end);
            }
        }
        bound(grafts() + 1, CONTROLS_MAX, RpcFault.CONTROLS);
        grafts.add(topic, topicLength);
    }

    private void readPrune(ByteBuf bytes, int end) {
        int topic = ABSENT;
        int topicLength = 0;
        long backoff = 0;
        while (at < end) {
            long tag = varint(bytes, end);
            if (tag == Fields.CONTROL_TOPIC) {
                readBytes(bytes, end);
                topic = fieldStart;
                topicLength = fieldLength;
            } else if (tag == Fields.PRUNE_BACKOFF) {
                backoff = varint(bytes, end);
            } else if (tag == Fields.PRUNE_PEER) {
                countUnknown();
                readBytes(bytes, end);
            } else {
                refuseOtherForm(tag, 3);
                skip(bytes, tag, end);
            }
        }
        bound(prunes() + 1, CONTROLS_MAX, RpcFault.CONTROLS);
        prunes.add(topic, topicLength);
        // Unsigned on the wire; nobody stays away for longer than an int of seconds.
        prunes.add(backoff < 0 || backoff > Integer.MAX_VALUE ? Integer.MAX_VALUE : (int) backoff);
    }

    private static void bound(int count, int most, RpcFault fault) {
        if (count > most) {
            throw fault.refused;
        }
    }

    /** A number up to the highest known one, in a form that the field does not have. */
    private static void refuseOtherForm(long tag, int highestNumber) {
        if (tag >>> 3 <= highestNumber) {
            throw RpcFault.MALFORMED.refused;
        }
    }

    private void countUnknown() {
        bound(++unknownFields, UNKNOWN_FIELDS_MAX, RpcFault.UNKNOWN_FIELDS);
    }

    private void skip(ByteBuf bytes, long tag, int end) {
        // Field numbers have 29 bits.
        if (tag >>> 32 != 0) {
            throw RpcFault.MALFORMED.refused;
        }
        countUnknown();
        switch ((int) tag & 7) {
            case VARINT -> varint(bytes, end);
            case FIXED64 -> advance(Long.BYTES, end);
            case BYTES -> readBytes(bytes, end);
            case FIXED32 -> advance(Integer.BYTES, end);
            default -> throw RpcFault.MALFORMED.refused;
        }
    }

    /** Reads a byte string's length and moves behind its bytes. */
    private void readBytes(ByteBuf bytes, int end) {
        long length = varint(bytes, end);
        fieldStart = at;
        advance(length, end);
        fieldLength = (int) length;
    }

    /** Reads a nested message's length; returns where it ends. */
    private int enter(ByteBuf bytes, int end) {
        long length = varint(bytes, end);
        requireRoom(length, end);
        return at + (int) length;
    }

    private void advance(long length, int end) {
        requireRoom(length, end);
        at += (int) length;
    }

    /** Lengths are unsigned: what looks negative is far too long. */
    private void requireRoom(long length, int end) {
        if (Long.compareUnsigned(length, end - at) > 0) {
            throw RpcFault.MALFORMED.refused;
        }
    }

    private long varint(ByteBuf bytes, int end) {
        long value = 0;
        int last = Math.min(end, at + Uvarint.BYTES_MAX);
        int shift = 0;
        for (int next = at; next < last; next++, shift += 7) {
            byte septet = bytes.getByte(next);
            value |= (septet & 0x7fL) << shift;
            if (septet >= 0) {
                at = next + 1;
                return value;
            }
        }
        throw RpcFault.MALFORMED.refused;
    }

    // What was read.

    /** The bytes that all offsets here are into. */
    public ByteBuf bytes() {
        if (lent == null) {
            throw new IllegalStateException("nothing was read yet");
        }
        return lent;
    }

    /** Whether the span is just these bytes. */
    public boolean equal(int offset, int length, byte[] expected) {
        if (length != expected.length) {
            return false;
        }
        ByteBuf bytes = bytes();
        for (int index = 0; index < length; index++) {
            if (bytes.getByte(offset + index) != expected[index]) {
                return false;
            }
        }
        return true;
    }

    public int subscriptions() {
        return subscriptions.size() / 3;
    }

    /** Whether the peer begins to listen to the topic; else it ceases. */
    public boolean subscribes(int subscription) {
        return subscriptions.get(3 * subscription + 2) != 0;
    }

    public boolean subscriptionIsTo(int subscription, byte[] topic) {
        int base = 3 * subscription;
        return equal(subscriptions.get(base), subscriptions.get(base + 1), topic);
    }

    public int messages() {
        return messages.size() / MESSAGE_STRIDE;
    }

    public boolean messageIsOn(int message, byte[] topic) {
        int base = message * MESSAGE_STRIDE + TOPIC;
        return equal(messages.get(base), messages.get(base + 1), topic);
    }

    /** Whether there is a signature field, be it empty. */
    public boolean messageIsSigned(int message) {
        return messages.get(message * MESSAGE_STRIDE + SIGNED) != 0;
    }

    /** Where the data starts; -1 if the message has none. */
    public int dataOffset(int message) {
        return messages.get(message * MESSAGE_STRIDE + DATA);
    }

    /** Bytes of data, 0 if the message has none; so with the other fields. */
    public int dataLength(int message) {
        return messages.get(message * MESSAGE_STRIDE + DATA + 1);
    }

    /** The peer that says it made the message; -1 if it does not say so. */
    public int fromOffset(int message) {
        return messages.get(message * MESSAGE_STRIDE + FROM);
    }

    public int fromLength(int message) {
        return messages.get(message * MESSAGE_STRIDE + FROM + 1);
    }

    public int seqnoOffset(int message) {
        return messages.get(message * MESSAGE_STRIDE + SEQNO);
    }

    public int seqnoLength(int message) {
        return messages.get(message * MESSAGE_STRIDE + SEQNO + 1);
    }

    public int keyOffset(int message) {
        return messages.get(message * MESSAGE_STRIDE + KEY);
    }

    public int keyLength(int message) {
        return messages.get(message * MESSAGE_STRIDE + KEY + 1);
    }

    /** IHAVE elements; each has a topic and some of the {@link #ihaveIdOffset ids}. */
    public int ihaves() {
        return ihaves.size() / 4;
    }

    public boolean ihaveIsOn(int ihave, byte[] topic) {
        return equal(ihaves.get(4 * ihave), ihaves.get(4 * ihave + 1), topic);
    }

    /** Its first id, among those of all. */
    public int ihaveFirst(int ihave) {
        return ihaves.get(4 * ihave + 2);
    }

    /** The one after its last id. */
    public int ihaveEnd(int ihave) {
        return ihaves.get(4 * ihave + 3);
    }

    public int ihaveIdOffset(int id) {
        return ihaveIds.get(2 * id);
    }

    public int ihaveIdLength(int id) {
        return ihaveIds.get(2 * id + 1);
    }

    /** Ids of all IWANT elements. */
    public int iwantIds() {
        return iwantIds.size() / 2;
    }

    public int iwantIdOffset(int id) {
        return iwantIds.get(2 * id);
    }

    public int iwantIdLength(int id) {
        return iwantIds.get(2 * id + 1);
    }

    /** IDONTWANT elements. */
    public int idontwants() {
        return idontwants;
    }

    /** Ids of all IDONTWANT elements. */
    public int idontwantIds() {
        return idontwantIds.size() / 2;
    }

    public int idontwantIdOffset(int id) {
        return idontwantIds.get(2 * id);
    }

    public int idontwantIdLength(int id) {
        return idontwantIds.get(2 * id + 1);
    }

    public int grafts() {
        return grafts.size() / 2;
    }

    public boolean graftIsFor(int graft, byte[] topic) {
        return equal(grafts.get(2 * graft), grafts.get(2 * graft + 1), topic);
    }

    public int prunes() {
        return prunes.size() / 3;
    }

    public boolean pruneIsFor(int prune, byte[] topic) {
        return equal(prunes.get(3 * prune), prunes.get(3 * prune + 1), topic);
    }

    /** Fields that mean nothing here, peers named in a PRUNE among them. */
    public int unknownFields() {
        return unknownFields;
    }

    /** Seconds to stay away; 0 if the peer does not say. */
    public int pruneBackoffSeconds(int prune) {
        return prunes.get(3 * prune + 2);
    }
}
