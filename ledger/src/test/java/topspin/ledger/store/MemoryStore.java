package topspin.ledger.store;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The store in memory: for simulations, and as the model that {@link RocksStore} is compared with.
 * Keeps each value with the number of the batch that wrote it, so that a snapshot is a number.
 * {@link #failNextCommit} plays the disk that refuses.
 */
public final class MemoryStore implements LedgerStore {
    private final Map<Column, NavigableMap<byte[], NavigableMap<Long, byte @Nullable []>>> columns =
            new EnumMap<>(Column.class);

    /** Numbers of the batches that open snapshots see, with how many see them. */
    private final NavigableMap<Long, Integer> open = new TreeMap<>();

    private long committed;
    private @Nullable StoreFault nextFault;
    private boolean closed;

    public MemoryStore() {
        for (Column column : Column.values()) {
            columns.put(column, new TreeMap<>(Arrays::compareUnsigned));
        }
    }

    /** The next commit changes nothing and throws this. */
    public synchronized void failNextCommit(StoreFault fault) {
        nextFault = fault;
    }

    /** Opens it again after a close, with what was committed: plays a restart. */
    public synchronized MemoryStore reopen() {
        closed = false;
        open.clear();
        return this;
    }

    @Override
    public synchronized byte @Nullable [] get(Column column, byte[] key) {
        requireOpen();
        return at(committed, column, key);
    }

    @Override
    public synchronized Snapshot snapshot() {
        requireOpen();
        return new View(committed);
    }

    @Override
    public Batch batch() {
        return new Changes();
    }

    @Override
    public void reclaim(Column column, byte[] from, byte[] to) {
        // Nothing is kept that could be let go.
    }

    @Override
    public void copyTo(Path folder) {
        throw new UnsupportedOperationException("a store in memory is in no folder");
    }

    @Override
    public synchronized Usage usage() {
        requireOpen();
        long bytes = 0;
        for (var column : columns.values()) {
            for (var entry : column.entrySet()) {
                for (byte[] value : entry.getValue().values()) {
                    bytes += entry.getKey().length + (value == null ? 0 : value.length);
                }
            }
        }
        int snapshots = open.values().stream().mapToInt(Integer::intValue).sum();
        return new Usage(0, 0, bytes, 0, 0, snapshots);
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    private byte @Nullable [] at(long number, Column column, byte[] key) {
        var versions = columns(column).get(key);
        var latest = versions == null ? null : versions.floorEntry(number);
        return latest == null ? null : latest.getValue();
    }

    private NavigableMap<byte[], NavigableMap<Long, byte @Nullable []>> columns(Column column) {
        return requireNonNull(columns.get(column));
    }

    private void write(Column column, byte[] key, byte @Nullable [] value) {
        var versions = columns(column).computeIfAbsent(key, k -> new TreeMap<>());
        versions.put(committed, value);
        // Forget what neither an open snapshot nor a later one can see.
        long oldest = open.isEmpty() ? committed : open.firstKey();
        Long needed = versions.floorKey(oldest);
        if (needed != null) {
            versions.headMap(needed, false).clear();
            if (versions.size() == 1 && versions.get(needed) == null) {
                columns(column).remove(key);
            }
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new SnapshotClosed();
        }
    }

    private final class View implements Snapshot {
        private final long number;
        private boolean viewClosed;

        View(long number) {
            this.number = number;
            open.merge(number, 1, Integer::sum);
        }

        @Override
        public byte @Nullable [] get(Column column, byte[] key) {
            synchronized (MemoryStore.this) {
                requireReadable();
                return at(number, column, key);
            }
        }

        @Override
        public void scan(Column column, byte[] from, byte @Nullable [] to, Visitor visitor) {
            List<Map.Entry<byte[], byte[]>> found = new ArrayList<>();
            synchronized (MemoryStore.this) {
                requireReadable();
                if (to != null && Arrays.compareUnsigned(from, to) >= 0) {
                    return;
                }
                var range = columns(column).tailMap(from, true);
                if (to != null) {
                    range = range.headMap(to, false);
                }
                for (byte[] key : range.keySet()) {
                    byte[] value = at(number, column, key);
                    if (value != null) {
                        found.add(Map.entry(key, value));
                    }
                }
            }
            for (var entry : found) {
                if (!visitor.visit(entry.getKey(), entry.getValue())) {
                    return;
                }
            }
        }

        @Override
        public void close() {
            synchronized (MemoryStore.this) {
                if (!viewClosed) {
                    viewClosed = true;
                    open.computeIfPresent(number, (n, count) -> count == 1 ? null : count - 1);
                }
            }
        }

        private void requireReadable() {
            requireOpen();
            if (viewClosed) {
                throw new SnapshotClosed();
            }
        }
    }

    private final class Changes implements Batch {
        private final List<Runnable> changes = new ArrayList<>();

        @Override
        public void put(Column column, byte[] key, byte[] value) {
            changes.add(() -> write(column, key, value));
        }

        @Override
        public void delete(Column column, byte[] key) {
            changes.add(
                    () -> {
                        if (at(committed, column, key) != null) {
                            write(column, key, null);
                        }
                    });
        }

        @Override
        public void deleteRange(Column column, byte[] from, byte[] to) {
            changes.add(
                    () -> {
                        if (Arrays.compareUnsigned(from, to) < 0) {
                            for (byte[] key :
                                    List.copyOf(
                                            columns(column)
                                                    .subMap(from, true, to, false)
                                                    .keySet())) {
                                write(column, key, null);
                            }
                        }
                    });
        }

        @Override
        public void commit() {
            synchronized (MemoryStore.this) {
                requireOpen();
                if (nextFault != null) {
                    StoreFault fault = nextFault;
                    nextFault = null;
                    throw fault;
                }
                committed++;
                changes.forEach(Runnable::run);
                changes.clear();
            }
        }

        @Override
        public void close() {
            changes.clear();
        }
    }
}
