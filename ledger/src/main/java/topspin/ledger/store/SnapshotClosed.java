package topspin.ledger.store;

/**
 * A snapshot was read after its owner let go of it: the view it belonged to is too old. Take a
 * newer view and start again.
 */
public final class SnapshotClosed extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public SnapshotClosed() {
        super("this view of the ledger is too old to be read, or the ledger is closed");
    }
}
