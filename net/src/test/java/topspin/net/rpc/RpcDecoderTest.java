package topspin.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.net.LeakFreedom;

import java.util.ArrayList;
import java.util.List;

@ExtendWith(LeakFreedom.class)
final class RpcDecoderTest {
    private static final byte[] TOPIC = "algotx01".getBytes(US_ASCII);
    private static final int LIMIT = 1_000;

    private final List<String> heard = new ArrayList<>();
    private int unread;
    private final EmbeddedChannel stream =
            new EmbeddedChannel(
                    new RpcDecoder(
                            new RpcReader(),
                            LIMIT,
                            new RpcDecoder.Receiver() {
                                @Override
                                public void received(RpcReader rpc) {
                                    for (int at = 0; at < rpc.messages(); at++) {
                                        heard.add(
                                                ByteBufUtil.hexDump(
                                                        rpc.bytes(),
                                                        rpc.dataOffset(at),
                                                        rpc.dataLength(at)));
                                    }
                                    heard.add("rpc");
                                }

                                @Override
                                public void refused(RpcFault fault) {
                                    heard.add(fault.label());
                                }

                                @Override
                                public void burstEnded(int left) {
                                    heard.add("end");
                                    unread = left;
                                }
                            }));

    @AfterEach
    void close() {
        stream.finishAndReleaseAll();
    }

    private static byte[] frame(int... data) {
        var batch = new RpcBatch(LIMIT);
        for (int each : data) {
            byte[] bytes = {(byte) each};
            batch.message(RpcBatch.messageEntry(bytes, 0, 1, TOPIC));
        }
        batch.split();
        ByteBuf frame = batch.frame(0, ByteBufAllocator.DEFAULT);
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        return bytes;
    }

    private void arrive(byte[] bytes) {
        stream.writeInbound(Unpooled.copiedBuffer(bytes));
    }

    @Test
    void severalFramesInOnePieceAreOneBurst() {
        arrive(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(frame(1, 2), new byte[1], frame(3))));
        // The empty one in between says nothing, and is counted all the same.
        assertThat(heard).containsExactly("01", "02", "rpc", "rpc", "03", "rpc", "end");
    }

    @Test
    void aFrameInManyPiecesIsReadOnceWhole() {
        byte[] frame = frame(1, 2);
        for (int at = 0; at < frame.length; at++) {
            assertThat(heard).doesNotContain("rpc");
            assertThat(unread).isEqualTo(at);
            arrive(new byte[] {frame[at]});
        }
        assertThat(unread).isZero();
        heard.removeIf("end"::equals);
        assertThat(heard).containsExactly("01", "02", "rpc");
    }

    @Test
    void aFrameOfTheLimitIsReadAndOneByteMoreIsRefusedBeforeItArrives() {
        byte[] data = new byte[LIMIT - 3 - 3 - 10];
        byte[] entry = RpcBatch.messageEntry(data, 0, data.length, TOPIC);
        assertThat(entry).hasSize(LIMIT);
        arrive(new byte[] {(byte) 0xe8, 7});
        arrive(entry);
        assertThat(heard).contains("rpc");
        heard.clear();
        arrive(new byte[] {(byte) 0xe9, 7});
        assertThat(heard).containsExactly("frame_length", "end");
        arrive(frame(1));
        assertThat(heard).containsExactly("frame_length", "end", "end");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ffffffff0f", // 2^32 - 1
                "ffffffff7f", // 2^35 - 1
                "8080808080", // No end
                "ffffffffffffffffff01", // 2^64 - 1
                "80808080800100", // 2^35
            })
    void lengthsAreUnsignedAndDoNotWrap(String hex) {
        arrive(ByteBufUtil.decodeHexDump(hex));
        assertThat(heard).containsExactly("frame_length", "end");
    }

    @Test
    void afterAMalformedRpcNothingIsRead() {
        arrive(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(frame(1), new byte[] {1, 0}, frame(2))));
        assertThat(heard).containsExactly("01", "rpc", "malformed", "end");
    }
}
