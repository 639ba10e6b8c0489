package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.Key;

import java.util.HashMap;
import java.util.Map;

/** The kinds of transaction, by their names on the wire. */
public enum TransactionType {
    PAYMENT("pay", 1 << 0),
    KEY_REGISTRATION("keyreg", 1 << 1),
    ASSET_CONFIG("acfg", 1 << 2),
    ASSET_TRANSFER("axfer", 1 << 3),
    ASSET_FREEZE("afrz", 1 << 4),
    APPLICATION_CALL("appl", 1 << 5),
    STATE_PROOF("stpf", 1 << 6),
    HEARTBEAT("hb", 1 << 7);

    private static final Map<String, TransactionType> BY_WIRE_NAME = new HashMap<>();

    static {
        for (TransactionType type : values()) {
            BY_WIRE_NAME.put(type.wireName, type);
        }
    }

    private final String wireName;

    @SuppressWarnings("ImmutableEnumChecker") // Nobody writes to it.
    private final Key wireKey;

    private final int bit;

    TransactionType(String wireName, int bit) {
        this.wireName = wireName;
        this.bit = bit;
        this.wireKey = Key.of(wireName);
    }

    /** One bit of an {@code int}, its own, for sets of types on the hot path. */
    int bit() {
        return bit;
    }

    /** The name as it stands on the wire. */
    Key wireKey() {
        return wireKey;
    }

    /** What the field {@code type} holds. */
    public String wireName() {
        return wireName;
    }

    /** The type of that name; null if there is none. */
    public static @Nullable TransactionType ofWireName(String wireName) {
        return BY_WIRE_NAME.get(wireName);
    }
}
