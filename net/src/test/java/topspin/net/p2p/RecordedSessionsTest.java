package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.net.Drop;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Sessions recorded with a reference node, as yamux frames: each direction is fed to a muxer of
 * ours that opens the streams which the other side opened then.
 */
final class RecordedSessionsTest {
    private static final int HEADER_BYTES = 12;

    /** A stream as the recording has it, one direction. */
    private static final class Recorded {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String protocol = "";
        boolean finished;
        boolean reset;
    }

    /** The same as our muxer handed it on. */
    private static final class Replayed extends ChannelInboundHandlerAdapter {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean finished;
        boolean closed;

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            bytes.writeBytes(ByteBufUtil.getBytes((ByteBuf) read));
            ((ByteBuf) read).release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            finished |= event == ChannelInputShutdownEvent.INSTANCE;
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            closed = true;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "session1_dialer_all_features",
                "session2_no_features_plain_votes",
                "session3_stream_1.0.0",
                "session4_node_opens_stream",
                "session5_avvpack16",
                "session7_stall_bundle_ue",
                "session9_http",
                "session10_dht"
            })
    void everyFrameOfBothDirectionsIsReadAsNoted(String session) {
        List<Row> rows = Vectors.rows("reference/p2p/" + session + ".jsonl");
        for (String direction : List.of("in", "out")) {
            Map<Integer, Recorded> recorded = new LinkedHashMap<>();
            Map<Integer, Replayed> replayed = replay(rows, direction, recorded);
            assertThat(recorded).hasSizeGreaterThan(3);
            assertThat(replayed.keySet()).isEqualTo(recorded.keySet());
            recorded.forEach((id, was) -> compare(id, was, replayed.get(id)));
        }
    }

    private static void compare(int id, Recorded was, Replayed is) {
        assertThat(is.bytes.toByteArray()).as("stream " + id).isEqualTo(was.bytes.toByteArray());
        if (was.reset) {
            assertThat(is.closed).as("stream %s is reset", id).isTrue();
        } else {
            assertThat(is.finished).as("stream %s is finished", id).isEqualTo(was.finished);
        }
        assertThat(words(is.bytes.toByteArray()))
                .as("what stream %s begins with", id)
                .startsWith("/multistream/1.0.0")
                .containsAnyOf(was.protocol, "na");
    }

    /** The words of a negotiation. */
    private static List<String> words(byte[] bytes) {
        List<String> words = new ArrayList<>();
        var channel = new EmbeddedChannel();
        List<String> agreed = new ArrayList<>();
        channel.pipeline()
                .addLast(
                        Multistream.answering(
                                word -> {
                                    words.add(word);
                                    return !word.equals("na");
                                },
                                new Multistream.Outcome() {
                                    @Override
                                    public void agreed(
                                            ChannelHandlerContext context, String protocol) {
                                        agreed.add(protocol);
                                    }

                                    @Override
                                    public void failed(ChannelHandlerContext context, Drop reason) {
                                        words.add(reason.label());
                                    }
                                }));
        channel.writeInbound(Unpooled.wrappedBuffer(bytes));
        channel.finishAndReleaseAll();
        words.addFirst("/multistream/1.0.0");
        return words;
    }

    private static Map<Integer, Replayed> replay(
            List<Row> rows, String direction, Map<Integer, Recorded> recorded) {
        List<Drop> ends = new ArrayList<>();
        Map<Integer, Replayed> streams = new HashMap<>();
        boolean dialler = direction.equals("in"); // In every session our side dialled.
        var yamux =
                new Yamux(
                        dialler,
                        stream -> stream.pipeline().addLast(replayed(stream, streams)),
                        ends::add);
        var channel = new EmbeddedChannel(yamux);
        for (Row row : rows) {
            if (!(row.get("stream") instanceof BigInteger)) {
                continue;
            }
            byte[] frame = row.hex("hex");
            ByteBuf header = Unpooled.wrappedBuffer(frame);
            int flags = header.getUnsignedShort(2);
            int id = header.getInt(4);
            assertThat(row.text("note")).startsWith("yamux " + type(header.getByte(1)));
            if (!row.text("dir").equals(direction)) {
                boolean opens = (flags & Yamux.SYN) != 0 && id != 0;
                if (opens) {
                    YamuxStream stream =
                            yamux.open(
                                    opened -> opened.pipeline().addLast(replayed(opened, streams)));
                    assertThat(stream.streamId()).isEqualTo(id);
                }
                continue;
            }
            if (id != 0) {
                Recorded of = recorded.computeIfAbsent(id, fresh -> new Recorded());
                of.protocol = row.text("protocol");
                of.finished |= (flags & Yamux.FIN) != 0;
                of.reset |= (flags & Yamux.RST) != 0;
                if (header.getByte(1) == Yamux.DATA) {
                    of.bytes.write(frame, HEADER_BYTES, frame.length - HEADER_BYTES);
                }
            }
            channel.writeInbound(Unpooled.wrappedBuffer(frame));
            channel.runPendingTasks();
        }
        assertThat(ends).isEmpty();
        channel.finishAndReleaseAll();
        streams.keySet().retainAll(recorded.keySet()); // Some were opened and never answered.
        return streams;
    }

    private static Replayed replayed(YamuxStream stream, Map<Integer, Replayed> streams) {
        var replayed = new Replayed();
        streams.put(stream.streamId(), replayed);
        return Objects.requireNonNull(replayed);
    }

    private static String type(int type) {
        return switch (type) {
            case Yamux.DATA -> "Data";
            case Yamux.WINDOW_UPDATE -> "WindowUpdate";
            case Yamux.PING -> "Ping";
            default -> "GoAway";
        };
    }
}
