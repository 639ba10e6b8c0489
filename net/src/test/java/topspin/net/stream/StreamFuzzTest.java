package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import topspin.codec.msgpack.MalformedMessage;
import topspin.net.GossipConfig.Limits;
import topspin.net.Inbox;
import topspin.net.Mutator;
import topspin.net.Mutator.Taker;
import topspin.net.NetCounters;
import topspin.net.Traffic;
import topspin.net.Verdict;
import topspin.net.p2p.StreamHarness;
import topspin.net.p2p.YamuxStream;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What a peer may say on its streams, changed by lot: it is read or refused, and no more. */
final class StreamFuzzTest {
    private static final String CORPUS = "stream-corpus.txt";
    private static final int BYTES_MAX = 2_048;

    private final NetCounters counters = new NetCounters();
    private final QueueBudget budget = new QueueBudget(Limits.DEFAULT.queuesBytesMax());
    private final HalfFrames halves =
            new HalfFrames(
                    Limits.DEFAULT.halfFramesBytesMax(), Duration.ofHours(1), System::nanoTime);

    /** What is read, and how dear an input is: so many of the cheapest. */
    private enum Kind {
        HEADER(1),
        FRAMES(30),
        TOPICS(1),
        REQUEST(40),
        RESPONSE(40);

        private final int cost;

        Kind(int cost) {
            this.cost = cost;
        }
    }

    private void run(Kind kind, long seed, long count) throws IOException {
        List<byte[]> corpus =
                Mutator.corpus(StreamFuzzTest.class, CORPUS, kind.name().toLowerCase());
        Taker taker =
                switch (kind) {
                    case HEADER -> this::header;
                    case FRAMES -> over(this::tagged);
                    case TOPICS -> StreamFuzzTest::topics;
                    case REQUEST -> over(this::http);
                    case RESPONSE -> over(StreamFuzzTest::fetch);
                };
        for (byte[] whole : corpus) {
            try {
                taker.take(whole, whole.length);
            } catch (Exception failure) {
                throw new AssertionError(HexFormat.of().formatHex(whole), failure);
            }
        }
        new Mutator(corpus, seed, BYTES_MAX).run(Math.max(count / kind.cost, 100), taker);
        assertThat(budget.bytes()).isZero();
        assertThat(halves.bytes()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void changedInputsAreReadOrRefused(Kind kind) throws IOException {
        run(kind, 1, 100_000);
    }

    @org.junit.jupiter.api.Tag("long")
    @ParameterizedTest
    @EnumSource(Kind.class)
    void manyChangedInputsAreReadOrRefused(Kind kind) throws IOException {
        run(kind, 2, 15_000_000);
    }

    /** Each input on a stream of its own, one in eight byte by byte. */
    private static Taker over(Consumer<YamuxStream> fill) {
        var harness = new StreamHarness(fill);
        long[] fed = new long[1];
        return (bytes, length) -> {
            harness.feed(bytes, length, (++fed[0] & 7) == 0);
            for (Throwable thrown : harness.takeThrown()) {
                throw new AssertionError("reached the end of the stream", thrown);
            }
        };
    }

    private void header(byte[] bytes, int length) {
        try {
            HeaderBlock block = HeaderBlock.decode(Unpooled.wrappedBuffer(bytes, 0, length));
            if (block != null) {
                assertThat(block.headers().size()).isLessThanOrEqualTo(64);
                boolean unused = block.speaksOurVersion();
                assertThat(block.genesisId()).isNotNull();
            }
        } catch (MalformedMessage expected) {
            return;
        }
    }

    private void tagged(YamuxStream stream) {
        var peer =
                new PeerStream(
                        stream,
                        "peer",
                        "/ip4/127.0.0.1/tcp/1",
                        false,
                        new Traffic(),
                        Limits.DEFAULT,
                        budget,
                        halves,
                        counters,
                        System::nanoTime,
                        (tag, bytes, offset, length, except) -> {},
                        reason -> {
                            counters.count(reason);
                            var unused = stream.close();
                        });
        Inbox inbox =
                (from, tag, body) -> {
                    if (body.readableBytes() > tag.bytesMax()) {
                        throw new AssertionError(tag + " of " + body);
                    }
                    body.skipBytes(body.readableBytes());
                    return Verdict.IGNORE;
                };
        stream.pipeline().addLast(new TagDecoder(peer, inbox, counters));
        stream.closeFuture().addListener(closed -> peer.close());
    }

    private static void topics(byte[] bytes, int length) {
        byte[] body = Arrays.copyOf(bytes, length);
        Topics topics = Topics.decode(Unpooled.wrappedBuffer(body));
        BlockRequest request = BlockRequest.decode(body);
        if (topics == null) {
            assertThat(request).isNull();
        } else {
            assertThat(Topics.decode(Unpooled.wrappedBuffer(topics.encode()))).isNotNull();
            BlockAnswer answer = BlockAnswer.of(topics);
            assertThat(answer == null || answer.encode(1).length > 0).isTrue();
        }
        var unused = Interest.decode(Unpooled.wrappedBuffer(body));
    }

    private void http(YamuxStream stream) {
        HttpService.fill(
                stream.pipeline(),
                new HttpService(
                        "private-v1",
                        "asker",
                        (asker, round, answer) ->
                                answer.accept(
                                        (round & 1) == 0
                                                ? new BlockAnswer.Missing(round)
                                                : new BlockAnswer.Found(new byte[9], new byte[9])),
                        (asker, known, answer) ->
                                answer.accept(known.mayHold(new byte[32]) ? null : new byte[9]),
                        budget,
                        counters));
    }

    private static void fetch(YamuxStream stream) {
        var answer = new CompletableFuture<BlockAnswer>();
        HttpBlockFetch.fill(stream.pipeline(), answer);
    }
}
