package topspin.ledger.store;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The store on disk: one RocksDB, a column family for each {@link Column}.
 *
 * <p>Native objects outlive no one: each is owned by the store, a snapshot or a call, and is closed
 * by its owner. A call into a closed database would end the process, so every call passes a gate
 * that {@link #close} shuts.
 */
public final class RocksStore implements LedgerStore {
    private static final Logger LOG = System.getLogger(RocksStore.class.getName());

    /**
     * Before a round's log has grown past this, the oldest memtables are flushed; bounds recovery.
     */
    private static final long LOG_BYTES_MAX = 128L << 20;

    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final int INFO_LOG_BYTES_MAX = 1 << 20;
    private static final int INFO_LOGS_MAX = 4;

    /** Steps of a scan between two looks at whether the store is being closed. */
    private static final int SCAN_STEPS_UNCHECKED = 1024;

    private final Path dir;
    private final RocksDB database;
    private final Cache cache;
    private final WriteOptions durable;

    private final Map<Column, ColumnFamilyHandle> handles;

    /** In the order they were made; closed in reverse. */
    private final Deque<AutoCloseable> natives;

    /** Calls hold the read lock; {@link #close} takes the write lock, and so waits for them. */
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

    private final Set<RocksSnapshot> snapshots = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private RocksStore(
            Path dir,
            RocksDB database,
            Cache cache,
            WriteOptions durable,
            Map<Column, ColumnFamilyHandle> handles,
            Deque<AutoCloseable> natives) {
        this.dir = dir;
        this.database = database;
        this.cache = cache;
        this.durable = durable;
        this.handles = handles;
        this.natives = natives;
    }

    /**
     * Opens the store in a folder, which is made when absent. Tolerates a torn last record of the
     * log, which nobody was told is durable.
     *
     * @throws StoreFault when the folder is in use, damaged, or the machine refuses
     */
    public static RocksStore open(Path dir, StoreConfig config) {
        NativeLibrary.load();
        Deque<AutoCloseable> natives = new ArrayDeque<>();
        boolean opened = false;
        try {
            Files.createDirectories(dir);
            requireWhole(dir);
            RocksStore store = open(dir, config, natives);
            opened = true;
            return store;
        } catch (RocksDBException refused) {
            throw fault(dir, refused);
        } catch (IOException refused) {
            throw refusedByTheFileSystem(dir, refused.toString(), refused);
        } finally {
            if (!opened) {
                closeAll(natives);
            }
        }
    }

    private static RocksStore open(Path dir, StoreConfig config, Deque<AutoCloseable> natives)
            throws RocksDBException {
        Cache cache = own(new LRUCache(config.cacheBytes()), natives);
        var memtables = own(new WriteBufferManager(config.memtableBytes(), cache), natives);
        var bloom = own(new BloomFilter(BLOOM_BITS_PER_KEY, false), natives);
        var options =
                own(new DBOptions(), natives)
                        .setCreateIfMissing(true)
                        .setCreateMissingColumnFamilies(true)
                        .setParanoidChecks(true)
                        .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
                        .setMaxTotalWalSize(LOG_BYTES_MAX)
                        .setWriteBufferManager(memtables)
                        .setMaxOpenFiles(config.openFilesMax())
                        .setMaxBackgroundJobs(2)
                        .setBytesPerSync(1 << 20)
                        .setSkipStatsUpdateOnDbOpen(true)
                        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                        .setMaxLogFileSize(INFO_LOG_BYTES_MAX)
                        .setKeepLogFileNum(INFO_LOGS_MAX);
        List<ColumnFamilyDescriptor> families = new ArrayList<>();
        for (Column column : Column.values()) {
            families.add(
                    new ColumnFamilyDescriptor(
                            column.familyName(),
                            own(familyOptions(column, config, cache, bloom), natives)));
        }
        // A later version may have added families. All must be opened to find out that it did.
        var unknown = own(new ColumnFamilyOptions(), natives);
        for (byte[] name : familiesOnDisk(dir)) {
            if (Arrays.stream(Column.values())
                    .noneMatch(c -> Arrays.equals(c.familyName(), name))) {
                families.add(new ColumnFamilyDescriptor(name, unknown));
            }
        }
        List<ColumnFamilyHandle> opened = new ArrayList<>();
        RocksDB database = own(RocksDB.open(options, dir.toString(), families, opened), natives);
        opened.forEach(handle -> own(handle, natives));
        Map<Column, ColumnFamilyHandle> handles = new EnumMap<>(Column.class);
        for (Column column : Column.values()) {
            handles.put(column, opened.get(handles.size()));
        }
        var durable = own(new WriteOptions(), natives).setSync(true);
        return new RocksStore(dir, database, cache, durable, handles, natives);
    }

    /**
     * Where its pointer file is gone RocksDB would start anew, and remove what it does not know.
     */
    private static void requireWhole(Path dir) throws IOException {
        if (Files.exists(dir.resolve("CURRENT"))) {
            return;
        }
        try (var files = Files.newDirectoryStream(dir, "{*.sst,*.log,MANIFEST-*}")) {
            for (Path file : files) {
                throw damaged(dir, "CURRENT is missing beside " + file.getFileName(), null);
            }
        }
    }

    private static List<byte[]> familiesOnDisk(Path dir) throws RocksDBException {
        if (!Files.exists(dir.resolve("CURRENT"))) {
            return List.of();
        }
        try (var options = new Options()) {
            return RocksDB.listColumnFamilies(options, dir.toString());
        }
    }

    private static ColumnFamilyOptions familyOptions(
            Column column, StoreConfig config, Cache cache, BloomFilter bloom) {
        var tables =
                new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setCacheIndexAndFilterBlocks(true)
                        .setPinL0FilterAndIndexBlocksInCache(true)
                        .setBlockSize(8 << 10);
        if (column.isReadByKey()) {
            tables.setFilterPolicy(bloom).setWholeKeyFiltering(true);
        }
        return new ColumnFamilyOptions()
                .setTableFormatConfig(tables)
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setWriteBufferSize(Math.max(1 << 20, config.memtableBytes() / 4))
                .setMaxWriteBufferNumber(3)
                .setMemtableWholeKeyFiltering(column.isReadByKey())
                .setMemtablePrefixBloomSizeRatio(column.isReadByKey() ? 0.02 : 0);
    }

    @Override
    public byte @Nullable [] get(Column column, byte[] key) {
        enter();
        try {
            return database.get(handle(column), key);
        } catch (RocksDBException failed) {
            throw fault(dir, failed);
        } finally {
            leave();
        }
    }

    @Override
    public Snapshot snapshot() {
        enter();
        try {
            var snapshot = new RocksSnapshot();
            snapshots.add(snapshot);
            return snapshot;
        } finally {
            leave();
        }
    }

    @Override
    public Batch batch() {
        return new RocksBatch();
    }

    @Override
    public void reclaim(Column column, byte[] from, byte[] to) {
        enter();
        try {
            database.deleteFilesInRanges(handle(column), List.of(from, to), false);
        } catch (RocksDBException failed) {
            throw fault(dir, failed);
        } finally {
            leave();
        }
    }

    @Override
    public void copyTo(Path folder) {
        enter();
        try (Checkpoint checkpoint = Checkpoint.create(database)) {
            checkpoint.createCheckpoint(folder.toString());
        } catch (RocksDBException failed) {
            throw fault(folder, failed);
        } finally {
            leave();
        }
    }

    @Override
    public Usage usage() {
        enter();
        try {
            return new Usage(
                    cache.getUsage(),
                    cache.getPinnedUsage(),
                    database.getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables"),
                    database.getAggregatedLongProperty("rocksdb.estimate-table-readers-mem"),
                    database.getAggregatedLongProperty("rocksdb.total-sst-files-size") + logBytes(),
                    snapshots.size());
        } catch (RocksDBException failed) {
            throw fault(dir, failed);
        } finally {
            leave();
        }
    }

    private long logBytes() {
        try (var files = Files.newDirectoryStream(dir, "*.log")) {
            long bytes = 0;
            for (Path file : files) {
                bytes += Files.size(file);
            }
            return bytes;
        } catch (IOException gone) {
            return 0; // A log was removed while we looked; the next look will be better.
        }
    }

    @Override
    public void close() {
        closed = true; // Scans in progress see it and give up.
        gate.writeLock().lock();
        try {
            snapshots.forEach(RocksSnapshot::release);
            flush();
            closeAll(natives);
        } finally {
            gate.writeLock().unlock();
        }
    }

    /** Puts the memtables into table files, so that the next opening need not read the log. */
    private void flush() {
        if (natives.isEmpty()) {
            return; // Closed before.
        }
        try (var options = new FlushOptions().setWaitForFlush(true)) {
            database.flush(options, List.copyOf(handles.values()));
        } catch (RocksDBException failed) {
            // Nothing is lost: the log has it all. A full disk has been reported by a commit, and
            // the
            // operator is to read one line.
            LOG.log(Level.INFO, "ledger closed without a flush: {0}", failed.getMessage());
        }
    }

    private void enter() {
        gate.readLock().lock();
        if (closed) {
            gate.readLock().unlock();
            throw new SnapshotClosed();
        }
    }

    private void leave() {
        gate.readLock().unlock();
    }

    private ColumnFamilyHandle handle(Column column) {
        return requireNonNull(handles.get(column));
    }

    /** Freed when the owner has closed it and the last read has left, whichever comes later. */
    private final class RocksSnapshot implements Snapshot {
        private final org.rocksdb.Snapshot pinned = database.getSnapshot();
        private final ReadOptions options = new ReadOptions().setSnapshot(pinned);

        /** The owner counts as one, each read as one. */
        private final AtomicInteger uses = new AtomicInteger(1);

        private final AtomicInteger closes = new AtomicInteger();

        @Override
        public byte @Nullable [] get(Column column, byte[] key) {
            begin();
            try {
                return database.get(handle(column), options, key);
            } catch (RocksDBException failed) {
                throw fault(dir, failed);
            } finally {
                end();
            }
        }

        @Override
        public void scan(Column column, byte[] from, byte @Nullable [] to, Visitor visitor) {
            begin();
            try (RocksIterator at = database.newIterator(handle(column), options)) {
                int steps = 0;
                for (at.seek(from); at.isValid(); at.next()) {
                    if (++steps % SCAN_STEPS_UNCHECKED == 0 && closed) {
                        throw new SnapshotClosed();
                    }
                    byte[] key = at.key();
                    if ((to != null && Arrays.compareUnsigned(key, to) >= 0)
                            || !visitor.visit(key, at.value())) {
                        return;
                    }
                }
                at.status();
            } catch (RocksDBException failed) {
                throw fault(dir, failed);
            } finally {
                end();
            }
        }

        @Override
        public void close() {
            if (closes.getAndIncrement() == 0) {
                gate.readLock()
                        .lock(); // Not enter(): after the store's close there is nothing to do.
                try {
                    drop();
                } finally {
                    gate.readLock().unlock();
                }
            }
        }

        private void begin() {
            enter();
            int now;
            do {
                now = uses.get();
                if (now == 0 || closes.get() > 0) {
                    leave();
                    throw new SnapshotClosed();
                }
            } while (!uses.compareAndSet(now, now + 1));
        }

        private void end() {
            drop();
            leave();
        }

        private void drop() {
            if (uses.decrementAndGet() == 0) {
                release();
            }
        }

        private void release() {
            if (snapshots.remove(this)) {
                options.close();
                database.releaseSnapshot(pinned);
                pinned.close();
            }
        }
    }

    private final class RocksBatch implements Batch {
        private final WriteBatch changes = new WriteBatch();

        @Override
        public void put(Column column, byte[] key, byte[] value) {
            change(() -> changes.put(handle(column), key, value));
        }

        @Override
        public void delete(Column column, byte[] key) {
            change(() -> changes.delete(handle(column), key));
        }

        @Override
        public void deleteRange(Column column, byte[] from, byte[] to) {
            change(() -> changes.deleteRange(handle(column), from, to));
        }

        @Override
        public void commit() {
            change(() -> database.write(durable, changes));
        }

        @Override
        public void close() {
            changes.close();
        }

        private void change(Change change) {
            enter();
            try {
                change.make();
            } catch (RocksDBException failed) {
                throw fault(dir, failed);
            } finally {
                leave();
            }
        }
    }

    private interface Change {
        void make() throws RocksDBException;
    }

    // Owning and closing native objects.

    private static <T extends AutoCloseable> T own(T object, Deque<AutoCloseable> natives) {
        natives.push(object);
        return object;
    }

    private static void closeAll(Deque<AutoCloseable> natives) {
        while (!natives.isEmpty()) {
            try {
                natives.pop().close();
            } catch (Exception failed) {
                LOG.log(Level.WARNING, "closing the ledger", failed);
            }
        }
    }

    // What RocksDB and the file system say, in the words of the person who has to act.

    private static StoreFault fault(Path dir, RocksDBException failed) {
        Status status = failed.getStatus();
        String text = String.valueOf(failed.getMessage()).replace('\n', ' ');
        if (text.contains("lock")
                && (text.contains("LOCK") || text.contains("lock hold by current process"))) {
            return new StoreFault(
                    StoreFault.Kind.LOCKED,
                    "the ledger in "
                            + dir
                            + " is in use by another process; stop that one, or use another folder",
                    failed);
        }
        if ((status != null && status.getSubCode() == Status.SubCode.NoSpace)
                || text.contains("No space left")) {
            return new StoreFault(
                    StoreFault.Kind.NO_SPACE,
                    "no space left on the disk of "
                            + dir
                            + "; make room and start again, nothing confirmed is lost",
                    failed);
        }
        if ((status != null && status.getCode() == Status.Code.Corruption)
                || text.contains("No such file or directory")) {
            return damaged(dir, text, failed);
        }
        return refusedByTheFileSystem(dir, text, failed);
    }

    private static StoreFault damaged(Path dir, String what, @Nullable Throwable cause) {
        return StoreFault.damaged(dir + ": " + what, cause);
    }

    private static StoreFault refusedByTheFileSystem(Path dir, String what, Throwable cause) {
        return new StoreFault(
                StoreFault.Kind.IO,
                "cannot use the ledger folder "
                        + dir
                        + ": "
                        + what
                        + "; check its permissions and its disk, then start again",
                cause);
    }
}
