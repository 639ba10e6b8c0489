package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.multiaddr.Multiaddr;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** What peers say of themselves, recorded from the reference node and made by us. */
final class IdentifyTest {
    private static List<Row> rows(String file) throws IOException {
        String text = Files.readString(Vectors.file("reference/p2p/" + file));
        List<Row> rows = new ArrayList<>();
        for (Object row : Vectors.row("{\"rows\":" + text + "}").list("rows")) {
            rows.add((Row) row);
        }
        return rows;
    }

    private static List<String> values(Row row, int field) {
        List<String> values = new ArrayList<>();
        for (Object pair : row.list("fields")) {
            List<?> both = (List<?>) pair;
            if (((Number) both.getFirst()).intValue() == field) {
                values.add((String) both.get(1));
            }
        }
        return values;
    }

    @Test
    void recordedMessagesAreReadFieldByField() throws IOException {
        int withRecord = 0;
        List<Row> rows = rows("identify.json");
        for (Row row : rows) {
            ByteBuf message = Unpooled.wrappedBuffer(row.hex("message"));
            Identify said = Objects.requireNonNull(Identify.NOTHING.merge(message));
            assertThat(said.protocols()).isEqualTo(values(row, 3));
            assertThat(said.listenAddresses())
                    .extracting(address -> HexFormat.of().formatHex(address.toBytes()))
                    .isEqualTo(values(row, 2));
            assertThat(List.of(said.agent())).isEqualTo(values(row, 6));
            if (!values(row, 8).isEmpty()) {
                SignedPeerRecord record = Objects.requireNonNull(said.record());
                assertThat(record.addresses()).isEqualTo(said.listenAddresses());
                withRecord++;
            }
        }
        assertThat(withRecord).isPositive();
    }

    @Test
    void whatWeSayIsReadBackWithOurSignature() {
        KeyPair identity = KeyPair.fromSeed(new byte[32]);
        List<Multiaddr> listen = List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/4160"));
        Multiaddr seen = Multiaddr.parse("/ip4/192.0.2.7/tcp/99");
        ByteBuf message = Unpooled.buffer();
        new Identify(listen, List.of("/a/1", "/b/2"), seen, "agent", null)
                .encode(identity, 7, message);
        assertThat(Protobuf.varint(message)).isEqualTo(message.readableBytes());
        Identify said = Objects.requireNonNull(Identify.NOTHING.merge(message));
        assertThat(said.listenAddresses()).isEqualTo(listen);
        assertThat(said.protocols()).containsExactly("/a/1", "/b/2");
        assertThat(said.observed()).isEqualTo(seen);
        assertThat(said.agent()).isEqualTo("agent");
        assertThat(said.record())
                .isEqualTo(new SignedPeerRecord(PeerId.of(identity.publicKey()), 7, listen));
    }

    @Test
    void recordedEnvelopesAreOpenedAndSealedAlike() throws IOException {
        List<Row> rows = rows("signed_peer_records.json");
        for (Row row : rows) {
            byte[] envelope = row.hex("envelope");
            SignedPeerRecord record = Objects.requireNonNull(SignedPeerRecord.open(envelope));
            assertThat(record.peer()).isEqualTo(PeerId.parse(row.text("peer_id")));
            assertThat(record.sequence()).isEqualTo(Long.parseLong(row.text("seq")));
            assertThat(record.addresses())
                    .extracting(Object::toString)
                    .isEqualTo(row.list("addrs"));
            KeyPair identity = KeyPair.fromSeed(row.hex("ed25519_seed"));
            assertThat(SignedPeerRecord.seal(identity, record.sequence(), record.addresses()))
                    .isEqualTo(envelope);
        }
        assertThat(rows).hasSize(3);
    }

    @Test
    void anEnvelopeWithAnyBitChangedOrCutAnywhereIsNone() {
        KeyPair identity = KeyPair.fromSeed(new byte[32]);
        byte[] envelope =
                SignedPeerRecord.seal(
                        identity, 1, List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/4160")));
        for (int at = 0; at < envelope.length; at++) {
            assertThat(SignedPeerRecord.open(Arrays.copyOf(envelope, at))).isNull();
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                byte[] changed = envelope.clone();
                changed[at] ^= (byte) (1 << bit);
                SignedPeerRecord record = SignedPeerRecord.open(changed);
                // A field renamed to one that nobody knows leaves the record without it.
                assertThat(record).as("byte %s, bit %s", at, bit).isNull();
            }
        }
    }

    @Test
    void aRecordOfAnotherPeerIsNotTheSigners() {
        KeyPair identity = KeyPair.fromSeed(new byte[32]);
        byte[] envelope = SignedPeerRecord.seal(identity, 1, List.of());
        byte[] other =
                SignedPeerRecord.seal(
                        KeyPair.fromSeed(
                                new byte[] {
                                    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
                                }),
                        1,
                        List.of());
        // The key of one, the rest of the other.
        byte[] mixed = envelope.clone();
        System.arraycopy(other, 0, mixed, 0, 38);
        assertThat(SignedPeerRecord.open(mixed)).isNull();
    }
}
