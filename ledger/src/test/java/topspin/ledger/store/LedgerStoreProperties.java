package topspin.ledger.store;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** RocksDB against the model: the same batches, snapshots and reopenings show the same entries. */
final class LedgerStoreProperties {
    private static final List<Column> COLUMNS =
            List.of(Column.ACCOUNTS, Column.IDS, Column.BLOCKS, Column.META);

    /** One thing done to both stores. */
    sealed interface Step {
        /** Applies changes in one batch. */
        record Commit(List<Change> changes) implements Step {}

        /** Fills a batch and drops it. */
        record Abandon(List<Change> changes) implements Step {}

        record TakeSnapshot() implements Step {}

        record DropSnapshot() implements Step {}

        /** Closes and opens again; the model stays. */
        record Reopen() implements Step {}
    }

    /** Puts the value, or deletes from key to {@code to} when there is none. */
    record Change(Column column, byte[] key, byte[] value, byte[] to) {
        @Override
        public String toString() {
            var hex = HexFormat.of();
            return column
                    + " "
                    + hex.formatHex(key)
                    + (value.length > 0
                            ? " = " + hex.formatHex(value)
                            : " .. " + hex.formatHex(to));
        }
    }

    private record Pair(LedgerStore.Snapshot model, LedgerStore.Snapshot real) {}

    @Property(tries = 40)
    void bothStoresShowTheSame(@ForAll("histories") List<Step> history) throws IOException {
        Path dir = Files.createTempDirectory("store");
        var model = new MemoryStore();
        RocksStore real = RocksStore.open(dir, StoreConfig.DEFAULT);
        Deque<Pair> open = new ArrayDeque<>();
        try {
            for (Step step : history) {
                switch (step) {
                    case Step.Commit(var changes) -> {
                        apply(changes, model, true);
                        apply(changes, real, true);
                    }
                    case Step.Abandon(var changes) -> {
                        apply(changes, model, false);
                        apply(changes, real, false);
                    }
                    case Step.TakeSnapshot() ->
                            open.push(new Pair(model.snapshot(), real.snapshot()));
                    case Step.DropSnapshot() -> {
                        if (!open.isEmpty()) {
                            drop(open.pollLast());
                        }
                    }
                    case Step.Reopen() -> {
                        while (!open.isEmpty()) {
                            drop(open.pop());
                        }
                        real.close();
                        real = RocksStore.open(dir, StoreConfig.DEFAULT);
                    }
                }
                open.push(new Pair(model.snapshot(), real.snapshot()));
                for (Pair pair : open) {
                    compare(pair);
                }
                drop(open.pop());
                assertThat(real.usage().snapshots()).isEqualTo(model.usage().snapshots());
            }
        } finally {
            real.close();
            try (Stream<Path> files = Files.walk(dir)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static void apply(List<Change> changes, LedgerStore store, boolean commit) {
        try (LedgerStore.Batch batch = store.batch()) {
            for (Change change : changes) {
                if (change.value.length > 0) {
                    batch.put(change.column, change.key, change.value);
                } else if (Arrays.equals(change.key, change.to)) {
                    batch.delete(change.column, change.key);
                } else if (Arrays.compareUnsigned(change.key, change.to) < 0) {
                    batch.deleteRange(change.column, change.key, change.to);
                }
            }
            if (commit) {
                batch.commit();
            }
        }
    }

    private static void compare(Pair pair) {
        for (Column column : COLUMNS) {
            List<String> expected = entries(column, pair.model);
            assertThat(entries(column, pair.real)).isEqualTo(expected);
            for (int key = 0; key < 16; key++) {
                assertThat(pair.real.get(column, key(key)))
                        .isEqualTo(pair.model.get(column, key(key)));
            }
            var middle = new ArrayList<String>();
            pair.real.scan(
                    column,
                    key(4),
                    key(12),
                    (key, value) -> {
                        middle.add(text(key, value));
                        return middle.size() < 3;
                    });
            assertThat(middle)
                    .isEqualTo(
                            expected.stream()
                                    .filter(e -> e.charAt(0) >= '4' && e.charAt(0) < 'c')
                                    .limit(3)
                                    .toList());
        }
    }

    private static List<String> entries(Column column, LedgerStore.Snapshot snapshot) {
        List<String> entries = new ArrayList<>();
        snapshot.scan(
                column,
                new byte[0],
                null,
                (key, value) -> {
                    entries.add(text(key, value));
                    return true;
                });
        return entries;
    }

    private static String text(byte[] key, byte[] value) {
        return HexFormat.of().formatHex(key) + "=" + HexFormat.of().formatHex(value);
    }

    private static void drop(Pair pair) {
        pair.model.close();
        pair.real.close();
    }

    @Provide
    Arbitrary<List<Step>> histories() {
        Arbitrary<List<Change>> changes = changes().list().ofMaxSize(8);
        return Arbitraries.frequencyOf(
                        Tuple.of(6, changes.map(Step.Commit::new)),
                        Tuple.of(1, changes.map(Step.Abandon::new)),
                        Tuple.of(2, Arbitraries.just(new Step.TakeSnapshot())),
                        Tuple.of(2, Arbitraries.just(new Step.DropSnapshot())),
                        Tuple.of(1, Arbitraries.just(new Step.Reopen())))
                .list()
                .ofMinSize(1)
                .ofMaxSize(20)
                .map(List::copyOf);
    }

    private static Arbitrary<Change> changes() {
        Arbitrary<byte[]> keys = Arbitraries.integers().between(0, 15).map(i -> key(i));
        Arbitrary<byte[]> values =
                Arbitraries.frequencyOf(
                        Tuple.of(
                                3,
                                Arbitraries.bytes().array(byte[].class).ofMinSize(1).ofMaxSize(4)),
                        Tuple.of(1, Arbitraries.just(new byte[0])));
        return Combinators.combine(Arbitraries.of(COLUMNS), keys, values, keys).as(Change::new);
    }

    /** A single hexadecimal digit shows the order of keys. */
    private static byte[] key(int number) {
        return new byte[] {(byte) (number << 4)};
    }
}
