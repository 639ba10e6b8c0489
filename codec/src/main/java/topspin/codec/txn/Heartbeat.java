package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

/**
 * Shows that a participating account is alive.
 *
 * @param fields null if the field {@code hb} is absent, which is not the same as empty:
 *     well-formedness tells them apart
 */
public record Heartbeat(TransactionHeader header, @Nullable HeartbeatFields fields)
        implements Transaction {

    @Override
    public String typeText() {
        return TransactionType.HEARTBEAT.wireName();
    }

    @Override
    public Heartbeat withHeader(TransactionHeader newHeader) {
        return new Heartbeat(newHeader, fields);
    }
}
