package topspin.net.multiaddr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

final class MultiaddrTest {
    /**
     * Not among the protocols of go-multiaddr, which counts; only the JavaScript suite has them.
     */
    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>(Vectors.rows("multiaddr.jsonl"));
        rows.addAll(Vectors.rows("multiaddr_generated.jsonl"));
        return rows;
    }

    /** What go-multiaddr says counts, where it was asked. */
    private static boolean accepted(Row row) {
        String verdict = row.textOrNull("go_multiaddr");
        return verdict == null ? row.flag("valid") : verdict.startsWith("accepts");
    }

    @Test
    void everyVectorIsTakenOrRefusedAsTheNetworkDoes() {
        int taken = 0;
        int refused = 0;
        for (Row row : rows()) {
            String id = row.text("id");
            if (!accepted(row)) {
                refused++;
                if (row.has("text")) {
                    assertThatThrownBy(() -> Multiaddr.parse(row.text("text")))
                            .as(id)
                            .isInstanceOf(IllegalArgumentException.class);
                } else {
                    byte[] bytes = row.hex("hex");
                    assertThat(Multiaddr.decode(bytes, 0, bytes.length)).as(id).isNull();
                }
                continue;
            }
            taken++;
            byte[] bytes = row.hex("hex");
            Multiaddr unpacked = Multiaddr.decode(bytes, 0, bytes.length);
            assertThat(unpacked).as(id).isNotNull();
            if (row.has("text")) {
                Multiaddr parsed = Multiaddr.parse(row.text("text"));
                assertThat(HexFormat.of().formatHex(parsed.toBytes()))
                        .as(id)
                        .isEqualTo(row.text("hex"));
                assertThat(unpacked).as(id).isEqualTo(parsed).hasSameHashCodeAs(parsed);
                String printed =
                        row.has("go_text")
                                ? row.text("go_text")
                                : row.has("text_from_bytes")
                                        ? row.text("text_from_bytes")
                                        : row.text("text");
                assertThat(parsed).as(id).hasToString(printed);
                assertThat(Multiaddr.parse(printed)).as(id).isEqualTo(parsed);
            }
        }
        assertThat(taken).isGreaterThan(180);
        assertThat(refused).isGreaterThan(60);
    }

    @Test
    void protocolsAreWalkedInOrder() {
        Multiaddr address =
                Multiaddr.parse(
                        "/ip4/10.0.0.1/tcp/4160/p2p/"
                                + "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq"
                                + "/p2p-circuit");
        int[] codes = {-1, -2, 0, 0, 0, 0, -3};
        assertThat(address.appendProtocols(codes, 2)).isEqualTo(6);
        assertThat(codes).containsExactly(-1, -2, 4, 6, 421, 290, -3);
        assertThat(address.firstProtocol()).isEqualTo(Protocol.IP4.code());
        assertThat(address.hasProtocol(Protocol.P2P.code())).isTrue();
        assertThat(address.hasProtocol(Protocol.TCP.code())).isTrue();
        // Its bytes occur as a value, but not as a protocol.
        assertThat(address.hasProtocol(10)).isFalse();
        assertThatThrownBy(() -> address.appendProtocols(new int[3], 0))
                .isInstanceOf(ArrayIndexOutOfBoundsException.class);
    }

    @Test
    void walkingMakesNoGarbage() {
        Multiaddr address =
                Multiaddr.parse(
                        "/dns4/example.com/tcp/443/tls/ws/p2p/"
                                + "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq");
        int[] codes = new int[8];
        var beans = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        long sum = 0;
        for (int window = 0; window < 10; window++) {
            long before = beans.getCurrentThreadAllocatedBytes();
            for (int round = 0; round < 10_000; round++) {
                sum += address.firstProtocol();
                sum += address.hasProtocol(Protocol.P2P_CIRCUIT.code()) ? 1 : 0;
                sum += address.appendProtocols(codes, 0);
            }
            least = Math.min(least, beans.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(sum).isEqualTo(100_000L * (54 + 5));
        assertThat(least).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "/ip4/127.0.0.1/tcp/4001, 127.0.0.1, 4001",
        "/ip6/::1/tcp/0, ::1, 0",
        "/ip4/1.2.3.4/tcp/65535/p2p/12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq,"
                + " 1.2.3.4, 65535",
    })
    void aTcpAddressIsASocketAddress(String text, String host, int port) throws Exception {
        Multiaddr address = Multiaddr.parse(text);
        var socket = new InetSocketAddress(InetAddress.getByName(host), port);
        assertThat(address.socketAddress()).isEqualTo(socket);
        assertThat(text).startsWith(Multiaddr.of(socket).toString());
    }

    @Test
    void aNameIsNotLookedUp() {
        var socket = InetSocketAddress.createUnresolved("node.example", 4160);
        assertThat(Multiaddr.of(socket)).hasToString("/dns/node.example/tcp/4160");
        assertThat(Multiaddr.parse("/dns4/node.example/tcp/4160").socketAddress())
                .isEqualTo(socket);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ip4/1.2.3.4",
                "/ip4/1.2.3.4/udp/1",
                "/ip4/1.2.3.4/tcp/1/ws",
                "/tcp/1",
                "/unix/tmp/a",
                "/dnsaddr/example.com/tcp/1",
            })
    void otherAddressesAreNone(String text) {
        assertThat(Multiaddr.parse(text).socketAddress()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7::8",
                "1.2.3.4::",
                "::1.2.3.4:5",
                "::1.2.3",
                ":1::",
                "1:::2",
                "fe80::1%eth0",
                "[::1]",
                "",
                "::g",
                "1:2:3:4:5:6:7:1.2.3.4",
            })
    void textsLikeIpv6AreRefused(String text) {
        assertThatThrownBy(() -> Multiaddr.parse("/ip6/" + text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "::, ::",
        "1::, 1::",
        "0:0:0:0:0:0:0:1, ::1",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "2001:DB8::1, 2001:db8::1",
        "::ffff:1.2.3.4, ::ffff:1.2.3.4",
        "64:ff9b::1.2.3.4, 64:ff9b::102:304",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
    })
    void ipv6IsPrintedInItsShortestForm(String text, String printed) {
        assertThat(Multiaddr.parse("/ip6/" + text)).hasToString("/ip6/" + printed);
    }

    @Test
    void aPeerIsFoundAndAdded() {
        Multiaddr bare = Multiaddr.parse("/ip4/127.0.0.1/tcp/4001");
        assertThat(bare.peer()).isNull();
        Multiaddr whole =
                Multiaddr.parse(bare + "/p2p/12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq");
        byte[] peer = Objects.requireNonNull(whole.peer());
        assertThat(HexFormat.of().formatHex(peer))
                .isEqualTo(
                        "00240801122"
                                + "01ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d474fce27e");
        assertThat(bare.withPeer(peer)).isEqualTo(whole);
    }

    @Test
    void whatIsCutOrChangedIsRefusedOrAnotherAddressButNeverAFault() {
        for (Row row : rows()) {
            if (!accepted(row)) {
                continue;
            }
            byte[] bytes = row.hex("hex");
            for (int at = 0; at < bytes.length; at++) {
                assertUnpacksAndPrints(Arrays.copyOf(bytes, at));
                for (int bit = 0; bit < Byte.SIZE; bit++) {
                    byte[] flipped = bytes.clone();
                    flipped[at] ^= (byte) (1 << bit);
                    assertUnpacksAndPrints(flipped);
                }
            }
        }
    }

    @Property
    void anyBytesUnpackToWhatPacksToThem(@ForAll byte[] bytes) {
        assertUnpacksAndPrints(bytes);
    }

    private static void assertUnpacksAndPrints(byte[] bytes) {
        Multiaddr address = Multiaddr.decode(bytes, 0, bytes.length);
        if (address != null) {
            assertThat(address.toBytes()).isEqualTo(bytes);
            assertThat(address.toString()).startsWith("/");
            address.socketAddress();
            address.peer();
        }
    }
}
