package topspin.net.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import topspin.net.Uvarint;

import java.util.Arrays;

/**
 * Gathers what one peer is to be told and puts it into as few RPCs as a limit allows. Elements keep
 * their order within a kind; kinds come in the order subscriptions, GRAFT and PRUNE, IDONTWANT,
 * IWANT, IHAVE, messages, so that what is small and urgent does not wait behind what is large. Ids
 * of IWANT and IDONTWANT share one element in an RPC, ids of IHAVE one for each run of equal
 * topics, whose name is repeated where the run is cut.
 *
 * <p>An element that no RPC can hold is refused when it is offered, alone: all others go on as if
 * it had not been there. So no RPC is empty, none is over the limit, and nothing is lost or sent
 * twice (gossip.md C1, corner cases). Sizes are exact: each element brings its own, and a running
 * sum decides in constant time whether it still fits.
 *
 * <pre>
 *  batch.message(entry) … ; int rpcs = batch.split();
 *  for each: ByteBuf frame = batch.frame(rpc, allocator);   batch.clear();
 * </pre>
 *
 * <p>Not for several threads. Arrays given to {@link #message} are kept and only read, all others
 * are copied.
 */
public final class RpcBatch {
    /** Largest limit: sums of two sizes below it do not wrap. */
    public static final int LIMIT_MAX = 1 << 29;

    /** Field header and length of a nested message of {@code length} bytes, and those. */
    private static int field(int length) {
        return 1 + Uvarint.size(length) + length;
    }

    private static final byte[] SUBSCRIBE_TRUE = {(byte) Fields.SUBSCRIBE, 1};
    private static final byte[] SUBSCRIBE_FALSE = {(byte) Fields.SUBSCRIBE, 0};

    private final int rpcBytesMax;

    // Every section but the last holds encoded fields end to end; positions run through all.
    private final Section fields = new Section();
    private final Section controls = new Section();
    private final Section idontwants = new Section();
    private final Section iwants = new Section();
    private final Section ihaves = new Section();

    /** The run of equal topics, an index into {@link #topics}, that each IHAVE id belongs to. */
    private int[] ihaveRuns = new int[16];

    /** Encoded topic fields of the runs. */
    private final Section topics = new Section();

    private byte[][] messages = new byte[16][];
    private int[] messageBytes = new int[16];
    private int messageCount;

    // What split() found: where each RPC ends, and its size.
    private int[] ends = new int[16];
    private int[] sizes = new int[16];
    private int rpcs;

    /**
     * @param rpcBytesMax most bytes of an RPC, the length before it not counted: 1 to {@link
     *     #LIMIT_MAX}
     */
    public RpcBatch(int rpcBytesMax) {
        if (rpcBytesMax <= 0 || rpcBytesMax > LIMIT_MAX) {
            throw new IllegalArgumentException("rpcBytesMax: " + rpcBytesMax);
        }
        this.rpcBytesMax = rpcBytesMax;
    }

    /** Encodes what {@link #message} takes, of a message with data and topic alone. */
    public static byte[] messageEntry(byte[] data, int offset, int length, byte[] topic) {
        int body = field(length) + field(topic.length);
        byte[] entry = new byte[field(body)];
        int at = writeHeader(Fields.PUBLISH, body, entry, 0);
        at = writeHeader(Fields.DATA, length, entry, at);
        System.arraycopy(data, offset, entry, at, length);
        at += length;
        at = writeBytes(Fields.TOPIC, topic, entry, at);
        assert at == entry.length;
        return entry;
    }

    /**
     * Encodes what {@link #message} takes from a message that was read: from, data, seqno, topic
     * and key as they are. Fields that mean nothing are left out, and so is each of from, seqno and
     * key that is longer than {@code extraBytesMax}: nobody is made to carry them further.
     */
    public static byte[] messageEntry(RpcReader rpc, int message, byte[] topic, int extraBytesMax) {
        boolean from = isCarried(rpc.fromOffset(message), rpc.fromLength(message), extraBytesMax);
        boolean seqno =
                isCarried(rpc.seqnoOffset(message), rpc.seqnoLength(message), extraBytesMax);
        boolean key = isCarried(rpc.keyOffset(message), rpc.keyLength(message), extraBytesMax);
        int body =
                field(rpc.dataLength(message))
                        + field(topic.length)
                        + (from ? field(rpc.fromLength(message)) : 0)
                        + (seqno ? field(rpc.seqnoLength(message)) : 0)
                        + (key ? field(rpc.keyLength(message)) : 0);
        byte[] entry = new byte[field(body)];
        int at = writeHeader(Fields.PUBLISH, body, entry, 0);
        ByteBuf bytes = rpc.bytes();
        if (from) {
            int length = rpc.fromLength(message);
            at = copy(Fields.FROM, bytes, rpc.fromOffset(message), length, entry, at);
        }
        int data = rpc.dataOffset(message);
        at = copy(Fields.DATA, bytes, data, rpc.dataLength(message), entry, at);
        if (seqno) {
            int length = rpc.seqnoLength(message);
            at = copy(Fields.SEQNO, bytes, rpc.seqnoOffset(message), length, entry, at);
        }
        at = writeBytes(Fields.TOPIC, topic, entry, at);
        if (key) {
            int length = rpc.keyLength(message);
            at = copy(Fields.KEY, bytes, rpc.keyOffset(message), length, entry, at);
        }
        assert at == entry.length;
        return entry;
    }

    private static boolean isCarried(int offset, int length, int extraBytesMax) {
        return offset >= 0 && length <= extraBytesMax;
    }

    private static int copy(int tag, ByteBuf from, int offset, int length, byte[] to, int at) {
        int start = writeHeader(tag, length, to, at);
        if (length > 0) { // An absent field has no offset.
            from.getBytes(offset, to, start, length);
        }
        return start + length;
    }

    private static int writeHeader(int tag, int length, byte[] target, int at) {
        target[at] = (byte) tag;
        return Uvarint.write(length, target, at + 1);
    }

    private static int writeBytes(int tag, byte[] value, byte[] target, int at) {
        int start = writeHeader(tag, value.length, target, at);
        System.arraycopy(value, 0, target, start, value.length);
        return start + value.length;
    }

    // Each of the following returns false, and does nothing, if no RPC can hold the element.

    /**
     * @param entry the message as a field of the RPC, as {@link #messageEntry} makes it
     */
    public boolean message(byte[] entry) {
        requireSome(entry);
        int bytes = entry.length;
        if (bytes > rpcBytesMax) {
            return false;
        }
        int at = messageCount;
        if (at == messages.length) {
            messages = Arrays.copyOf(messages, 2 * at);
            messageBytes = Arrays.copyOf(messageBytes, 2 * at);
        }
        messages[at] = entry;
        messageBytes[at] = bytes;
        messageCount = at + 1;
        return true;
    }

    public boolean subscription(boolean subscribe, byte[] topic) {
        int body = SUBSCRIBE_TRUE.length + field(topic.length);
        if (field(body) > rpcBytesMax) {
            return false;
        }
        fields.begin(field(body));
        fields.header(Fields.SUBSCRIPTION, body);
        fields.raw(subscribe ? SUBSCRIBE_TRUE : SUBSCRIBE_FALSE);
        fields.bytes(Fields.SUBSCRIPTION_TOPIC, topic);
        fields.end();
        return true;
    }

    /** A field of the RPC that this class has no word for, with its header. */
    public boolean otherField(byte[] encoded) {
        requireSome(encoded);
        return encoded.length <= rpcBytesMax && fields.whole(encoded);
    }

    /** A field of the control part that this class has no word for, with its header. */
    public boolean otherControl(byte[] encoded) {
        requireSome(encoded);
        return field(encoded.length) <= rpcBytesMax && controls.whole(encoded);
    }

    private static void requireSome(byte[] encoded) {
        if (encoded.length == 0) {
            throw new IllegalArgumentException("a field has at least its header");
        }
    }

    public boolean graft(byte[] topic) {
        int body = field(topic.length);
        if (field(field(body)) > rpcBytesMax) {
            return false;
        }
        controls.begin(field(body));
        controls.header(Fields.GRAFT, body);
        controls.bytes(Fields.CONTROL_TOPIC, topic);
        controls.end();
        return true;
    }

    /**
     * @param backoffSeconds for how long the peer is to stay away; 0 leaves it out, as version 1.0
     *     has it
     */
    public boolean prune(byte[] topic, long backoffSeconds) {
        int body = field(topic.length);
        if (backoffSeconds != 0) {
            body += 1 + Uvarint.size(backoffSeconds);
        }
        if (field(field(body)) > rpcBytesMax) {
            return false;
        }
        controls.begin(field(body));
        controls.header(Fields.PRUNE, body);
        controls.bytes(Fields.CONTROL_TOPIC, topic);
        if (backoffSeconds != 0) {
            controls.number(Fields.PRUNE_BACKOFF, backoffSeconds);
        }
        controls.end();
        return true;
    }

    public boolean idontwant(byte[] ids, int offset, int length) {
        return wanted(idontwants, ids, offset, length);
    }

    public boolean iwant(byte[] ids, int offset, int length) {
        return wanted(iwants, ids, offset, length);
    }

    private boolean wanted(Section section, byte[] ids, int offset, int length) {
        if (field(field(field(length))) > rpcBytesMax) {
            return false;
        }
        section.begin(field(length));
        section.header(Fields.WANTED_ID, length);
        section.raw(ids, offset, length);
        section.end();
        return true;
    }

    public boolean ihave(byte[] topic, byte[] ids, int offset, int length) {
        if (field(field(field(topic.length) + field(length))) > rpcBytesMax) {
            return false;
        }
        int run = topics.count - 1;
        if (run < 0 || !topics.isBytes(run, Fields.CONTROL_TOPIC, topic)) {
            topics.begin(field(topic.length));
            topics.bytes(Fields.CONTROL_TOPIC, topic);
            topics.end();
            run++;
        }
        if (ihaves.count == ihaveRuns.length) {
            ihaveRuns = Arrays.copyOf(ihaveRuns, 2 * ihaves.count);
        }
        ihaveRuns[ihaves.count] = run;
        ihaves.begin(field(length));
        ihaves.header(Fields.IHAVE_ID, length);
        ihaves.raw(ids, offset, length);
        ihaves.end();
        return true;
    }

    public boolean isEmpty() {
        return elements() == 0;
    }

    /** Elements gathered, each id and each message one. */
    public int elements() {
        return ihavesEnd() + messageCount;
    }

    /** Forgets all elements. Room that an unusual batch took is given back. */
    public void clear() {
        fields.clear();
        controls.clear();
        idontwants.clear();
        iwants.clear();
        ihaves.clear();
        topics.clear();
        if (messageCount > Section.KEPT_MAX) {
            messages = new byte[16][];
            messageBytes = new int[16];
        } else {
            Arrays.fill(messages, 0, messageCount, null);
        }
        messageCount = 0;
        rpcs = 0;
    }

    // Positions: an element's index within its section, after all sections before it.

    private int controlsEnd() {
        return fields.count + controls.count;
    }

    private int idontwantsEnd() {
        return controlsEnd() + idontwants.count;
    }

    private int iwantsEnd() {
        return idontwantsEnd() + iwants.count;
    }

    private int ihavesEnd() {
        return iwantsEnd() + ihaves.count;
    }

    /**
     * Decides what goes into which RPC.
     *
     * @return the number of RPCs; 0 if there are no elements
     */
    public int split() {
        rpcs = 0;
        int limit = rpcBytesMax;
        int position = 0;

        int size = 0;
        for (int index = 0; index < fields.count; index++, position++) {
            int bytes = fields.bytes(index);
            if (size + bytes > limit) {
                cut(position, size);
                size = 0;
            }
            size += bytes;
        }

        int outside = size; // Of the RPC, what is not control.
        int control = 0;
        for (int index = 0; index < controls.count; index++, position++) {
            int bytes = controls.bytes(index);
            if (outside + field(control + bytes) > limit) {
                cut(position, total(outside, control));
                outside = 0;
                control = 0;
            }
            control += bytes;
        }

        for (int kind = 0; kind < 2; kind++) {
            Section ids = kind == 0 ? idontwants : iwants;
            int before = control; // In the control part, what is not of this kind.
            int group = 0;
            for (int index = 0; index < ids.count; index++, position++) {
                int bytes = ids.bytes(index);
                if (outside + field(before + field(group + bytes)) > limit) {
                    cut(position, total(outside, control));
                    outside = 0;
                    before = 0;
                    group = 0;
                }
                group += bytes;
                control = before + field(group);
            }
        }

        int before = control;
        int group = 0;
        int run = -1;
        for (int index = 0; index < ihaves.count; index++, position++) {
            int bytes = ihaves.bytes(index);
            int runHere = ihaveRuns[index];
            if (runHere != run) {
                before = control;
                group = topics.bytes(runHere);
                run = runHere;
            }
            if (outside + field(before + field(group + bytes)) > limit) {
                cut(position, total(outside, control));
                outside = 0;
                before = 0;
                group = topics.bytes(runHere);
            }
            group += bytes;
            control = before + field(group);
        }

        splitMessages(position, total(outside, control));
        return rpcs;
    }

    private void splitMessages(int first, int before) {
        int[] bytes = messageBytes;
        int count = messageCount;
        int limit = rpcBytesMax;
        int size = before;
        int full = RpcReader.MESSAGES_MAX; // No peer reads more, however small they are.
        for (int index = 0; index < count; index++) {
            int next = size + bytes[index];
            if (next > limit || index == full) {
                cut(first + index, size);
                next = bytes[index];
                full = index + RpcReader.MESSAGES_MAX;
            }
            size = next;
        }
        if (size > 0) {
            cut(first + count, size);
        }
    }

    private static int total(int outside, int control) {
        return control == 0 ? outside : outside + field(control);
    }

    private void cut(int end, int size) {
        if (rpcs == ends.length) {
            ends = Arrays.copyOf(ends, 2 * rpcs);
            sizes = Arrays.copyOf(sizes, 2 * rpcs);
        }
        ends[rpcs] = end;
        sizes[rpcs] = size;
        rpcs++;
    }

    // Of the RPCs that the last split() found.

    /** Bytes of the RPC, its length not counted. */
    public int rpcBytes(int rpc) {
        return sizes[rpc];
    }

    private int start(int rpc) {
        return rpc == 0 ? 0 : ends[rpc - 1];
    }

    /** Whether the RPC has a GRAFT or PRUNE in it. */
    public boolean hasMeshChange(int rpc) {
        return start(rpc) < controlsEnd() && ends[rpc] > fields.count;
    }

    /** Whether the RPC has a subscription in it. */
    public boolean hasSubscription(int rpc) {
        return start(rpc) < fields.count;
    }

    /** Messages in the RPC. */
    public int messages(int rpc) {
        return Math.max(0, ends[rpc] - Math.max(start(rpc), ihavesEnd()));
    }

    /** Bytes of the RPC and of the length before it. */
    public int frameBytes(int rpc) {
        return Uvarint.size(sizes[rpc]) + sizes[rpc];
    }

    /** The RPC behind its length, in a buffer of just that size, which is the caller's. */
    public ByteBuf frame(int rpc, ByteBufAllocator allocator) {
        int frameBytes = frameBytes(rpc);
        ByteBuf frame = allocator.buffer(frameBytes, frameBytes);
        writeFrame(rpc, frame);
        return frame;
    }

    /** Appends the RPC behind its length. */
    public void writeFrame(int rpc, ByteBuf out) {
        int start = out.writerIndex();
        Uvarint.write(sizes[rpc], out);
        write(rpc, out);
        assert out.writerIndex() - start == frameBytes(rpc);
    }

    private void write(int rpc, ByteBuf out) {
        int start = start(rpc);
        int end = ends[rpc];
        fields.write(start, end, out);
        int firstMessage = Math.max(start - ihavesEnd(), 0);
        for (int index = firstMessage; index < end - ihavesEnd(); index++) {
            out.writeBytes(messages[index]);
        }
        int wants = controlsEnd();
        int control =
                controls.span(start - fields.count, end - fields.count)
                        + group(idontwants.span(start - wants, end - wants))
                        + group(iwants.span(start - idontwantsEnd(), end - idontwantsEnd()))
                        + ihaveBytes(start - iwantsEnd(), end - iwantsEnd());
        if (control == 0) {
            return;
        }
        writeHeader(Fields.CONTROL, control, out);
        writeIhaves(start - iwantsEnd(), end - iwantsEnd(), out);
        writeGroup(Fields.IWANT, iwants, start - idontwantsEnd(), end - idontwantsEnd(), out);
        controls.write(start - fields.count, end - fields.count, out);
        writeGroup(Fields.IDONTWANT, idontwants, start - wants, end - wants, out);
    }

    private static int group(int bytes) {
        return bytes == 0 ? 0 : field(bytes);
    }

    private static void writeHeader(int tag, int length, ByteBuf out) {
        out.writeByte(tag);
        Uvarint.write(length, out);
    }

    private static void writeGroup(int tag, Section ids, int from, int to, ByteBuf out) {
        int bytes = ids.span(from, to);
        if (bytes > 0) {
            writeHeader(tag, bytes, out);
            ids.write(from, to, out);
        }
    }

    private int runEnd(int index, int end) {
        int next = index + 1;
        while (next < end && ihaveRuns[next] == ihaveRuns[index]) {
            next++;
        }
        return next;
    }

    private int ihaveBytes(int from, int to) {
        int end = Math.min(to, ihaves.count);
        int bytes = 0;
        for (int index = Math.max(from, 0); index < end; ) {
            int next = runEnd(index, end);
            bytes += field(topics.bytes(ihaveRuns[index]) + ihaves.span(index, next));
            index = next;
        }
        return bytes;
    }

    private void writeIhaves(int from, int to, ByteBuf out) {
        int end = Math.min(to, ihaves.count);
        for (int index = Math.max(from, 0); index < end; ) {
            int next = runEnd(index, end);
            int run = ihaveRuns[index];
            writeHeader(Fields.IHAVE, topics.bytes(run) + ihaves.span(index, next), out);
            topics.write(run, run + 1, out);
            ihaves.write(index, next, out);
            index = next;
        }
    }

    /** Encoded fields end to end, and where each ends. */
    private static final class Section {
        /** Elements whose room is kept from one batch to the next. */
        static final int KEPT_MAX = 1_024;

        private static final int BYTES_KEPT_MAX = 64 << 10;

        private byte[] bytes = new byte[64];
        private int[] ends = new int[16];
        private int used;
        private int count;

        void begin(int length) {
            if (length > bytes.length - used) {
                int room = (int) Math.min(2L * (used + length), Integer.MAX_VALUE - 8);
                bytes = Arrays.copyOf(bytes, room);
            }
            if (count == ends.length) {
                ends = Arrays.copyOf(ends, 2 * count);
            }
        }

        void header(int tag, int length) {
            used = writeHeader(tag, length, bytes, used);
        }

        void number(int tag, long value) {
            bytes[used] = (byte) tag;
            used = Uvarint.write(value, bytes, used + 1);
        }

        void bytes(int tag, byte[] value) {
            used = writeBytes(tag, value, bytes, used);
        }

        void raw(byte[] value) {
            raw(value, 0, value.length);
        }

        void raw(byte[] value, int offset, int length) {
            System.arraycopy(value, offset, bytes, used, length);
            used += length;
        }

        void end() {
            ends[count++] = used;
        }

        boolean whole(byte[] encoded) {
            begin(encoded.length);
            raw(encoded);
            end();
            return true;
        }

        private int start(int index) {
            return index == 0 ? 0 : ends[index - 1];
        }

        int bytes(int index) {
            return ends[index] - start(index);
        }

        /** Bytes of the elements in {@code [from, to)} that are in this section. */
        int span(int from, int to) {
            int first = Math.max(from, 0);
            int end = Math.min(to, count);
            return end <= first ? 0 : ends[end - 1] - start(first);
        }

        void write(int from, int to, ByteBuf out) {
            int length = span(from, to);
            if (length > 0) {
                out.writeBytes(bytes, start(Math.max(from, 0)), length);
            }
        }

        /** Whether the element is a field with this tag and value. */
        boolean isBytes(int index, int tag, byte[] value) {
            int length = bytes(index);
            int end = ends[index];
            return length == field(value.length)
                    && bytes[start(index)] == (byte) tag
                    && Arrays.equals(bytes, end - value.length, end, value, 0, value.length);
        }

        void clear() {
            used = 0;
            count = 0;
            if (bytes.length > BYTES_KEPT_MAX || ends.length > KEPT_MAX) {
                bytes = new byte[64];
                ends = new int[16];
            }
        }
    }
}
