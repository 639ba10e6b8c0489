package topspin.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import topspin.codec.Allocation;
import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.net.Uvarint;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

final class RpcReaderTest {
    private static final byte[] TOPIC = "algotx01".getBytes(US_ASCII);
    private static final String TOPIC_HEX = ByteBufUtil.hexDump(TOPIC);
    private static final String VECTORS = "reference/p2p/gossip_rpcs.json";

    private final RpcReader reader = new RpcReader();

    private @Nullable RpcFault read(byte[] rpc) {
        // Not at the buffer's start, and with something behind.
        ByteBuf bytes = Unpooled.buffer();
        bytes.writeBytes(new byte[] {9, 9, 9}).writeBytes(rpc).writeByte(9);
        return reader.read(bytes, 3, rpc.length);
    }

    private @Nullable RpcFault read(String hex) {
        return read(ByteBufUtil.decodeHexDump(hex));
    }

    private static Elements oracle(byte[] rpc) {
        return RpcOracle.elements(Objects.requireNonNull(RpcOracle.parse(rpc)));
    }

    @Test
    void recordedMessagesAreReadAndWrittenAsTheNetworkDoes() {
        for (Row row : Vectors.document(VECTORS).rows("publish")) {
            byte[] rpc = row.hex("rpc");
            assertThat(read(rpc)).isNull();
            assertThat(Elements.of(reader, List.of(TOPIC_HEX))).isEqualTo(oracle(rpc));
            assertThat(reader.messages()).isEqualTo(1);
            assertThat(reader.messageIsSigned(0)).isFalse();
            assertThat(
                            ByteBufUtil.hexDump(
                                    reader.bytes(), reader.dataOffset(0), reader.dataLength(0)))
                    .isEqualTo(row.text("data"));
            // The answer to an IWANT has an empty control part behind it.
            String entry = ByteBufUtil.hexDump(RpcBatch.messageEntry(reader, 0, TOPIC, 128));
            assertThat(row.text("rpc")).isIn(entry, entry + "1a00");
        }
    }

    @Test
    void recordedControlIsReadAsTheNetworkMeansIt() {
        int elements = 0;
        for (Row row : Vectors.document(VECTORS).rows("control")) {
            byte[] rpc = row.hex("rpc");
            assertThat(read(rpc)).isNull();
            Elements read = Elements.of(reader, List.of(TOPIC_HEX));
            assertThat(read).isEqualTo(oracle(rpc));
            elements += read.grafts().size() + read.prunes().size() + read.ihaves().size();
            elements += read.iwants().size() + read.idontwants().size() + read.messages().size();
        }
        assertThat(elements).isEqualTo(11);
    }

    @Test
    void everyRpcOfTheRecordedSessionsIsRead() {
        int count = 0;
        for (String file : List.of("messages1.jsonl", "messages7.jsonl")) {
            for (Row row : Vectors.rows("reference/p2p/" + file)) {
                if (row.text("kind").equals("gossipsub RPC")) {
                    byte[] rpc = row.hex("hex");
                    assertThat(read(rpc)).as(row.text("hex")).isNull();
                    assertThat(Elements.of(reader, List.of(TOPIC_HEX))).isEqualTo(oracle(rpc));
                    count++;
                }
            }
        }
        assertThat(count).isGreaterThan(15);
    }

    @ParameterizedTest
    @CsvSource({
        "''", // Nothing at all.
        "1a00", // An empty control part.
        "1a020a00", // IHAVE of nothing.
        "1a021200", // IWANT of nothing.
        "1a0a320852020801a2e0f219", // The extensions of version 1.3.
        "520401020304", // A field of later versions.
        "8afbe2180100", // Another one, with a number of four bytes.
        "0a0a08011201611201620800", // Not in order; the last topic counts.
        "0a8a800008011201611201620800", // A length in a longer form.
        "12020a00", // A message with an empty from.
        "1204120161220162", // A message, then a second field.
        "1a0a2208180f1880ffffff7f", // Two backoffs, the second beyond an int.
        "4908070605040302014d01020304", // Fixed numbers.
    })
    void theseAreRead(String hex) {
        byte[] rpc = ByteBufUtil.decodeHexDump(hex);
        boolean expected = RpcOracle.parse(rpc) != null;
        assertThat(read(rpc)).isEqualTo(expected ? null : RpcFault.MALFORMED);
        if (expected) {
            assertThat(Elements.of(reader, List.of("", "61", "62", "0102"))).isEqualTo(oracle(rpc));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "00", // Field number 0.
        "08", // A subscription that is a number, cut.
        "0801", // A subscription that is a number.
        "0a", // No length.
        "0a01", // Less than the length says.
        "0affffffffffffffffff01", // A length of 2^64 - 1.
        "0affffffff0f", // One of 2^32 - 1.
        "0a80808080808080808080", // A length without end.
        "12040a056162", // A field longer than its message.
        "1a030a0212", // Cut in a control element.
        "5b5c", // A group.
        "56", // A form that there is not.
        "5908", // Less than eight bytes.
        "5d080808", // Less than four.
        "8080808010080a", // A field number of over 29 bits.
    })
    void theseAreNoRpcs(String hex) {
        assertThat(read(hex)).isEqualTo(RpcFault.MALFORMED);
        assertThat(reader.messages() + reader.subscriptions() + reader.grafts()).isZero();
    }

    @Test
    void aRefusedRpcLeavesNothingBehind() {
        assertThat(read("12021201")).isEqualTo(RpcFault.MALFORMED);
        assertThat(reader.messages()).isZero();
        assertThat(read("1203120161" + "1a0c1a0a0a08616c676f74783031" + "0a")).isNotNull();
        assertThat(reader.messages() + reader.grafts()).isZero();
    }

    @Test
    void aSpanBeyondTheBufferIsOurFault() {
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[4]);
        assertThatThrownBy(() -> reader.read(bytes, 2, 3))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> reader.read(bytes, 2, Integer.MAX_VALUE))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    private static byte[] repeated(String element, int times) {
        return ByteBufUtil.decodeHexDump(element.repeat(times));
    }

    /** A control part of so many equal elements. */
    private static byte[] control(String element, int times) {
        byte[] inner = repeated(element, times);
        ByteBuf rpc = Unpooled.buffer().writeByte(0x1a);
        Uvarint.write(inner.length, rpc);
        return ByteBufUtil.getBytes(rpc.writeBytes(inner));
    }

    @Test
    void floodsOfTinyElementsAreRefusedAtTheLimit() {
        record Flood(RpcFault fault, int most, java.util.function.IntFunction<byte[]> rpc) {}
        for (Flood flood :
                List.of(
                        new Flood(RpcFault.SUBSCRIPTIONS, 100, times -> repeated("0a00", times)),
                        new Flood(RpcFault.MESSAGES, 5_000, times -> repeated("1200", times)),
                        new Flood(RpcFault.UNKNOWN_FIELDS, 1_000, times -> repeated("2000", times)),
                        new Flood(RpcFault.CONTROLS, 1_000, times -> repeated("1a00", times)),
                        new Flood(RpcFault.CONTROLS, 1_000, times -> control("0a00", times)),
                        new Flood(RpcFault.CONTROLS, 1_000, times -> control("1200", times)),
                        new Flood(RpcFault.CONTROLS, 1_000, times -> control("1a00", times)),
                        new Flood(RpcFault.CONTROLS, 1_000, times -> control("2200", times)),
                        new Flood(RpcFault.CONTROLS, 1_000, times -> control("2a00", times)),
                        new Flood(RpcFault.UNKNOWN_FIELDS, 1_000, times -> control("3200", times)),
                        new Flood(
                                RpcFault.UNKNOWN_FIELDS,
                                1_000,
                                times -> control("22021200", times)),
                        new Flood(
                                RpcFault.IDS, 5_000, times -> inOne("0a", repeated("1200", times))),
                        new Flood(
                                RpcFault.IDS, 5_000, times -> inOne("12", repeated("0a00", times))),
                        new Flood(
                                RpcFault.IDS,
                                5_000,
                                times -> inOne("2a", repeated("0a00", times))))) {
            assertThat(read(flood.rpc.apply(flood.most))).as("%s", flood).isNull();
            assertThat(read(flood.rpc.apply(flood.most + 1))).isEqualTo(flood.fault);
        }
    }

    /** A control part of one element with these fields. */
    private static byte[] inOne(String tag, byte[] fields) {
        ByteBuf element = Unpooled.buffer().writeBytes(ByteBufUtil.decodeHexDump(tag));
        Uvarint.write(fields.length, element);
        element.writeBytes(fields);
        ByteBuf rpc = Unpooled.buffer().writeByte(0x1a);
        Uvarint.write(element.readableBytes(), rpc);
        return ByteBufUtil.getBytes(rpc.writeBytes(element));
    }

    @Test
    void readingAHundredThousandMessagesMakesNoGarbage() {
        byte[] message = new byte[363];
        Arrays.fill(message, (byte) 7);
        // The leak detector would note down each access.
        var untracked = new UnpooledByteBufAllocator(true, true);
        ByteBuf rpc = untracked.directBuffer();
        var batch = new RpcBatch(1 << 20);
        for (int count = 0; count < 20; count++) {
            batch.message(RpcBatch.messageEntry(message, 0, message.length, TOPIC));
            batch.ihave(TOPIC, message, count, 32);
            batch.iwant(message, count, 32);
            batch.idontwant(message, count, 32);
        }
        batch.subscription(true, TOPIC);
        batch.graft(TOPIC);
        batch.prune(TOPIC, 60);
        assertThat(batch.split()).isEqualTo(1);
        int bytes = batch.rpcBytes(0);
        ByteBuf frame = batch.frame(0, untracked);
        rpc.writeBytes(frame);
        frame.release();
        int start = rpc.readableBytes() - bytes;
        long[] sum = new long[1];
        assertThat(
                        Allocation.smallestWindow(
                                10,
                                5_000,
                                () -> {
                                    reader.read(rpc, start, bytes);
                                    for (int at = 0; at < reader.messages(); at++) {
                                        sum[0] += reader.messageIsOn(at, TOPIC) ? 1 : 0;
                                        sum[0] += reader.dataLength(at);
                                    }
                                }))
                .isZero();
        assertThat(sum[0]).isEqualTo(1_000_000L * 364);
        rpc.release();
    }

    @Test
    void refusingMakesNoGarbage() {
        ByteBuf flood = Unpooled.wrappedBuffer(repeated("1200", 5_001));
        assertThat(
                        Allocation.smallestWindow(
                                10, 200, () -> reader.read(flood, 0, flood.readableBytes())))
                .isZero();
    }
}
