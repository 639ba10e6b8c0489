package topspin.ledger.store;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * Columns of bytes, sorted by unsigned key. One thread commits rounds; any thread reads, takes
 * snapshots, or commits a batch to a column that is its own.
 *
 * <p>Every method may throw {@link StoreFault}; after {@link #close} every method but {@code close}
 * throws {@link SnapshotClosed}. Arrays that are handed over must not be changed afterwards, nor
 * may those that are handed out.
 */
public interface LedgerStore extends AutoCloseable {

    /** The latest value of a key, or null. */
    byte @Nullable [] get(Column column, byte[] key);

    /** What all columns hold now; later batches do not show in it. The caller closes it. */
    Snapshot snapshot();

    /** An empty batch. The caller closes it, committed or not. */
    Batch batch();

    /**
     * Lets go at once of the disk space of keys from {@code from} up to {@code to}, exclusive, that
     * a committed {@link Batch#deleteRange} has already removed and no snapshot needs. A hint.
     */
    void reclaim(Column column, byte[] from, byte[] to);

    /**
     * Writes what all columns hold now into a folder that is not there yet, for a store to be
     * opened on. Files that never change are shared with it where the file system can.
     */
    void copyTo(Path folder);

    /** Bytes in use; cheap enough for a metrics page. */
    Usage usage();

    /** Waits for calls in progress, then closes everything, snapshots included. Idempotent. */
    @Override
    void close();

    /** All columns at one moment. Any thread may read; the owner closes it. */
    interface Snapshot extends AutoCloseable {
        byte @Nullable [] get(Column column, byte[] key);

        /**
         * Shows entries from {@code from} up to {@code to}, exclusive (null: to the end), in order
         * of key, until the visitor has had enough.
         */
        void scan(Column column, byte[] from, byte @Nullable [] to, Visitor visitor);

        /** Reads in progress finish; later ones throw {@link SnapshotClosed}. Idempotent. */
        @Override
        void close();
    }

    /** Changes that become visible and durable together, or not at all. For one thread. */
    interface Batch extends AutoCloseable {
        void put(Column column, byte[] key, byte[] value);

        void delete(Column column, byte[] key);

        /** Removes all keys from {@code from} up to {@code to}, exclusive. */
        void deleteRange(Column column, byte[] from, byte[] to);

        /**
         * When it returns, the changes survive a crash of the process or the machine. Once only.
         */
        void commit();

        @Override
        void close();
    }

    /** Receives entries of a scan. */
    interface Visitor {
        /** Returns whether to go on. */
        boolean visit(byte[] key, byte[] value);
    }

    /**
     * What a store occupies, in bytes.
     *
     * @param cache blocks held in the block cache, and the share of it that memtables charge
     * @param cachePinned of these, what readers hold on to right now
     * @param memtables changes not yet in table files
     * @param tables what open table files keep outside the cache
     * @param disk table files and log
     * @param snapshots open snapshots: a number, not bytes
     */
    record Usage(
            long cache, long cachePinned, long memtables, long tables, long disk, int snapshots) {}
}
