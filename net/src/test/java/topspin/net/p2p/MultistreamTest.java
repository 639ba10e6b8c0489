package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import topspin.net.Drop;
import topspin.net.LeakFreedom;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

@ExtendWith(LeakFreedom.class)
final class MultistreamTest {
    private final List<String> told = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    private final Multistream.Outcome outcome =
            new Multistream.Outcome() {
                @Override
                public void agreed(ChannelHandlerContext context, String protocol) {
                    told.add(protocol);
                    context.pipeline().remove(context.handler());
                }

                @Override
                public void failed(ChannelHandlerContext context, Drop reason) {
                    told.add(reason.label());
                }
            };

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void hear(String... words) {
        channel.writeInbound(Unpooled.wrappedBuffer(RawMuxer.words(words)));
    }

    private String said() {
        var all = new StringBuilder();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            all.append(out.toString(US_ASCII));
            out.release();
        }
        return all.toString();
    }

    private static String words(String... words) {
        return new String(RawMuxer.words(words), US_ASCII);
    }

    @Test
    void theNextProposalFollowsEachNo() {
        channel.pipeline().addLast(Multistream.proposing(List.of("/a", "/b"), outcome));
        assertThat(said()).isEqualTo(words("/multistream/1.0.0", "/a"));
        hear("/multistream/1.0.0", "na");
        assertThat(said()).isEqualTo(words("/b"));
        hear("/b");
        assertThat(told).containsExactly("/b");
    }

    @Test
    void aStreamThatEndsBeforeTheAnswerIsARefusal() {
        channel.pipeline().addLast(Multistream.proposing(List.of("/a"), outcome));
        hear("/multistream/1.0.0");
        channel.close();
        assertThat(told).containsExactly("left");
    }

    @Test
    void whatFollowsTheAgreementIsNoRefusal() {
        channel.pipeline().addLast(Multistream.answering("/a"::equals, outcome));
        hear("/multistream/1.0.0", "/a");
        assertThat(said()).isEqualTo(words("/multistream/1.0.0", "/a"));
        channel.close();
        assertThat(told).containsExactly("/a");
    }

    @Test
    void anAnswerThatDoesNotComeInTimeIsARefusal() {
        channel.pipeline().addLast(Multistream.proposing(List.of("/a"), outcome));
        channel.advanceTimeBy(Multistream.TIMEOUT.toSeconds() + 1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        channel.close();
        assertThat(told).containsExactly("negotiation_timeout");
    }

    @Test
    void aListenerLooksAtSixteenProposals() {
        channel.pipeline().addLast(Multistream.answering("/a"::equals, outcome));
        hear("/multistream/1.0.0");
        for (int count = 0; count < 16; count++) {
            assertThat(told).isEmpty();
            hear("/b" + count);
        }
        assertThat(told).containsExactly("no_common_protocol");
        assertThat(said()).endsWith("na\n");
        hear("/a");
        assertThat(said()).isEmpty();
    }
}
