package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.ledger.Ledger;
import topspin.ledger.store.StoreFault;
import topspin.node.agreement.Journal;
import topspin.node.agreement.SavedState;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Agreement's journal in the ledger's database: one synced write for each vote, on the executor's
 * one thread, and never ahead of the ledger (agreement.md 8.4). A block that is agreed on is part
 * of the state behind each of these votes; it is written with the first and named by the others.
 */
final class LedgerJournal implements Journal {
    /** What a state begins with that was written in one piece, as once they all were. */
    private static final byte WHOLE = 1;

    private final Ledger ledger;
    private final Executor writer;
    private final Listener listener;

    /** Names of the parts that are durable: those of the latest state. Of the writing thread. */
    private Set<Digest> kept = Set.of();

    /**
     * @param writer one thread, in the order given
     */
    LedgerJournal(Ledger ledger, Executor writer, Listener listener) {
        this.ledger = ledger;
        this.writer = writer;
        this.listener = listener;
    }

    @Override
    public byte @Nullable [] load() {
        byte[] index = ledger.readJournal();
        if (index == null || index.length > 0 && index[0] == WHOLE) {
            return index;
        }
        try {
            return new SavedState(parts(index)).toByteArray();
        } catch (MalformedMessage unreadable) {
            throw StoreFault.damaged("agreement's journal", unreadable);
        }
    }

    private List<SavedState.Part> parts(byte[] index) throws MalformedMessage {
        var in = new MsgpackReader().reset(index, 0, index.length);
        int count = in.readArrayHeader(index.length);
        List<SavedState.Part> parts = new ArrayList<>(count);
        Set<Digest> names = new HashSet<>();
        for (int i = 0; i < count; i++) {
            if (!in.readBool()) {
                parts.add(new SavedState.Part(in.readBytes(index.length), null));
                continue;
            }
            Digest name = in.readDigest();
            byte[] bytes = ledger.readJournal(name);
            if (bytes == null) {
                throw in.malformed("nothing is kept as " + name, in.position());
            }
            names.add(name);
            parts.add(new SavedState.Part(Bytes.of(bytes), name));
        }
        kept = names;
        return parts;
    }

    @Override
    public void write(long round, SavedState state, long number) {
        var unused =
                ledger.reached(round - 1)
                        .whenCompleteAsync(
                                (reached, failure) ->
                                        listener.onWritten(
                                                number,
                                                failure == null
                                                        ? write(state)
                                                        : String.valueOf(failure)),
                                writer);
    }

    private @Nullable String write(SavedState state) {
        var index = new CanonicalWriter(16 * 1024);
        Map<Digest, Bytes> added = new HashMap<>();
        Set<Digest> names = new HashSet<>();
        index.writeArrayHeader(state.parts().size());
        for (SavedState.Part part : state.parts()) {
            Digest name = part.name();
            index.writeBool(name != null);
            if (name == null) {
                index.writeBytes(part.bytes());
                continue;
            }
            index.writeDigest(name);
            names.add(name);
            if (!kept.contains(name)) {
                added.put(name, part.bytes());
            }
        }
        Set<Digest> dropped = new HashSet<>(kept);
        dropped.removeAll(names);
        try {
            ledger.writeJournal(index.toByteArray(), added, dropped);
        } catch (StoreFault fault) {
            return String.valueOf(fault.getMessage());
        }
        kept = names;
        return null;
    }
}
