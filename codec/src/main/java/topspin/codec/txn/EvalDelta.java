package topspin.codec.txn;

import topspin.codec.Address;
import topspin.codec.Bytes;

import java.util.List;

/**
 * What running an application changed, as its block records it. Keys and values are byte strings
 * that the wire calls text. Lists are in the order of the wire, which is that of the keys.
 *
 * @param globalDelta changed keys of the application's own state
 * @param localDeltas changed keys of accounts' states
 * @param logs what it logged
 * @param sharedAccounts what indices beyond the transaction's own accounts mean
 * @param inner transactions it sent
 */
public record EvalDelta(
        List<KeyDelta> globalDelta,
        List<LocalDelta> localDeltas,
        List<Bytes> logs,
        List<Address> sharedAccounts,
        List<InnerTransaction> inner) {
    public EvalDelta {
        globalDelta = List.copyOf(globalDelta);
        localDeltas = List.copyOf(localDeltas);
        logs = List.copyOf(logs);
        sharedAccounts = List.copyOf(sharedAccounts);
        inner = List.copyOf(inner);
    }

    /**
     * What became of one key.
     *
     * @param action 1 set to {@code bytes}, 2 set to {@code uint}, 3 deleted
     */
    public record KeyDelta(Bytes key, long action, Bytes bytes, long uint) {}

    /**
     * What became of one account's keys.
     *
     * @param account 0 the sender, then the transaction's accounts, then {@code sharedAccounts}
     */
    public record LocalDelta(long account, List<KeyDelta> keys) {
        public LocalDelta {
            keys = List.copyOf(keys);
        }
    }

    /** A transaction that an application sent, with what it did. It is never signed. */
    public record InnerTransaction(SignedTransaction signed, ApplyData applied) {}
}
