package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.SplittableRandom;

final class DataFolderTest {
    private Path parent;
    private Path folder;

    @BeforeEach
    void createFolder(@TempDir Path temporary) throws NodeFault {
        parent = temporary;
        folder = parent.resolve("node");
        DataFolder.create(folder, "{}\n", NodeConfig.DEFAULT);
    }

    @Test
    void aReasonNeverRepeatsThePathNorNamesAClass(@TempDir Path place) throws IOException {
        Path file = Files.write(place.resolve("f"), new byte[] {-1});
        assertThat(reasonOf(() -> Files.readString(file))).isEqualTo("it is no UTF-8 text");
        assertThat(reasonOf(() -> Files.list(file).close())).isEqualTo("it is no folder");
        assertThat(reasonOf(() -> Files.createDirectories(file)))
                .isEqualTo("a file of that name is in the way");
        assertThat(reasonOf(() -> Files.readString(place))).isEqualTo("Is a directory");
        assertThat(reasonOf(() -> Files.readString(place.resolve("none"))))
                .isEqualTo("no such file");
    }

    private static String reasonOf(ThrowingCallable refused) {
        return DataFolder.reason(catchThrowableOfType(IOException.class, refused));
    }

    @Test
    void aFolderIsMadeOnce() {
        assertThatThrownBy(() -> DataFolder.create(folder, "{}\n", NodeConfig.DEFAULT))
                .hasMessage(folder + ": holds a node already");
    }

    @Test
    void aSecondNodeIsRefusedUntilTheFirstIsGone() throws NodeFault {
        try (DataFolder first = DataFolder.open(folder)) {
            assertThat(first.genesisText()).isEqualTo("{}\n");
            assertThatThrownBy(() -> DataFolder.open(folder).close())
                    .isInstanceOfSatisfying(
                            NodeFault.class, fault -> assertThat(fault.exitStatus()).isEqualTo(3))
                    .hasMessageContaining("in use by another node");
        }
        DataFolder.open(folder).close();
    }

    @Test
    void aMissingFolderIsNamed() {
        Path missing = parent.resolve("missing");
        assertThatThrownBy(() -> DataFolder.open(missing).close())
                .isInstanceOfSatisfying(
                        NodeFault.class, fault -> assertThat(fault.exitStatus()).isEqualTo(2))
                .hasMessageStartingWith(missing + ": no such folder");
    }

    @Test
    void aFolderWithoutGenesisIsNotANode() throws Exception {
        Files.delete(folder.resolve("genesis.json"));
        try (DataFolder open = DataFolder.open(folder)) {
            assertThatThrownBy(open::genesisText).hasMessageContaining("genesis.json: missing");
        }
    }

    @Test
    void tokensAreMadeOnceForTheirOwnerOnly() throws Exception {
        try (DataFolder open = DataFolder.open(folder)) {
            Tokens made = open.tokens(true, new SplittableRandom(1));
            Tokens readBack = open.tokens(true, new SplittableRandom(2));

            assertThat(made.admin()).matches("[0-9a-f]{64}").isEqualTo(readBack.admin());
            assertThat(made.api()).isPresent().isEqualTo(readBack.api());
            assertThat(made.api()).isNotEqualTo(Optional.of(made.admin()));
            for (String name : new String[] {"algod.token", "algod.admin.token"}) {
                assertThat(Files.getPosixFilePermissions(folder.resolve(name)))
                        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            }
        }
    }

    @Test
    void noPublicTokenIsMadeWhereNoneIsAsked() throws Exception {
        try (DataFolder open = DataFolder.open(folder)) {
            assertThat(open.tokens(false, new SplittableRandom(1)).api()).isEmpty();
            assertThat(folder.resolve("algod.token")).doesNotExist();
        }
    }

    @Test
    void onlyTheFirstLineOfATokenFileCounts() throws Exception {
        Files.writeString(folder.resolve("algod.token"), Tokens.WELL_KNOWN + "\nmore");
        try (DataFolder open = DataFolder.open(folder)) {
            assertThat(open.tokens(true, new SplittableRandom(1)).api())
                    .contains(Tokens.WELL_KNOWN);
        }
    }

    @Test
    void aShortTokenIsRefusedWithItsFile() throws Exception {
        Files.writeString(folder.resolve("algod.token"), "short");
        try (DataFolder open = DataFolder.open(folder)) {
            assertThatThrownBy(() -> open.tokens(true, new SplittableRandom(1)))
                    .hasMessageContaining(
                            "algod.token: provided APIToken too short. Must be >= 64 characters");
        }
    }

    @Test
    void aLongTokenIsRefusedWithItsFile() throws Exception {
        Files.writeString(folder.resolve("algod.admin.token"), "x".repeat(257));
        try (DataFolder open = DataFolder.open(folder)) {
            assertThatThrownBy(() -> open.tokens(true, new SplittableRandom(1)))
                    .hasMessageContaining(
                            "algod.admin.token: provided APIToken too long."
                                    + " Must be <= 256 characters");
        }
    }

    @Test
    void announcementsGoWhenTheNodeStops() throws Exception {
        try (DataFolder open = DataFolder.open(folder)) {
            open.announce("127.0.0.1:4001", "/ip4/127.0.0.1/tcp/4006", 42);

            assertThat(folder.resolve("algod.net")).hasContent("127.0.0.1:4001");
            assertThat(folder.resolve("algod-listen.net")).hasContent("/ip4/127.0.0.1/tcp/4006");
            assertThat(folder.resolve("algod.pid")).hasContent("42");
        }
        assertThat(folder.resolve("algod.net")).doesNotExist();
        assertThat(folder.resolve("algod-listen.net")).doesNotExist();
        assertThat(folder.resolve("algod.pid")).doesNotExist();
        assertThat(folder.resolve("genesis.json")).exists();
    }

    @Test
    void tokensDoNotPrintThemselves() {
        assertThat(new Tokens(Optional.empty(), Tokens.WELL_KNOWN).toString())
                .doesNotContain(Tokens.WELL_KNOWN);
    }
}
