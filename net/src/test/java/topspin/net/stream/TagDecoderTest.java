package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ResourceLeakDetector;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;
import topspin.net.LeakFreedom;
import topspin.net.NetCounters;
import topspin.net.RecordingInbox;
import topspin.net.Tag;
import topspin.net.Traffic;
import topspin.net.Verdict;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

@ExtendWith(LeakFreedom.class)
final class TagDecoderTest {
    private final NetCounters counters = new NetCounters();
    private final RecordingInbox inbox = new RecordingInbox();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final AtomicLong nanos = new AtomicLong();
    private final HalfFrames halves =
            new HalfFrames(Tag.FRAME_BYTES_MAX, Duration.ofSeconds(25), nanos::get);
    private final PeerStream peer =
            new PeerStream(
                    channel,
                    "peer",
                    "/ip4/127.0.0.1/tcp/1",
                    false,
                    new Traffic(),
                    Limits.DEFAULT,
                    new QueueBudget(Limits.DEFAULT.queuesBytesMax()),
                    halves,
                    counters,
                    System::nanoTime,
                    (tag, bytes, offset, length, except) -> {},
                    this::end);

    private void end(Drop reason) {
        counters.count(reason);
        var unused = channel.close();
    }

    TagDecoderTest() {
        channel.pipeline().addLast(new TagDecoder(peer, inbox, counters));
    }

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
    }

    private static ByteBuf frame(Tag tag, int bodyLength) {
        return TagEncoder.frame(Unpooled.buffer().alloc(), tag, body(bodyLength), 0, bodyLength);
    }

    private static byte[] body(int length) {
        byte[] body = new byte[length];
        for (int at = 0; at < length; at++) {
            body[at] = (byte) (at * 31 + length);
        }
        return body;
    }

    @Test
    void framesTornAnywhereArriveWholeAndInOrder() throws InterruptedException {
        ByteBuf stream =
                Unpooled.wrappedBuffer(
                        frame(Tag.TRANSACTION, 300), frame(Tag.VOTE, 0), frame(Tag.PROPOSAL, 7));
        for (int first = 0; first <= stream.readableBytes(); first++) {
            int rest = stream.readableBytes() - first;
            channel.writeInbound(stream.retainedSlice(0, first));
            channel.writeInbound(stream.retainedSlice(first, rest));
            assertNext(Tag.TRANSACTION, 300);
            assertNext(Tag.VOTE, 0);
            assertNext(Tag.PROPOSAL, 7);
        }
        while (stream.isReadable()) {
            channel.writeInbound(stream.readRetainedSlice(1));
        }
        stream.release();
        assertNext(Tag.TRANSACTION, 300);
        assertNext(Tag.VOTE, 0);
        assertNext(Tag.PROPOSAL, 7);
        assertThat(inbox.size()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }

    private void assertNext(Tag tag, int bodyLength) throws InterruptedException {
        RecordingInbox.Message message = inbox.next();
        assertThat(message.tag()).isEqualTo(tag);
        assertThat(message.body()).isEqualTo(body(bodyLength));
    }

    @ParameterizedTest
    @EnumSource
    void aBodyOfItsTagsLimitPassesAndOneMoreByteEndsTheConnectionUnread(Tag tag)
            throws InterruptedException {
        if (tag != Tag.BLOCK_RESPONSE && tag != Tag.INTEREST) { // Those are not the inbox's.
            int longest = Math.min(tag.bytesMax(), Tag.FRAME_BYTES_MAX - Tag.BYTES);
            channel.writeInbound(frame(tag, longest));
            assertThat(inbox.next().body()).hasSize(longest);
        }
        long length = Tag.BYTES + tag.bytesMax() + 1L;
        channel.writeInbound(Unpooled.buffer().writeInt((int) length).writeShort(tag.code()));
        assertThat(channel.isOpen()).isFalse();
        Drop reason = length > Tag.FRAME_BYTES_MAX ? Drop.FRAME_LENGTH : Drop.TAG_LIMIT;
        assertThat(counters.dropped(reason)).isOne();
        assertThat(inbox.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, Tag.FRAME_BYTES_MAX + 1, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void aFrameLengthNoFrameHasEndsTheConnection(int length) {
        channel.writeInbound(
                Unpooled.buffer().writeInt(length).writeShort(Tag.BUNDLE.code()).writeLong(0));
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.dropped(Drop.FRAME_LENGTH)).isOne();
        assertThat(inbox.size()).isZero();
    }

    @Test
    void aTagOfNoUseIsSkippedWhereverItIsTorn() throws InterruptedException {
        int length = 1_000;
        for (int first = 1; first < length; first += 37) {
            ByteBuf unknown = frame(Tag.BUNDLE, length).setShort(Integer.BYTES, 0x5a5a);
            channel.writeInbound(unknown.readRetainedSlice(first));
            channel.writeInbound(Unpooled.wrappedBuffer(unknown, frame(Tag.VOTE, 5)));
            assertNext(Tag.VOTE, 5);
        }
        assertThat(counters.dropped(Drop.UNKNOWN_TAG)).isEqualTo(27);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void aRejectedMessageEndsTheConnectionAndWhatFollowsIsNotRead() {
        inbox.answering(Verdict.REJECT);
        channel.writeInbound(
                Unpooled.wrappedBuffer(frame(Tag.TRANSACTION, 5), frame(Tag.TRANSACTION, 6)));
        assertThat(channel.isOpen()).isFalse();
        assertThat(inbox.size()).isOne();
        assertThat(counters.dropped(Drop.REJECTED)).isOne();
    }

    @Test
    void anInboxThatMovesIndexesHarmsNobody() throws InterruptedException {
        // RecordingInbox leaves the body unread; here every second body is read half.
        channel.pipeline()
                .replace(
                        TagDecoder.class,
                        "greedy",
                        new TagDecoder(
                                peer,
                                (from, tag, body) -> {
                                    Verdict verdict = inbox.offer(from, tag, body);
                                    body.skipBytes(body.readableBytes() / 2);
                                    return verdict;
                                },
                                counters));
        channel.writeInbound(Unpooled.wrappedBuffer(frame(Tag.VOTE, 40), frame(Tag.VOTE, 41)));
        assertNext(Tag.VOTE, 40);
        assertNext(Tag.VOTE, 41);
    }

    @Test
    void decodingMakesNoGarbage() throws Exception {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        var counting = new long[1];
        var quiet =
                new EmbeddedChannel(
                        new TagDecoder(
                                peer,
                                (from, tag, body) -> {
                                    counting[0] += body.readableBytes();
                                    return Verdict.IGNORE;
                                },
                                counters));
        ChannelHandlerContext context = quiet.pipeline().firstContext();
        var decoder = (TagDecoder) context.handler();
        ByteBuf frames = Unpooled.directBuffer(1 << 16);
        for (int count = 0; count < 200; count++) {
            ByteBuf one = frame(Tag.TRANSACTION, 300);
            frames.writeBytes(one);
            one.release();
        }
        int length = frames.readableBytes();
        var beans = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int window = 0; window < 10; window++) {
            long before = beans.getCurrentThreadAllocatedBytes();
            for (int read = 0; read < 500; read++) {
                decoder.channelRead(context, frames.setIndex(0, length).retain());
            }
            least = Math.min(least, beans.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(counting[0]).isEqualTo(10 * 500 * 200 * 300L);
        assertThat(least).isZero();
        frames.release();
        quiet.finishAndReleaseAll();
        ResourceLeakDetector.setLevel(level);
    }

    @Test
    void theReferencesProposalsArriveAsTheyWereAndOursAsItsOwnDoes() throws Exception {
        int proposals = 0;
        for (Row row : Vectors.rows("reference/p2p/proposals_zstd.jsonl")) {
            byte[] wire = row.hex("wire");
            byte[] plain = row.hex("plain");
            channel.writeInbound(
                    TagEncoder.frame(channel.alloc(), Tag.PROPOSAL, wire, 0, wire.length));
            assertThat(inbox.next().body()).isEqualTo(plain);
            ByteBuf ours = TagEncoder.frame(channel.alloc(), Tag.PROPOSAL, plain, 0, plain.length);
            assertThat(ours.readableBytes()).isLessThan(TagEncoder.HEADER_BYTES + plain.length);
            channel.writeInbound(ours);
            assertThat(inbox.next().body()).isEqualTo(plain);
            proposals++;
        }
        assertThat(proposals).isEqualTo(17);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void whatIsSmallAndGrowsLargeIsTakenOnlySoOften() throws Exception {
        byte[] zeros = new byte[5_000_000];
        var packed = new byte[Zstd.packedBytesMax(zeros.length)];
        byte[] frame = Arrays.copyOf(packed, Zstd.pack(zeros, 0, zeros.length, packed));
        assertThat(frame.length).isLessThan(1_000);
        int taken = 0;
        while (channel.isOpen() && taken < 100) {
            channel.writeInbound(
                    TagEncoder.frame(channel.alloc(), Tag.PROPOSAL, frame, 0, frame.length));
            if (channel.isOpen()) {
                assertThat(inbox.next().body()).hasSize(zeros.length);
                taken++;
            }
        }
        // 64 MiB at once, and less than one in the time that this takes.
        assertThat(taken).isBetween(13, 20);
        assertThat(counters.dropped(Drop.COMPRESSION_FLOOD)).isOne();
    }

    @Test
    void anAnswerNobodyAskedForEndsTheConnectionBeforeItArrives() {
        channel.writeInbound(Unpooled.copiedBuffer(new byte[] {0, 0x60, 0, 0, 'T', 'S'}));
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.dropped(Drop.UNASKED_ANSWER)).isOne();
    }

    @Test
    void anAnswerNobodyAskedForEndsTheConnection() {
        byte[] answer = new BlockAnswer.Missing(1).encode(42);
        channel.writeInbound(
                TagEncoder.frame(channel.alloc(), Tag.BLOCK_RESPONSE, answer, 0, answer.length));
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.dropped(Drop.UNASKED_ANSWER)).isOne();
    }

    @Test
    void readingStopsWhileTooMuchIsUnsettledAndGoesOnAfterwards() {
        inbox.answering(Verdict.PENDING);
        ByteBuf one = frame(Tag.VOTE, 1);
        for (int count = 0; count < Limits.DEFAULT.unsettledMax(); count++) {
            assertThat(channel.config().isAutoRead()).isTrue();
            channel.writeInbound(one.retainedDuplicate());
        }
        one.release();
        assertThat(channel.config().isAutoRead()).isFalse();
        byte[] body = body(1);
        for (int count = 0; count < Limits.DEFAULT.unsettledMax() / 2; count++) {
            channel.runPendingTasks();
            assertThat(channel.config().isAutoRead()).isFalse();
            peer.settle(Tag.VOTE, body, 0, 1, Verdict.IGNORE);
        }
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
    }
}
