package topspin.ledger.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

final class RocksStoreTest {
    private final Path dir;

    RocksStoreTest(@TempDir Path dir) {
        this.dir = dir;
    }

    @Test
    void batchIsThereAfterReopening() {
        try (LedgerStore store = open()) {
            put(store, Column.ACCOUNTS, "a", "1");
            put(store, Column.BLOCKS, "a", "2");
        }
        try (LedgerStore store = open()) {
            assertThat(store.get(Column.ACCOUNTS, bytes("a"))).isEqualTo(bytes("1"));
            assertThat(store.get(Column.BLOCKS, bytes("a"))).isEqualTo(bytes("2"));
            assertThat(store.get(Column.HEADERS, bytes("a"))).isNull();
        }
    }

    @Test
    void batchThatIsNotCommittedChangesNothing() {
        try (LedgerStore store = open();
                LedgerStore.Batch batch = store.batch()) {
            batch.put(Column.ACCOUNTS, bytes("a"), bytes("1"));
            assertThat(store.get(Column.ACCOUNTS, bytes("a"))).isNull();
        }
    }

    @Test
    void snapshotDoesNotSeeLaterBatches() {
        try (LedgerStore store = open()) {
            put(store, Column.ACCOUNTS, "a", "1");
            put(store, Column.ACCOUNTS, "b", "1");
            try (LedgerStore.Snapshot snapshot = store.snapshot()) {
                put(store, Column.ACCOUNTS, "a", "2");
                try (LedgerStore.Batch batch = store.batch()) {
                    batch.deleteRange(Column.ACCOUNTS, bytes("b"), bytes("c"));
                    batch.commit();
                }
                put(store, Column.ACCOUNTS, "c", "1");
                assertThat(snapshot.get(Column.ACCOUNTS, bytes("a"))).isEqualTo(bytes("1"));
                assertThat(keys(snapshot, Column.ACCOUNTS)).containsExactly("a", "b");
            }
            try (LedgerStore.Snapshot snapshot = store.snapshot()) {
                assertThat(keys(snapshot, Column.ACCOUNTS)).containsExactly("a", "c");
            }
        }
    }

    @Test
    void aCopyHoldsWhatWasThereAndNothingLater() {
        Path copy = dir.resolveSibling(dir.getFileName() + "-copy");
        try (LedgerStore store = open()) {
            put(store, Column.ACCOUNTS, "a", "1");
            store.copyTo(copy);
            put(store, Column.ACCOUNTS, "a", "2");
            assertThatThrownBy(() -> store.copyTo(copy))
                    .isInstanceOf(StoreFault.class)
                    .hasMessageContaining(copy.toString());
        }
        try (LedgerStore store = RocksStore.open(copy, StoreConfig.DEFAULT)) {
            assertThat(store.get(Column.ACCOUNTS, bytes("a"))).isEqualTo(bytes("1"));
            put(store, Column.ACCOUNTS, "b", "3");
        }
        try (LedgerStore store = open()) {
            assertThat(store.get(Column.ACCOUNTS, bytes("a"))).isEqualTo(bytes("2"));
            assertThat(store.get(Column.ACCOUNTS, bytes("b"))).isNull();
        }
    }

    @Test
    void closedSnapshotAndClosedStoreAreRefusedAndNotRead() {
        RocksStore store = open();
        LedgerStore.Snapshot closed = store.snapshot();
        LedgerStore.Snapshot forgotten = store.snapshot();
        closed.close();
        closed.close();
        assertThat(store.usage().snapshots()).isEqualTo(1);
        assertThatThrownBy(() -> closed.get(Column.ACCOUNTS, bytes("a")))
                .isInstanceOf(SnapshotClosed.class);
        store.close();
        store.close();
        forgotten.close();
        assertThatThrownBy(() -> forgotten.get(Column.ACCOUNTS, bytes("a")))
                .isInstanceOf(SnapshotClosed.class);
        assertThatThrownBy(() -> store.get(Column.ACCOUNTS, bytes("a")))
                .isInstanceOf(SnapshotClosed.class);
        assertThatThrownBy(store::snapshot).isInstanceOf(SnapshotClosed.class);
        assertThatThrownBy(store::usage).isInstanceOf(SnapshotClosed.class);
        try (LedgerStore.Batch batch = store.batch()) {
            assertThatThrownBy(() -> batch.put(Column.ACCOUNTS, bytes("a"), bytes("1")))
                    .isInstanceOf(SnapshotClosed.class);
        }
    }

    @Test
    void snapshotClosedWhileItIsReadLivesUntilTheReadIsDone() throws InterruptedException {
        try (RocksStore store = open()) {
            put(store, Column.ACCOUNTS, "a", "1");
            put(store, Column.ACCOUNTS, "b", "2");
            LedgerStore.Snapshot snapshot = store.snapshot();
            var reading = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            List<String> seen = new ArrayList<>();
            var reader =
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            snapshot.scan(
                                                    Column.ACCOUNTS,
                                                    new byte[0],
                                                    null,
                                                    (key, value) -> {
                                                        seen.add(new String(value, UTF_8));
                                                        reading.countDown();
                                                        awaitQuietly(goOn);
                                                        return true;
                                                    }));
            reading.await();
            snapshot.close();
            put(store, Column.ACCOUNTS, "b", "3");
            assertThat(store.usage().snapshots()).isEqualTo(1);
            goOn.countDown();
            reader.join();
            assertThat(seen).containsExactly("1", "2");
            assertThat(store.usage().snapshots()).isZero();
        }
    }

    @Test
    void closingWaitsForAScanAndTheScanGivesUp() throws InterruptedException {
        RocksStore store = open();
        try (LedgerStore.Batch batch = store.batch()) {
            for (int i = 0; i < 5000; i++) {
                batch.put(Column.ACCOUNTS, Column.number(i), bytes("x"));
            }
            batch.commit();
        }
        LedgerStore.Snapshot snapshot = store.snapshot();
        var reading = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var end = new AtomicReference<Throwable>();
        var reader =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        snapshot.scan(
                                                Column.ACCOUNTS,
                                                new byte[0],
                                                null,
                                                (key, value) -> {
                                                    reading.countDown();
                                                    awaitQuietly(goOn);
                                                    return true;
                                                });
                                    } catch (SnapshotClosed expected) {
                                        end.set(expected);
                                    }
                                });
        reading.await();
        var closer = Thread.ofPlatform().start(store::close);
        while (closer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait(); // Until it stands at the gate.
        }
        goOn.countDown();
        reader.join();
        closer.join();
        assertThat(end.get()).isInstanceOf(SnapshotClosed.class);
    }

    @Test
    void secondOpenerIsRefusedByName() {
        try (RocksStore first = open()) {
            assertThatThrownBy(this::open)
                    .isInstanceOfSatisfying(
                            StoreFault.class,
                            fault -> {
                                assertThat(fault.kind()).isEqualTo(StoreFault.Kind.LOCKED);
                                assertThat(fault).hasMessageContaining("in use by another process");
                            });
            put(first, Column.META, "still", "works");
        }
    }

    @Test
    void missingTableFileIsRefusedByName() throws IOException {
        try (RocksStore store = open()) {
            put(store, Column.ACCOUNTS, "a", "1");
        }
        Path table = onlyFile(".sst");
        Files.delete(table);
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        StoreFault.class,
                        fault -> {
                            assertThat(fault.kind()).isEqualTo(StoreFault.Kind.DAMAGED);
                            assertThat(fault)
                                    .hasMessageContaining(table.getFileName().toString())
                                    .hasMessageContaining("move its folder away");
                            assertThat(fault.getMessage()).doesNotContain("\n");
                        });
    }

    @Test
    void folderWithoutItsPointerFileIsRefusedAndNotEmptied() throws IOException {
        try (RocksStore store = open()) {
            put(store, Column.ACCOUNTS, "a", "1");
        }
        Path kept = Files.move(dir.resolve("CURRENT"), dir.resolve("kept"));
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        StoreFault.class,
                        fault -> {
                            assertThat(fault.kind()).isEqualTo(StoreFault.Kind.DAMAGED);
                            assertThat(fault).hasMessageContaining("CURRENT is missing");
                        });
        Files.move(kept, dir.resolve("CURRENT"));
        try (RocksStore store = open()) {
            assertThat(store.get(Column.ACCOUNTS, bytes("a"))).isEqualTo(bytes("1"));
        }
    }

    @Test
    void fileInPlaceOfTheFolderIsRefusedByName() throws IOException {
        Path file = Files.writeString(dir.resolve("file"), "x");
        assertThatThrownBy(() -> RocksStore.open(file, StoreConfig.DEFAULT))
                .isInstanceOfSatisfying(
                        StoreFault.class,
                        fault -> assertThat(fault.kind()).isEqualTo(StoreFault.Kind.IO));
    }

    private RocksStore open() {
        return RocksStore.open(dir, StoreConfig.DEFAULT);
    }

    private Path onlyFile(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.filter(f -> f.toString().endsWith(suffix)).findFirst().orElseThrow();
        }
    }

    private static void put(LedgerStore store, Column column, String key, String value) {
        try (LedgerStore.Batch batch = store.batch()) {
            batch.put(column, bytes(key), bytes(value));
            batch.commit();
        }
    }

    private static List<String> keys(LedgerStore.Snapshot snapshot, Column column) {
        List<String> keys = new ArrayList<>();
        snapshot.scan(
                column,
                new byte[0],
                null,
                (key, value) -> {
                    keys.add(new String(key, UTF_8));
                    return true;
                });
        return keys;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
