package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.PqSignature;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionDecoder;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Accounts of every kind have the address that the SDK and the reference give them. */
class HashedAddressTest {
    private static final Bytes FALCON = Bytes.utf8("f1");

    @Test
    void theSdksAddressesAreOurs() {
        Vectors.Row document = Vectors.document("addresses.json");
        for (Vectors.Row row : document.rows("accounts")) {
            try (var pair = Ed25519.KeyPair.fromSeed(row.hex("seed"))) {
                assertThat(pair.publicKey()).isEqualTo(row.hex("public_key"));
                assertThat(Address.fromBytes(pair.publicKey())).hasToString(row.text("address"));
            }
        }
        for (Vectors.Row row : document.rows("public_keys")) {
            Address address = Address.fromBytes(row.hex("public_key"));
            assertThat(address).hasToString(row.text("address"));
            assertThat(Address.parse(row.text("address"))).isEqualTo(address);
        }
        for (Vectors.Row row : document.rows("app_addresses")) {
            assertThat(HashedAddress.ofApplication(row.number("app_id")))
                    .hasToString(row.text("address"));
        }
        for (Vectors.Row row : document.rows("multisig_addresses")) {
            List<Digest> keys =
                    row.list("addrs").stream()
                            .map(text -> Address.parse((String) Objects.requireNonNull(text)))
                            .map(address -> Digest.fromBytes(address.toBytes()))
                            .toList();
            assertThat(
                            HashedAddress.ofMultisig(
                                    (int) row.number("version"),
                                    (int) row.number("threshold"),
                                    keys))
                    .hasToString(row.text("address"));
        }
        for (Vectors.Row row : document.rows("logicsig_addresses")) {
            assertThat(HashedAddress.ofProgram(Bytes.of(row.hex("program"))))
                    .hasToString(row.text("address"));
        }
        assertThat(
                        document.rows("accounts").size()
                                + document.rows("public_keys").size()
                                + document.rows("app_addresses").size()
                                + document.rows("multisig_addresses").size()
                                + document.rows("logicsig_addresses").size())
                .isEqualTo(47 + 42 + 21 + 12 + 12);
    }

    private enum Kind {
        ED25519,
        APPLICATION,
        MULTISIG,
        PROGRAM,
        FALCON1024
    }

    @Test
    void theReferencesAddressesAreOurs() throws MalformedMessage {
        Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
        for (Vectors.Row row : Vectors.rows("accounts_derived.jsonl")) {
            Kind kind = Kind.valueOf(row.text("kind").toUpperCase(java.util.Locale.ROOT));
            counts.merge(kind, 1, Integer::sum);
            switch (kind) {
                case ED25519 -> {
                    byte[] seed = row.hex("seed");
                    assertThat(Mnemonic.fromSeed(seed)).isEqualTo(row.text("mnemonic"));
                    assertThat(Mnemonic.toSeed(row.text("mnemonic"))).isEqualTo(seed);
                    try (var pair = Ed25519.KeyPair.fromSeed(seed)) {
                        assertThat(pair.publicKey()).isEqualTo(row.hex("public_key"));
                        assertAddress(row, Address.fromBytes(pair.publicKey()));
                    }
                }
                case APPLICATION -> {
                    Address address = HashedAddress.ofApplication(row.number("app_id"));
                    assertAddress(row, address);
                    assertThat(address.toBytes()).isEqualTo(row.hex("account"));
                }
                case MULTISIG -> multisig(row);
                case PROGRAM ->
                        assertAddress(row, HashedAddress.ofProgram(Bytes.of(row.hex("program"))));
                case FALCON1024 -> falcon(row);
            }
        }
        assertThat(counts)
                .isEqualTo(
                        Map.of(
                                Kind.ED25519,
                                24,
                                Kind.APPLICATION,
                                24,
                                Kind.MULTISIG,
                                24,
                                Kind.PROGRAM,
                                24,
                                Kind.FALCON1024,
                                6));
    }

    private static void assertAddress(Vectors.Row row, Address address) {
        assertThat(address).as(row.id()).hasToString(row.text("address"));
        assertThat(Address.parse(row.text("address"))).as(row.id()).isEqualTo(address);
    }

    /** Those that the reference refuses have another version or a threshold that none can meet. */
    private static void multisig(Vectors.Row row) {
        List<Digest> keys = new ArrayList<>();
        for (Object key : row.list("public_keys")) {
            keys.add(Digest.fromBytes(HexFormat.of().parseHex((String) key)));
        }
        long version = row.number("version");
        long threshold = row.number("threshold");
        boolean possible = version == 1 && threshold > 0 && threshold <= keys.size();
        assertThat(possible).as(row.id()).isEqualTo(row.flag("accept"));
        if (possible) {
            assertAddress(row, HashedAddress.ofMultisig((int) version, (int) threshold, keys));
        }
    }

    /** The key itself, and whether a signature of it holds, is beyond us: opaque bytes. */
    private static void falcon(Vectors.Row row) throws MalformedMessage {
        assertThat(Mnemonic.fromSeed(row.hex("entropy"))).isEqualTo(row.text("mnemonic"));
        Bytes key = Bytes.of(row.hex("public_key"));
        assertThat(row.text("scheme")).isEqualTo("f1");
        int canonical = -1;
        for (Vectors.Row salt : row.rows("salts")) {
            int number = (int) salt.number("salt");
            byte[] account = HashedAddress.ofPostQuantumKey(FALCON, number, key).toBytes();
            assertThat(account).as(row.id()).isEqualTo(salt.hex("account"));
            boolean point =
                    Edwards25519.decompress(
                            new long[Edwards25519.POINT],
                            0,
                            account,
                            0,
                            new long[Edwards25519.WORK]);
            assertThat(point).as(row.id()).isEqualTo(salt.flag("is_curve_point"));
            canonical = canonical < 0 && !point ? number : canonical;
        }
        assertThat(canonical).as(row.id()).isEqualTo(row.number("canonical_salt"));
        assertAddress(row, HashedAddress.ofPostQuantumKey(FALCON, canonical, key));
        if (row.has("stxn")) {
            byte[] bytes = row.hex("stxn");
            SignedTransaction signed = decode(bytes);
            assertThat(signed.txnEncoding().toArray()).isEqualTo(row.hex("txn_msgpack"));
            PqSignature signature = Objects.requireNonNull(signed.pqSignature());
            assertThat(signature.publicKey()).isEqualTo(key);
        }
    }

    @Test
    void postQuantumPaymentsOfTheSdkAreRead() throws MalformedMessage {
        for (String name : List.of("pqPayment", "pqRekeyedPayment")) {
            Vectors.Row row = Vectors.document("pq/" + name + ".json");
            SignedTransaction signed =
                    decode(java.util.Base64.getDecoder().decode(row.text("data.stxnBlob")));
            assertThat(signed.id()).hasToString(row.text("data.id"));
            PqSignature signature = Objects.requireNonNull(signed.pqSignature());
            assertThat(
                            HashedAddress.ofPostQuantumKey(
                                    signature.scheme(), signature.salt(), signature.publicKey()))
                    .isEqualTo(signed.authorizer());
        }
        Vectors.Row key = Vectors.document("pq/pqMnemonic.json");
        Bytes publicKey =
                Bytes.of(java.util.Base64.getDecoder().decode(key.text("data.publicKey")));
        assertThat(HashedAddress.ofPostQuantumKey(FALCON, (int) key.number("go.salt"), publicKey))
                .hasToString(key.text("data.address"));
    }

    private static SignedTransaction decode(byte[] bytes) throws MalformedMessage {
        return new TransactionDecoder().decodeSigned(bytes, 0, bytes.length);
    }
}
