package topspin.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UvarintTest {
    @ParameterizedTest
    @CsvSource({
        "0, 00",
        "1, 01",
        "127, 7f",
        "128, 8001",
        "16383, ff7f",
        "16384, 808001",
        "2097151, ffff7f",
        "2097152, 80808001",
        "9223372036854775807, ffffffffffffffff7f",
        "-1, ffffffffffffffffff01",
    })
    void isSevenBitsToAByteLeastSignificantFirst(long value, String hex) {
        ByteBuf bytes = Unpooled.buffer();
        Uvarint.write(value, bytes);
        assertThat(io.netty.buffer.ByteBufUtil.hexDump(bytes)).isEqualTo(hex);
        assertThat(Uvarint.size(value)).isEqualTo(hex.length() / 2);
        byte[] array = new byte[Uvarint.BYTES_MAX + 1];
        assertThat(Uvarint.write(value, array, 1)).isEqualTo(1 + hex.length() / 2);
        assertThat(Unpooled.wrappedBuffer(array, 1, hex.length() / 2)).isEqualTo(bytes);
    }
}
