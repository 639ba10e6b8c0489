package topspin.net.gossipsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.junit.jupiter.api.Test;

import topspin.codec.Allocation;
import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;

import java.util.Arrays;
import java.util.HexFormat;

final class Blake2b256Test {
    private final Blake2b256 hash = new Blake2b256();
    private final MessageId id = new MessageId();

    private String hash(byte[] data) {
        hash.hash(data, 0, data.length, id);
        byte[] bytes = new byte[MessageId.BYTES];
        id.writeTo(bytes, 0);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void theEmptyStringHasItsPublishedHash() {
        assertThat(hash(new byte[0]))
                .isEqualTo("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    }

    @Test
    void recordedMessagesHaveTheIdsTheNetworkGivesThem() {
        for (Row row : Vectors.document("reference/p2p/gossip_rpcs.json").rows("publish")) {
            assertThat(hash(row.hex("data"))).isEqualTo(row.text("message_id"));
        }
    }

    @Test
    void everyLengthAroundABlockIsHashedAsByBouncyCastle() {
        for (int length = 0; length < 520; length++) {
            byte[] data = new byte[length];
            Arrays.fill(data, (byte) length);
            assertHashedAsByBouncyCastle(data, 0);
        }
    }

    @Property
    void anythingIsHashedAsByBouncyCastle(@ForAll @Size(max = 1_000) byte[] data) {
        assertHashedAsByBouncyCastle(data, Math.min(data.length, 3));
    }

    private void assertHashedAsByBouncyCastle(byte[] data, int offset) {
        var oracle = new Blake2bDigest(256);
        oracle.update(data, offset, data.length - offset);
        byte[] expected = new byte[MessageId.BYTES];
        oracle.doFinal(expected, 0);
        byte[] actual = new byte[MessageId.BYTES];
        hash.hash(data, offset, data.length - offset, id);
        id.writeTo(actual, 0);
        assertThat(actual).isEqualTo(expected);
        hash.hash(Unpooled.wrappedBuffer(data), offset, data.length - offset, id);
        id.writeTo(actual, 0);
        assertThat(actual).isEqualTo(expected);
        MessageId read = new MessageId();
        read.read(Unpooled.wrappedBuffer(actual), 0);
        assertThat(new long[] {read.a, read.b, read.c, read.d})
                .containsExactly(id.a, id.b, id.c, id.d);
    }

    @Test
    void hashingMakesNoGarbage() {
        byte[] data = new byte[300];
        assertThat(Allocation.smallestWindow(10, 10_000, () -> hash.hash(data, 0, data.length, id)))
                .isZero();
    }
}
