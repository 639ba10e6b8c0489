package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.codec.msgpack.MalformedMessage;

import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

final class HeaderBlockTest {
    @Test
    void theReferencesBlocksAreReadAndWrittenAlike() throws IOException, MalformedMessage {
        String text = Files.readString(Vectors.file("reference/p2p/stream_headers.json"));
        List<?> rows = Vectors.row("{\"rows\":" + text + "}").list("rows");
        assertThat(rows).isNotEmpty();
        for (Object element : rows) {
            Row row = (Row) element;
            byte[] bytes = row.hex("bytes");
            HeaderBlock block =
                    Objects.requireNonNull(HeaderBlock.decode(Unpooled.wrappedBuffer(bytes)));
            assertThat(block.headers()).isEqualTo(row.object("map").fields());
            assertThat(block.speaksOurVersion()).isTrue();
            assertThat(block.genesisId()).isEqualTo("private-v1");
            ByteBuf again = Unpooled.buffer();
            block.encode(again);
            assertThat(ByteBufUtil.getBytes(again)).isEqualTo(bytes);
        }
    }

    @Test
    void aBlockNotAllThereIsWaitedFor() throws MalformedMessage {
        ByteBuf whole = Unpooled.buffer();
        HeaderBlock.of("private-v1").encode(whole);
        for (int length = 0; length < whole.readableBytes(); length++) {
            ByteBuf part = whole.slice(0, length);
            assertThat(HeaderBlock.decode(part)).isNull();
            assertThat(part.readableBytes()).isEqualTo(length);
        }
        whole.writeByte(1);
        assertThat(HeaderBlock.decode(whole)).isEqualTo(HeaderBlock.of("private-v1"));
        assertThat(whole.readableBytes()).isOne();
    }

    @Test
    void acceptedVersionsCountBeforeTheVersionAndSpellingCounts() {
        assertThat(speaks("X-Algorand-Version", "2.2")).isTrue();
        assertThat(speaks("X-Algorand-Version", "2.1")).isFalse();
        assertThat(speaks("x-algorand-version", "2.2")).isFalse();
        var both = new LinkedHashMap<String, List<String>>();
        both.put("X-Algorand-Version", List.of("2.2"));
        both.put("X-Algorand-Accept-Version", List.of("3.0", "2.1"));
        assertThat(new HeaderBlock(both).speaksOurVersion()).isFalse();
        both.put("X-Algorand-Accept-Version", List.of("3.0", "2.2"));
        assertThat(new HeaderBlock(both).speaksOurVersion()).isTrue();
        assertThat(new HeaderBlock(Map.of()).speaksOurVersion()).isFalse();
    }

    private static boolean speaks(String name, String version) {
        return new HeaderBlock(Map.of(name, List.of(version))).speaksOurVersion();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000", // Nothing at all.
                "000190", // A list.
                "000181", // A name that is not there.
                "000381a16181", // A map as its value.
                "000581a16190c0", // Something behind.
                "0006de004190a190", // 65 names.
                "000681a161dc0011", // 17 values.
                "000781a161dbffffffff", // A value longer than the block.
            })
    void whatIsNoMapOfNamesIsRefused(String hex) {
        ByteBuf bytes = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
        assertThatThrownBy(() -> HeaderBlock.decode(bytes)).isInstanceOf(MalformedMessage.class);
    }
}
