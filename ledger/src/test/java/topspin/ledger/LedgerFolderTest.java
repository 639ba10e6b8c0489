package topspin.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Digest;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.Certificate;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.store.Column;
import topspin.ledger.store.LedgerStore;
import topspin.ledger.store.RocksStore;
import topspin.ledger.store.StoreConfig;
import topspin.ledger.store.StoreFault;
import topspin.ledger.store.StoreFault.Kind;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Folders that were damaged, belong to others, or are in use: each refused with its own line. */
final class LedgerFolderTest {
    private static final int ROUNDS = 5;

    private final Path base;
    private final Path dir;
    private final TestNetwork net = new TestNetwork(4);

    /**
     * Image of the folder as a crash would leave it after {@link #ROUNDS} rounds, and one before.
     */
    private final Path image;

    private final Path imageBefore;

    LedgerFolderTest(@TempDir Path base) throws IOException {
        this.base = base;
        dir = base.resolve("ledger");
        image = base.resolve("image");
        imageBefore = base.resolve("before");
        try (Ledger ledger = open(dir)) {
            for (int round = 1; round <= ROUNDS; round++) {
                if (round == ROUNDS) {
                    copy(dir, imageBefore);
                }
                EvaluatedBlock made = net.confirm(net.pay(0, 1, round));
                ledger.add(
                        made.block(),
                        Certificate.ofRound(round).encoding().toArray(),
                        made.delta());
            }
            copy(dir, image);
        }
    }

    @Test
    void crashImageOpensWithAllRounds() {
        try (Ledger ledger = open(image)) {
            assertThat(ledger.view().round()).isEqualTo(ROUNDS);
        }
    }

    @Test
    void tornLastRecordThatNobodyWasToldOfIsDropped() throws IOException {
        Path log = log(image);
        long whole = Files.size(log(imageBefore));
        // At every length that the last record may have been torn to, within reason.
        for (long length = whole; length < Files.size(log); length += 97) {
            Path torn = base.resolve("torn" + length);
            copy(image, torn);
            Files.copy(
                    imageBefore.resolve("LAST_ROUND"),
                    Files.createDirectories(torn).resolve("note"));
            Files.move(
                    torn.resolve("note"),
                    torn.resolve("LAST_ROUND"),
                    StandardCopyOption.REPLACE_EXISTING);
            truncate(torn.resolve(log.getFileName()), length);
            try (Ledger ledger = open(torn)) {
                assertThat(ledger.view().round()).isEqualTo(ROUNDS - 1);
                assertThat(ledger.view().account(TestNetwork.address(1)).balance())
                        .isEqualTo(TestNetwork.FUNDS + 1 + 2 + 3 + 4);
            }
        }
    }

    @Test
    void lostRoundThatWasReportedDurableIsDamage() throws IOException {
        truncate(log(image), Files.size(log(imageBefore)) + 10);
        refused(
                image,
                Kind.DAMAGED,
                "it ends with round 4, but held rounds up to 5",
                "move its folder away and start again");
    }

    @Test
    void flippedBitInTheLogIsDamage() throws IOException {
        Path log = log(image);
        long middle = Files.size(log(imageBefore)) / 2;
        try (var file = new RandomAccessFile(log.toFile(), "rw")) {
            file.seek(middle);
            int value = file.read();
            file.seek(middle);
            file.write(value ^ 4);
        }
        refused(image, Kind.DAMAGED, "held rounds up to 5");
    }

    @Test
    void logThatIsGoneIsDamage() throws IOException {
        Files.delete(log(image));
        refused(image, Kind.DAMAGED, "is damaged");
    }

    @Test
    void noteThatIsGoneOrUnreadableSaysNothing() throws IOException {
        Files.writeString(image.resolve("LAST_ROUND"), "9999999999999999999\n");
        open(image).close();
        Files.writeString(image.resolve("LAST_ROUND"), "what?");
        open(image).close();
        Files.delete(image.resolve("LAST_ROUND"));
        open(image).close();
        assertThat(Files.readString(image.resolve("LAST_ROUND"))).isEqualTo("%019d\n".formatted(5));
    }

    @Test
    void folderOfAnotherNetworkIsRefused() {
        Genesis other = new TestNetwork(5).genesis();
        assertThatThrownBy(() -> Ledger.open(dir, other, LedgerConfig.DEFAULT))
                .isInstanceOfSatisfying(
                        StoreFault.class,
                        fault -> assertThat(fault.kind()).isEqualTo(Kind.OTHER_GENESIS))
                .hasMessageContaining(
                        "belongs to network test-v1 with genesis " + net.genesis().hash())
                .hasMessageContaining("not to test-v1 with genesis " + other.hash());
    }

    @Test
    void laterFormatIsRefused() {
        tamper(batch -> batch.put(Column.META, Column.name("format"), new byte[] {2}));
        refused(
                dir,
                Kind.NEWER_FORMAT,
                "format 2, this version reads up to 1",
                "use the version that wrote it");
    }

    @Test
    void secondOpenerIsRefusedAndTheFirstGoesOn() throws Exception {
        try (Ledger first = open(dir)) {
            refused(dir, Kind.LOCKED, "in use by another process");
            try (var second = new LedgerProcess(LedgerProcess.command(dir, base, 1))) {
                assertThat(second.rest()).last().asString().startsWith("fault LOCKED");
                assertThat(second.exitStatus()).isNotZero();
            }
            EvaluatedBlock made = net.nextBlock();
            first.add(made.block(), new byte[] {(byte) 0x80}, made.delta());
        }
    }

    @Test
    void brokenChainIsDamage() {
        BlockHeader.Draft header = net.state().header(3).toDraft();
        header.timestamp++;
        tamper(
                batch ->
                        batch.put(
                                Column.HEADERS,
                                Column.number(3),
                                BlockEncoder.encodeHeader(header.build())));
        refused(dir, Kind.DAMAGED, "header of round 3 is not the one that the next names");
    }

    @Test
    void lastBlockWithAnotherHeaderOrWithoutCertificateIsDamage() {
        byte[] kept = get(Column.BLOCKS, Column.number(ROUNDS));
        byte[] other = get(Column.BLOCKS, Column.number(ROUNDS - 1));
        tamper(batch -> batch.put(Column.BLOCKS, Column.number(ROUNDS), other));
        refused(dir, Kind.DAMAGED, "the block of round 5 has another header");
        tamper(batch -> batch.put(Column.BLOCKS, Column.number(ROUNDS), new byte[] {1}));
        refused(dir, Kind.DAMAGED, "block of round 5: ");
        tamper(batch -> batch.put(Column.BLOCKS, Column.number(ROUNDS), kept));
        tamper(batch -> batch.delete(Column.CERTIFICATES, Column.number(ROUNDS)));
        refused(dir, Kind.DAMAGED, "no entry for round 5 in CERTIFICATES");
    }

    @Test
    void missingOrFalseFactsAreDamage() {
        for (String name : new String[] {"round", "first", "genesis"}) {
            byte[] kept = get(Column.META, Column.name(name));
            tamper(batch -> batch.delete(Column.META, Column.name(name)));
            refused(dir, Kind.DAMAGED, "does not say its ");
            tamper(batch -> batch.put(Column.META, Column.name(name), kept));
        }
        tamper(batch -> batch.put(Column.META, Column.name("round"), uint(3)));
        refused(dir, Kind.DAMAGED, "it ends with round 3, but held rounds up to 5");
        tamper(batch -> batch.put(Column.META, Column.name("round"), uint(6)));
        refused(dir, Kind.DAMAGED, "no entry for round 6 in HEADERS");
        tamper(batch -> batch.put(Column.META, Column.name("round"), uint(ROUNDS)));
        for (long first : new long[] {ROUNDS + 1, -1}) {
            tamper(batch -> batch.put(Column.META, Column.name("first"), uint(first)));
            refused(dir, Kind.DAMAGED, "its first " + Long.toUnsignedString(first));
        }
        tamper(batch -> batch.put(Column.META, Column.name("first"), uint(0)));
        tamper(batch -> batch.delete(Column.META, Column.name("format")));
        refused(dir, Kind.DAMAGED, "it is empty, but held rounds up to 5");
    }

    @Test
    void accountThatCannotBeReadIsDamageWhenItIsRead() {
        byte[] key = Column.address(TestNetwork.address(1));
        tamper(batch -> batch.put(Column.ACCOUNTS, key, new byte[] {(byte) 0xc1}));
        try (Ledger ledger = open(dir)) {
            assertThatThrownBy(() -> ledger.view().account(TestNetwork.address(1)))
                    .isInstanceOf(StoreFault.class)
                    .hasMessageContaining("account " + TestNetwork.address(1));
        }
    }

    @Test
    void protocolThatThisNodeDoesNotKnowIsRefusedByName() {
        var few =
                LedgerConfig.DEFAULT.withVersions(
                        ConsensusVersions.builtIn()
                                .with("{\"" + ConsensusVersions.V42 + "\": {}}"));
        assertThatThrownBy(() -> Ledger.open(dir, net.genesis(), few))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(ConsensusVersions.V42 + " is not known to this node");
        open(dir).close(); // The refusal let go of the folder.
    }

    @Test
    void openingAndClosingManyTimesLeavesNothingBehind() throws IOException {
        Digest digest;
        try (Ledger ledger = open(dir)) {
            digest = ledger.digest();
        }
        long before = residentBytes();
        for (int i = 0; i < 40; i++) {
            try (Ledger ledger = open(dir)) {
                assertThat(ledger.digest()).isEqualTo(digest);
            }
        }
        // One opened store takes some 10 MB; forty that leaked would take 400.
        assertThat(residentBytes() - before).isLessThan(120L << 20);
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files.filter(f -> f.getFileName().toString().startsWith("LOG")))
                    .hasSizeLessThanOrEqualTo(5);
        }
    }

    private Ledger open(Path folder) {
        return Ledger.open(folder, net.genesis(), LedgerConfig.DEFAULT);
    }

    private void refused(Path folder, Kind kind, String... texts) {
        assertThatThrownBy(() -> open(folder))
                .isInstanceOfSatisfying(
                        StoreFault.class,
                        fault -> {
                            assertThat(fault.kind()).isEqualTo(kind);
                            assertThat(fault.getMessage()).contains(texts).doesNotContain("\n");
                        });
    }

    private void tamper(Consumer<LedgerStore.Batch> change) {
        try (RocksStore store = RocksStore.open(dir, StoreConfig.DEFAULT);
                LedgerStore.Batch batch = store.batch()) {
            change.accept(batch);
            batch.commit();
        }
    }

    private byte @Nullable [] get(Column column, byte[] key) {
        try (RocksStore store = RocksStore.open(dir, StoreConfig.DEFAULT)) {
            return store.get(column, key);
        }
    }

    private static byte[] uint(long number) {
        var out = new CanonicalWriter();
        out.writeUint(number);
        return out.toByteArray();
    }

    private static long residentBytes() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(l -> l.startsWith("VmRSS")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
        }
    }

    private static Path log(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.toString().endsWith(".log"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    private static void truncate(Path file, long length) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                if (!file.getFileName().toString().equals("LOCK")) {
                    Files.copy(file, to.resolve(file.getFileName()));
                }
            }
        }
    }
}
