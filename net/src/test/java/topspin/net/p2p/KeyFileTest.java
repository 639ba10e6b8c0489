package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.codec.crypto.Ed25519.KeyPair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;

final class KeyFileTest {
    private final Path folder;

    private final SecureRandom random = new SecureRandom();

    KeyFileTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @Test
    void aNewIdentityIsKeptForItsOwnerAlone() throws IOException {
        Path file = folder.resolve(KeyFile.NAME);
        byte[] seed = KeyFile.open(file, random).seed();
        assertThat(KeyFile.open(file, random).seed()).isEqualTo(seed);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(folder).isDirectoryContaining(found -> found.equals(file));
        assertThat(folder.toFile().list()).hasSize(1);
    }

    @Test
    void theReferencesFileIsRead() throws IOException {
        Row row = Vectors.document("reference/p2p/peer_ids.json").object("key_file");
        Path file = folder.resolve(row.text("name"));
        Files.writeString(file, row.text("pem"));
        KeyPair pair = KeyFile.open(file, random);
        assertThat(pair.seed()).isEqualTo(row.hex("ed25519_seed"));
        assertThat(PeerId.of(pair.publicKey())).hasToString(row.text("peer_id"));
        assertThat(KeyFile.NAME).isEqualTo(row.text("name"));
        Files.delete(file);
        KeyFile.open(file, random);
        assertThat(Files.readString(file).lines().count())
                .isEqualTo(row.text("pem").lines().count());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "key",
                "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
                "-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----",
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
                "-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----x",
            })
    void anythingElseIsRefusedAndLeftAlone(String text) throws IOException {
        Path file = folder.resolve(KeyFile.NAME);
        Files.writeString(file, text);
        assertThatThrownBy(() -> KeyFile.open(file, random))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(KeyFile.NAME);
        assertThat(Files.readString(file)).isEqualTo(text);
    }
}
