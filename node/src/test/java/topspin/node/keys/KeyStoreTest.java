package topspin.node.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.msgpack.MalformedMessage;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Keys as the reference made them, and keys of our own. */
final class KeyStoreTest {
    private static final String FOLDER = "reference/rest/";
    private static final Address ACCOUNT =
            Address.parse("RKEOHXLUBHYZL7KS3MWTZOS5OLFGOCN7DWKBEG7TOSEADNAPN5OOTUNSLE");

    private final KeyGenerator generator = new KeyGenerator(new SecureRandom());
    private final Path folder;

    KeyStoreTest(@TempDir Path temporary) {
        folder = temporary.resolve("keys");
    }

    private KeyStore open() throws IOException, KeyFault {
        return KeyStore.open(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dev-Wallet1", "dev-Wallet2", "dev-Wallet3", "two-Wallet1"})
    void aFileOfTheReferenceHoldsWhatItWroteIntoIt(String name) throws Exception {
        JsonNode plain =
                JsonMapper.builder()
                        .build()
                        .readTree(Vectors.file(FOLDER + "partkeys.json").toFile())
                        .get(name);
        ParticipationKeys keys =
                PartKeyFile.read(
                        Files.readAllBytes(Vectors.file(FOLDER + "keys/" + name + ".partkey")));
        HexFormat hex = HexFormat.of();
        assertThat(keys.account().toString()).isEqualTo(plain.get("address").textValue());
        assertThat(keys.firstValid()).isEqualTo(plain.get("first_valid").longValue());
        assertThat(keys.lastValid()).isEqualTo(plain.get("last_valid").longValue());
        assertThat(keys.dilution()).isEqualTo(plain.get("key_dilution").longValue());
        assertThat(hex.formatHex(keys.vrfSecret().toArray()))
                .isEqualTo(plain.at("/vrf/secret").textValue());
        assertThat(hex.formatHex(keys.selectionKey().toBytes()))
                .isEqualTo(plain.at("/vrf/public").textValue());
        assertThat(hex.formatHex(keys.voteKey().toBytes()))
                .isEqualTo(plain.at("/voting/OneTimeSignatureVerifier").textValue());
    }

    @Test
    void keysStayUntilTheyAreDeleted() throws Exception {
        KeyStore store = open();
        ParticipationKeys made = store.install(generator.generate(ACCOUNT, 5, 3000, 100));
        Path file = folder.resolve(made.id() + ".partkey");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(open().list()).containsExactly(made);
        assertThatThrownBy(() -> store.install(Files.readAllBytes(file)))
                .hasMessage("ParticipationRegistry: cannot register duplicate participation key");
        assertThat(store.remove(made.id())).isTrue();
        assertThat(store.remove(made.id())).isFalse();
        assertThat(store.find(made.id())).isNull();
        assertThat(folder).isEmptyDirectory();
        assertThat(open().list()).isEmpty();
    }

    /** Secrets of rounds that are over are in no file, whenever the node is killed. */
    @Test
    void whatMayNotSignAnyMoreIsErasedInItsPlace() throws Exception {
        KeyStore store = open();
        Digest id = store.install(generator.generate(ACCOUNT, 0, 300, 100)).id();
        Path file = folder.resolve(id + ".partkey");
        byte[] untouched = Files.readAllBytes(file);
        OneTimeSecrets secrets = secrets(store);
        secrets.deleteBefore(1, 10, 100);
        assertThat(store.erase(id, secrets.position())).isFalse();
        store.replaceVoting(id, Bytes.of(secrets.encode()));
        byte[] written = Files.readAllBytes(file);
        for (int offset = 11; offset <= 40; offset += 1 + offset % 3) {
            secrets.deleteBefore(1, offset, 100);
            assertThat(store.erase(id, secrets.position())).isTrue();
            assertThat(secrets(open()).encode()).isEqualTo(secrets.encode());
        }
        assertThat(Files.readAllBytes(file)).as("written once a batch").isEqualTo(written);
        Path rounds = folder.resolve(id + ".rounds");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(rounds)))
                .isEqualTo("rw-------");
        byte[] left = Files.readAllBytes(rounds);
        assertThat(left).hasSize((1 + 90) * OneTimeSecrets.ROUND_BYTES);

        // Killed before the file of batches was written: rounds prevail.
        Files.write(file, untouched);
        assertThat(secrets(open()).encode()).isEqualTo(secrets.encode());
        // The last batch ends.
        secrets.deleteBefore(3, 0, 100);
        assertThat(store.erase(id, secrets.position())).isFalse();
        store.replaceVoting(id, Bytes.of(secrets.encode()));
        secrets.deleteBefore(4, 0, 100);
        assertThat(store.erase(id, secrets.position())).isTrue();
        assertThat(secrets(open()).position().rounds()).isZero();

        Files.write(rounds, new byte[77]);
        assertThatThrownBy(this::open)
                .isInstanceOf(KeyFault.class)
                .hasMessageContaining(".rounds: no keys of rounds");
        assertThat(store.remove(id)).isTrue();
        assertThat(folder).isEmptyDirectory();
        assertThat(store.erase(id, secrets.position())).as("gone, nothing to do").isTrue();
    }

    @Test
    void whatKeysWereUsedForIsKnownAfterARestart() throws Exception {
        KeyStore store = open();
        ParticipationKeys first = store.install(generator.generate(ACCOUNT, 0, 300, 100));
        ParticipationKeys later = store.install(generator.generate(ACCOUNT, 0, 900, 100));
        KeyUses uses = store.uses();
        uses.voted(ACCOUNT, 6);
        uses.proposed(ACCOUNT, 6);
        assertThat(uses.of(first.id())).as("in effect are none").isEqualTo(KeyUse.NONE);

        uses.inEffect(first.id(), 7);
        uses.voted(ACCOUNT, 7);
        uses.inEffect(first.id(), 8);
        uses.proposed(ACCOUNT, 8);
        uses.voted(Address.ZERO, 9);
        assertThat(uses.of(first.id())).isEqualTo(new KeyUse(7, 300, 7, 8));
        store.storeUses();
        assertThat(open().uses().of(first.id())).isEqualTo(new KeyUse(7, 300, 7, 8));

        // The account registers others.
        uses.inEffect(later.id(), 20);
        uses.voted(ACCOUNT, 21);
        uses.voted(ACCOUNT, 19); // Of a round before: by the keys of then, which voted later.
        store.storeUses();
        for (KeyUses known : List.of(uses, open().uses())) {
            assertThat(known.of(first.id())).isEqualTo(new KeyUse(7, 19, 19, 8));
            assertThat(known.of(later.id())).isEqualTo(new KeyUse(20, 900, 21, 0));
        }

        Path file = folder.resolve(first.id() + ".use");
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 17));
        assertThat(open().uses().of(first.id())).as("cut short").isEqualTo(KeyUse.NONE);
        Files.write(file, new byte[40]);
        assertThat(open().uses().of(first.id())).as("none of ours").isEqualTo(KeyUse.NONE);

        for (ParticipationKeys keys : store.list()) {
            assertThat(store.remove(keys.id())).isTrue();
            assertThat(uses.of(keys.id())).isEqualTo(KeyUse.NONE);
        }
        uses.inEffect(first.id(), 30);
        store.storeUses();
        assertThat(folder).isEmptyDirectory();
    }

    private static OneTimeSecrets secrets(KeyStore store) throws MalformedMessage {
        Bytes voting = store.list().getFirst().voting();
        return OneTimeSecrets.decode(
                voting.array(), voting.offset(), voting.length(), new SecureRandom());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, (1 << 20) + 1})
    void aBatchOfMoreRoundsThanCanBeTakenApartIsRefused(long dilution) throws Exception {
        assertThatThrownBy(() -> generator.generate(ACCOUNT, 5, 3000, dilution))
                .isInstanceOf(KeyFault.class)
                .hasMessage(
                        "a dilution is 1 to 1048576 rounds, not "
                                + Long.toUnsignedString(dilution));
        KeyStore store = open();
        ParticipationKeys made = store.install(generator.generate(ACCOUNT, 5, 3000, 100));
        Path file = folder.resolve(made.id() + ".partkey");
        try (var database = DriverManager.getConnection("jdbc:sqlite:" + file);
                var update = database.createStatement()) {
            update.executeUpdate("UPDATE ParticipationAccount SET keyDilution = " + dilution);
        }
        assertThatThrownBy(() -> PartKeyFile.read(Files.readAllBytes(file)))
                .isInstanceOf(KeyFault.class)
                .hasMessage("the dilution of the keys is 1 to 1048576 rounds, not " + dilution);
    }

    @Test
    void theMasterKeySignsEachBatch() throws Exception {
        ParticipationKeys keys = generator.generate(ACCOUNT, 250, 460, 100);
        List<Value> batches = new ArrayList<>();
        try (MessageUnpacker in = MessagePack.newDefaultUnpacker(keys.voting().toArray())) {
            for (var entry : in.unpackValue().asMapValue().entrySet()) {
                switch (entry.getKey().asStringValue().asString()) {
                    case "First" ->
                            assertThat(entry.getValue().asIntegerValue().asLong()).isEqualTo(2);
                    case "Sub" -> entry.getValue().asArrayValue().forEach(batches::add);
                    default -> {}
                }
            }
        }
        assertThat(batches).hasSize(3);
        for (int i = 0; i < batches.size(); i++) {
            byte[] key = field(batches.get(i), "PK");
            ByteArrayOutputStream identity = new ByteArrayOutputStream();
            identity.writeBytes(HexFormat.of().parseHex("82a56261746368"));
            identity.write(2 + i);
            identity.writeBytes(HexFormat.of().parseHex("a2706bc420"));
            identity.writeBytes(key);
            assertThat(
                            Ed25519.verify(
                                    keys.voteKey().toBytes(),
                                    field(batches.get(i), "sig2"),
                                    Domain.OT1,
                                    identity.toByteArray()))
                    .isTrue();
            byte[] seed = Arrays.copyOf(field(batches.get(i), "SK"), Ed25519.SEED_BYTES);
            assertThat(Ed25519.KeyPair.fromSeed(seed).publicKey()).isEqualTo(key);
        }
    }

    private static byte[] field(Value map, String name) {
        for (var entry : map.asMapValue().entrySet()) {
            if (entry.getKey().asStringValue().asString().equals(name)) {
                return entry.getValue().asBinaryValue().asByteArray();
            }
        }
        throw new AssertionError("no " + name);
    }

    @Test
    void roundsThatAreNoneAreRefused() {
        assertThatThrownBy(() -> generator.generate(ACCOUNT, 10, 5, 0))
                .isInstanceOf(KeyFault.class);
        assertThatThrownBy(() -> generator.generate(ACCOUNT, 0, KeyGenerator.ROUNDS_MAX + 1, 0))
                .hasMessageContaining("the limit is 16777215");
        assertThatThrownBy(() -> generator.generate(ACCOUNT, 1, 1 << 20, 16))
                .isInstanceOf(KeyFault.class)
                .hasMessage("a dilution of 16 rounds would take more than 65536 batches");
    }

    @Test
    void whatIsNoFileOfKeysIsRefused() throws Exception {
        KeyStore store = open();
        assertThatThrownBy(() -> store.install("hello".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("file is not a database");
        byte[] good = PartKeyFile.write(generator.generate(ACCOUNT, 0, 100, 10));
        for (int length = 101; length < good.length; length += 997) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatThrownBy(() -> store.install(cut)).isInstanceOf(KeyFault.class);
        }
        assertThat(store.list()).isEmpty();
        Files.write(folder.resolve("broken.partkey"), Arrays.copyOf(good, 5000));
        assertThatThrownBy(this::open)
                .isInstanceOf(KeyFault.class)
                .hasMessageContaining("broken.partkey")
                .hasMessageContaining("move it elsewhere");
    }
}
