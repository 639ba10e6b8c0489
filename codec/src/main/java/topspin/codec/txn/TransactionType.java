package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** The kinds of transaction, by their names on the wire. */
public enum TransactionType {
    PAYMENT("pay"),
    KEY_REGISTRATION("keyreg"),
    ASSET_CONFIG("acfg"),
    ASSET_TRANSFER("axfer"),
    ASSET_FREEZE("afrz"),
    APPLICATION_CALL("appl"),
    STATE_PROOF("stpf"),
    HEARTBEAT("hb");

    private static final Map<String, TransactionType> BY_WIRE_NAME = new HashMap<>();

    static {
        for (TransactionType type : values()) {
            BY_WIRE_NAME.put(type.wireName, type);
        }
    }

    private final String wireName;

    TransactionType(String wireName) {
        this.wireName = wireName;
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
