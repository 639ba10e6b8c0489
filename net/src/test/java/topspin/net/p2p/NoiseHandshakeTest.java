package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.crypto.HashFunction;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

final class NoiseHandshakeTest {
    private static final List<String> YAMUX = List.of("/yamux/1.0.0");

    private static byte[] body(byte[] framed) {
        return Arrays.copyOfRange(framed, 2, framed.length);
    }

    private static List<String> texts(Row row, String name) {
        List<String> texts = new ArrayList<>();
        if (row.has(name)) {
            row.list(name).forEach(text -> texts.add((String) Objects.requireNonNull(text)));
        }
        return texts;
    }

    private static NoiseHandshake side(Row row, boolean dialer) {
        String role = dialer ? "initiator" : "responder";
        return new NoiseHandshake(
                dialer,
                row.object(role + "_static").hex("private"),
                row.object(role + "_ephemeral").hex("private"),
                KeyPair.fromSeed(row.object(role + "_identity").hex("ed25519_seed")),
                texts(row, role + "_muxers"));
    }

    @Test
    void recordedHandshakesAreRebuiltByteForByte() throws IOException {
        String text = Files.readString(Vectors.file("reference/p2p/noise_handshakes.json"));
        List<?> rows = Vectors.row("{\"rows\":" + text + "}").list("rows");
        assertThat(rows).hasSize(4);
        for (Object element : rows) {
            Row row = (Row) element;
            NoiseHandshake dialer = side(row, true);
            NoiseHandshake listener = side(row, false);
            assertThat(dialer.isOurTurn()).isTrue();
            assertThat(listener.isOurTurn()).isFalse();
            assertThat(dialer.write()).isEqualTo(body(row.hex("wire_msg1")));
            assertThat(listener.read(body(row.hex("wire_msg1")))).isTrue();
            assertThat(listener.isOurTurn()).isTrue();
            assertThat(listener.write()).isEqualTo(body(row.hex("wire_msg2")));
            assertThat(listener.hash()).isEqualTo(row.hex("h_after_msg2"));
            assertThat(dialer.read(body(row.hex("wire_msg2")))).isTrue();
            assertThat(dialer.write()).isEqualTo(body(row.hex("wire_msg3")));
            assertThat(listener.read(body(row.hex("wire_msg3")))).isTrue();
            assertThat(dialer.isDone() && listener.isDone()).isTrue();
            assertThat(dialer.hash()).isEqualTo(listener.hash()).isEqualTo(row.hex("h_final"));
            assertThat(dialer.remote())
                    .hasToString(row.object("responder_identity").text("peer_id"));
            assertThat(listener.remote())
                    .hasToString(row.object("initiator_identity").text("peer_id"));
            String early = row.text("initiator_sees_muxer");
            assertThat(dialer.muxer(texts(row, "initiator_muxers")))
                    .isEqualTo(listener.muxer(texts(row, "responder_muxers")))
                    .isEqualTo(early.isEmpty() ? null : early);
            assertTransports(row, dialer.split(), listener.split());
        }
    }

    private static void assertTransports(
            Row row, NoiseHandshake.Transport dialer, NoiseHandshake.Transport listener) {
        for (Object element : row.list("transport")) {
            Row message = (Row) Objects.requireNonNull(element);
            boolean forth = message.text("dir").startsWith("initiator");
            byte[] plain = plain(message);
            ByteBuf wire = Unpooled.buffer();
            for (int at = 0; at < plain.length; at += NoiseEncoder.PLAIN_BYTES_MAX) {
                int length = Math.min(NoiseEncoder.PLAIN_BYTES_MAX, plain.length - at);
                byte[] part = Arrays.copyOfRange(plain, at, at + length);
                byte[] sealed = Arrays.copyOf(part, length + ChaChaPoly.TAG_BYTES);
                (forth ? dialer : listener).sending().seal(sealed, 0, length);
                wire.writeShort(sealed.length).writeBytes(sealed);
                ChaChaPoly receiving = (forth ? listener : dialer).receiving();
                assertThat(receiving.open(sealed, 0, sealed.length)).isTrue();
                assertThat(Arrays.copyOf(sealed, length)).isEqualTo(part);
            }
            byte[] bytes = ByteBufUtil.getBytes(wire);
            assertThat(bytes.length).isEqualTo(message.number("wire_len"));
            if (message.has("wire")) {
                assertThat(bytes).isEqualTo(message.hex("wire"));
            } else {
                byte[] hash = HashFunction.SHA256.digest(Domain.NONE, bytes, 0, bytes.length);
                assertThat(hash).isEqualTo(message.hex("wire_sha256"));
            }
        }
    }

    /** Given as it is, or by the rule that byte i is i mod 251. */
    private static byte[] plain(Row message) {
        if (message.has("plain")) {
            return message.hex("plain");
        }
        byte[] plain = new byte[(int) message.number("plain_len")];
        for (int at = 0; at < plain.length; at++) {
            plain[at] = (byte) (at % 251);
        }
        return plain;
    }

    @Test
    void handshakesWithTheReferenceNodeAreRebuiltFromOurKeys() {
        for (String file : List.of("noise_real_dialer.json", "noise_real_listener.json")) {
            Row row = Vectors.document("reference/p2p/" + file);
            boolean dialer = row.text("our_role").equals("initiator");
            var ours =
                    new NoiseHandshake(
                            dialer,
                            row.hex("our_static_private"),
                            row.hex("our_ephemeral_private"),
                            KeyPair.fromSeed(row.hex("our_identity_ed25519_seed")),
                            YAMUX);
            for (int message = 1; message <= 3; message++) {
                byte[] wire = row.hex("noise_msg" + message);
                if (ours.isOurTurn()) {
                    assertThat(ours.write()).isEqualTo(wire);
                } else {
                    assertThat(ours.read(wire)).isTrue();
                }
            }
            assertThat(ours.isDone()).isTrue();
            assertThat(ours.hash()).isEqualTo(row.hex("h_final"));
            assertThat(ours.remote()).hasToString(row.text("remote_peer_id"));
            assertThat(ours.muxer(YAMUX)).isEqualTo("/yamux/1.0.0");
            assertFirstMessages(row, dialer, ours.split());
        }
    }

    private static void assertFirstMessages(
            Row row, boolean dialer, NoiseHandshake.Transport transport) {
        int messages = 0;
        for (Object element : row.list("first_transport_messages")) {
            Row message = (Row) Objects.requireNonNull(element);
            byte[] wire = message.hex("noise_message");
            byte[] plain = message.hex("plain");
            if (message.text("dir").startsWith("dialer") == dialer) {
                byte[] bytes = Arrays.copyOf(plain, plain.length + ChaChaPoly.TAG_BYTES);
                transport.sending().seal(bytes, 0, plain.length);
                assertThat(bytes).isEqualTo(wire);
            } else {
                assertThat(transport.receiving().open(wire, 0, wire.length)).isTrue();
                assertThat(Arrays.copyOf(wire, plain.length)).isEqualTo(plain);
            }
            messages++;
        }
        assertThat(messages).isGreaterThan(10);
    }

    private static NoiseHandshake side(boolean dialer, long seed) {
        var random = new SplittableRandom(seed);
        byte[][] keys = new byte[3][32];
        for (byte[] key : keys) {
            random.nextBytes(key);
        }
        return new NoiseHandshake(dialer, keys[0], keys[1], KeyPair.fromSeed(keys[2]), YAMUX);
    }

    @Test
    void aMessageChangedAnywhereIsRefusedThenOrLater() {
        for (int changed = 0; changed < 3; changed++) {
            int length = new int[] {32, 0xd8, 0xb8}[changed];
            for (int at = 0; at < length; at++) {
                NoiseHandshake dialer = side(true, 1);
                NoiseHandshake listener = side(false, 2);
                boolean right = true;
                for (int message = 0; message < 3 && right; message++) {
                    byte[] bytes = (message % 2 == 0 ? dialer : listener).write();
                    if (message == changed) {
                        assertThat(bytes).hasSize(length);
                        bytes[at] ^= 1;
                    }
                    right = (message % 2 == 0 ? listener : dialer).read(bytes);
                }
                // The dialer learns of a changed first message from the second, which it cannot
                // read.
                assertThat(right).as("message %d, byte %d", changed, at).isFalse();
            }
        }
    }

    @Test
    void aMessageCutAnywhereIsRefused() {
        for (int cut = 0; cut < 3; cut++) {
            for (int at = 0; at < new int[] {32, 0xd8, 0xb8}[cut]; at += 7) {
                NoiseHandshake dialer = side(true, 1);
                NoiseHandshake listener = side(false, 2);
                boolean right = true;
                for (int message = 0; message < 3 && right; message++) {
                    byte[] bytes = (message % 2 == 0 ? dialer : listener).write();
                    right =
                            (message % 2 == 0 ? listener : dialer)
                                    .read(message == cut ? Arrays.copyOf(bytes, at) : bytes);
                }
                assertThat(right).isFalse();
            }
        }
    }

    @Test
    void aPointThatMakesTheSecretKnownIsRefused() {
        NoiseHandshake listener = side(false, 2);
        assertThat(listener.read(new byte[32])).isFalse();
        NoiseHandshake dialer = side(true, 1);
        dialer.write();
        assertThat(dialer.read(new byte[200])).isFalse();
    }
}
