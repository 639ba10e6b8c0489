package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.net.Tag;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

final class BlockTopicsTest {
    private static final String REQUEST_OF_ROUND_3 =
            "030f7265717565737444617461547970650c626c6f636b416e6443657274"
                    + "08726f756e644b65790a03000000000000000000056e6f6e63650a01000000000000000000";

    @Test
    void aRequestHasTheBytesOfTheReferences() {
        byte[] request = BlockRequest.encode(3, 1);
        assertThat(HexFormat.of().formatHex(request)).isEqualTo(REQUEST_OF_ROUND_3);
        assertThat(request).hasSize(Tag.BLOCK_REQUEST.bytesMax());
        assertThat(BlockRequest.decode(request))
                .isEqualTo(new BlockRequest(3, Long.parseUnsignedLong("15807159539288635110")));
    }

    @Test
    void recordedRequestsAndAnswersAreReadAndMadeAlike() {
        int answered = 0;
        for (Row row : rows("reference/p2p/block_requests.json")) {
            byte[] request = row.hex("request");
            if (!row.has("request_hash")) {
                assertThat(BlockRequest.decode(request)).isNotNull(); // As the node asks.
                continue;
            }
            long hash = row.number("request_hash");
            assertThat(BlockRequest.hash(request)).isEqualTo(hash);
            if (!row.has("response")) {
                continue;
            }
            byte[] response = row.hex("response");
            Topics topics = decoded(response);
            assertThat(topics.encode()).isEqualTo(response);
            assertThat(Topics.number(topics.get(BlockAnswer.REQUEST_HASH))).isEqualTo(hash);
            BlockAnswer answer = BlockAnswer.of(topics);
            assertThat(answer).isNotNull();
            if (answer instanceof BlockAnswer.Found) {
                assertThat(answer.encode(hash)).isEqualTo(response);
                answered++;
            }
        }
        assertThat(answered).isPositive();
    }

    private static Topics decoded(byte[] body) {
        return Objects.requireNonNull(Topics.decode(Unpooled.wrappedBuffer(body)));
    }

    private static List<Row> rows(String file) {
        try {
            String text = Files.readString(Vectors.file(file));
            List<Row> rows = new ArrayList<>();
            for (Object row : Vectors.row("{\"rows\":" + text + "}").list("rows")) {
                rows.add((Row) row);
            }
            return rows;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void theThreeAnswersComeBackAsTheyWent() {
        for (BlockAnswer answer :
                List.of(
                        new BlockAnswer.Found(new byte[] {1, 2}, new byte[] {3}),
                        new BlockAnswer.Missing(-1),
                        new BlockAnswer.Refused("no"))) {
            byte[] body = answer.encode(-7);
            Topics topics = decoded(body);
            assertThat(BlockAnswer.of(topics)).usingRecursiveComparison().isEqualTo(answer);
            assertThat(Topics.number(topics.get(BlockAnswer.REQUEST_HASH))).isEqualTo(-7);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", // No count.
                "21", // 33 topics.
                "ffffffff7f", // Very many.
                "01", // A topic that is not there.
                "010061", // An empty key.
                "0141", // A key of 65.
                "01016105616263", // Data shorter than said.
                "010161ffffffffffffffffff0161", // Data longer than any buffer.
                "02016101620161", // The second without data.
                "02016101620161016300", // A key twice, and more.
                "0101610162ff", // Something behind.
            })
    void whatAreNoTopicsIsRefused(String hex) {
        byte[] body = HexFormat.of().parseHex(hex);
        assertThat(Topics.decode(Unpooled.wrappedBuffer(body))).isNull();
    }

    @Test
    void aRequestCutAnywhereOrForOtherDataIsNone() {
        byte[] whole = HexFormat.of().parseHex(REQUEST_OF_ROUND_3);
        for (int length = 0; length < whole.length; length++) {
            assertThat(BlockRequest.decode(Arrays.copyOf(whole, length))).isNull();
        }
        byte[] otherData =
                new Topics()
                        .with("requestDataType", new byte[] {'b'})
                        .with("roundKey", Topics.number(1))
                        .encode();
        assertThat(BlockRequest.decode(otherData)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "80", "8001ff", "ffffffffffffffffff02", "0000000000000000000000"})
    void whatIsNoNumberIsRefused(String hex) {
        assertThat(Topics.number(HexFormat.of().parseHex(hex))).isNull();
    }
}
