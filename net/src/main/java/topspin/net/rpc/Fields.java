package topspin.net.rpc;

/**
 * Tags of the fields of an RPC, number and wire type in one: {@code number << 3 | type}. All but
 * two are byte strings.
 */
final class Fields {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int FIXED32 = 5;

    /** Of the RPC. */
    static final int SUBSCRIPTION = 1 << 3 | BYTES;

    static final int PUBLISH = 2 << 3 | BYTES;
    static final int CONTROL = 3 << 3 | BYTES;

    /** Of a subscription. */
    static final int SUBSCRIBE = 1 << 3 | VARINT;

    static final int SUBSCRIPTION_TOPIC = 2 << 3 | BYTES;

    /** Of a message. */
    static final int FROM = 1 << 3 | BYTES;

    static final int DATA = 2 << 3 | BYTES;
    static final int SEQNO = 3 << 3 | BYTES;
    static final int TOPIC = 4 << 3 | BYTES;
    static final int SIGNATURE = 5 << 3 | BYTES;
    static final int KEY = 6 << 3 | BYTES;

    /** Of the control part. */
    static final int IHAVE = 1 << 3 | BYTES;

    static final int IWANT = 2 << 3 | BYTES;
    static final int GRAFT = 3 << 3 | BYTES;
    static final int PRUNE = 4 << 3 | BYTES;
    static final int IDONTWANT = 5 << 3 | BYTES;

    /** Of version 1.3: read and ignored, so a byte string it must be. */
    static final int EXTENSIONS = 6 << 3 | BYTES;

    /** Of IHAVE, GRAFT and PRUNE. */
    static final int CONTROL_TOPIC = 1 << 3 | BYTES;

    /** Of IHAVE. */
    static final int IHAVE_ID = 2 << 3 | BYTES;

    /** Of IWANT and IDONTWANT. */
    static final int WANTED_ID = 1 << 3 | BYTES;

    /** Of PRUNE: peers to go to instead, and seconds to stay away. */
    static final int PRUNE_PEER = 2 << 3 | BYTES;

    static final int PRUNE_BACKOFF = 3 << 3 | VARINT;

    private Fields() {}
}
