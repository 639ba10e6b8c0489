package topspin.ledger.store;

import org.jspecify.annotations.Nullable;

/**
 * The machine's fault: the ledger's folder cannot be opened, read or written. The message is one
 * line that says what is wrong and what to do; the node stops with it (exit status 3).
 *
 * <p>After a fault while writing nothing is lost that was ever reported durable; the round that was
 * being written may or may not be there when the folder is opened again, and is whole if it is.
 */
public final class StoreFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What went wrong, for tests and for whoever decides on a restart. */
    public enum Kind {
        /** Another process, or another store in this one, has the folder open. */
        LOCKED,
        /** Written by a later version of this program. */
        NEWER_FORMAT,
        /** The folder holds the ledger of another network. */
        OTHER_GENESIS,
        /** Files are missing, or their content fails a check. */
        DAMAGED,
        NO_SPACE,
        /**
         * Anything else the file system refuses: permissions, a read-only mount, a failing disk.
         */
        IO,
        /** There is no native library for this machine, or it cannot be loaded. */
        PLATFORM,
    }

    private final Kind kind;

    public StoreFault(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Something in the folder is not as it was written; it must not be written to again. */
    public static StoreFault damaged(String what, @Nullable Throwable cause) {
        return new StoreFault(
                Kind.DAMAGED,
                "the ledger is damaged: "
                        + what
                        + "; move its folder away and start again: the node then fetches the blocks"
                        + " from its peers, or begins at round 0 if it has none",
                cause);
    }

    public Kind kind() {
        return kind;
    }
}
