package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.codec.crypto.Ed25519.KeyPair;

import java.util.HexFormat;
import java.util.Objects;

final class PeerIdTest {
    @Test
    void idsOfKeysAreTheReferences() {
        int keys = 0;
        for (Object element : Vectors.document("reference/p2p/peer_ids.json").list("keys")) {
            Row row = (Row) Objects.requireNonNull(element);
            try (KeyPair pair = KeyPair.fromSeed(row.hex("ed25519_seed"))) {
                PeerId id = PeerId.of(pair.publicKey());
                assertThat(id).hasToString(row.text("peer_id"));
                assertThat(id.toBytes()).isEqualTo(row.hex("peer_id_bytes"));
                assertThat(id.publicKey()).isEqualTo(row.hex("public_key_protobuf"));
                assertThat(id.key()).isEqualTo(pair.publicKey());
                assertThat(PeerId.parse(row.text("peer_id"))).isEqualTo(id);
                assertThat(PeerId.parse(row.text("peer_id_cidv1"))).isEqualTo(id);
                assertThat(PeerId.ofPublicKey(id.publicKey())).isEqualTo(id);
                assertThat(PeerId.ofMultihash(id.toBytes())).isEqualTo(id).hasSameHashCodeAs(id);
                keys++;
            }
        }
        assertThat(keys).isEqualTo(8);
    }

    @Test
    void orderIsThatOfTheBytes() {
        byte[] low = new byte[32];
        byte[] high = new byte[32];
        high[0] = (byte) 0x80;
        assertThat(PeerId.of(low)).isLessThan(PeerId.of(high));
        assertThat(PeerId.of(high).isAt(PeerId.of(high).toBytes(), 0, 38)).isTrue();
        assertThat(PeerId.of(high).isAt(PeerId.of(low).toBytes(), 0, 38)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "12D3KooW",
                "QmcgpsyWgH8Y8ajJz1Cu72KnS5uo2Aa2LpzU7kinSupNKC", // Another kind of key.
                "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq1",
                "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3p0",
            })
    void otherTextsAreNoIds(String text) {
        assertThatThrownBy(() -> PeerId.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keysOfOtherKindsAreNone() {
        byte[] secp =
                HexFormat.of()
                        .parseHex(
                                "08021221"
                                        + "037777e994e452c21604f91de093ce415f5432f701dd8cd1a7a6fea0e630bfca99");
        assertThat(PeerId.ofPublicKey(secp)).isNull();
        assertThat(PeerId.ofPublicKey(new byte[0])).isNull();
    }
}
