package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.ledger.Ledger;
import topspin.ledger.store.StoreFault;
import topspin.node.agreement.Journal;

import java.util.concurrent.Executor;

/**
 * Agreement's journal in the ledger's database: one synced write for each vote, on the executor's
 * one thread, and never ahead of the ledger (agreement.md 8.4).
 */
final class LedgerJournal implements Journal {
    private final Ledger ledger;
    private final Executor writer;
    private final Listener listener;

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
        return ledger.readJournal();
    }

    @Override
    public void write(long round, byte[] state, long number) {
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

    private @Nullable String write(byte[] state) {
        try {
            ledger.writeJournal(state);
            return null;
        } catch (StoreFault fault) {
            return String.valueOf(fault.getMessage());
        }
    }
}
