package topspin.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

final class ReplyReaderTest {
    private static final String REPLIES =
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
                    + "HTTP/1.1 100 Continue\r\n\r\n"
                    + "HTTP/1.1 400 Bad Request\r\ntransfer-ENCODING: Chunked\r\n\r\n"
                    + "3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\nTrailer: t\r\n\r\n"
                    + "HTTP/1.1 204 No Content\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    private static final List<String> READ =
            List.of(
                    "200 hello reusable",
                    "400 abc0123456789abcdef reusable",
                    "204  reusable",
                    "200  last");

    private static final class Replies implements ReplyReader.Sink {
        final List<String> read = new ArrayList<>();
        private final StringBuilder body = new StringBuilder();
        private int status;

        @Override
        public void began(int newStatus) {
            status = newStatus;
            body.setLength(0);
        }

        @Override
        public void body(ByteBuf bytes, int length) {
            body.append(bytes.readCharSequence(length, US_ASCII));
        }

        @Override
        public void ended(boolean reusable) {
            read.add(status + " " + body + (reusable ? " reusable" : " last"));
        }
    }

    @Test
    void readsRepliesOfEveryFormInARow() {
        var replies = new Replies();
        new ReplyReader(replies).read(Unpooled.copiedBuffer(REPLIES, US_ASCII));
        assertThat(replies.read).isEqualTo(READ);
    }

    @Test
    void readsTheSameHoweverTheBytesAreCut() {
        for (int cut = 1; cut < REPLIES.length(); cut++) {
            var replies = new Replies();
            var reader = new ReplyReader(replies);
            ByteBuf first = Unpooled.copiedBuffer(REPLIES.substring(0, cut), US_ASCII);
            reader.read(first);
            ByteBuf rest = Unpooled.buffer().writeBytes(first);
            reader.read(rest.writeBytes(REPLIES.substring(cut).getBytes(US_ASCII)));
            assertThat(replies.read).as("cut at %d", cut).isEqualTo(READ);
        }
    }

    @Test
    void aBodyWithoutLengthLastsUntilTheConnectionCloses() {
        var replies = new Replies();
        var reader = new ReplyReader(replies);
        reader.read(Unpooled.copiedBuffer("HTTP/1.1 200 OK\r\n\r\nall of it", US_ASCII));
        assertThat(replies.read).isEmpty();
        assertThat(reader.closeCutsAReply()).isFalse();
        assertThat(replies.read).containsExactly("200 all of it last");
    }

    @Test
    void aCloseWithinAReplyIsToldApartFromOneBetweenReplies() {
        var between = new ReplyReader(new Replies());
        between.read(Unpooled.copiedBuffer(REPLIES, US_ASCII));
        assertThat(between.closeCutsAReply()).isFalse();
        var within = new ReplyReader(new Replies());
        within.read(
                Unpooled.copiedBuffer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", US_ASCII));
        assertThat(within.closeCutsAReply()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.6\r\n",
                "HTTP/2.0 200 OK\r\n\r\n",
                "HTTP/1.1 abc OK\r\n",
                "HTTP/1.1 999 OK\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
            })
    void refusesWhatIsNoReply(String bytes) {
        var reader = new ReplyReader(new Replies());
        assertThatThrownBy(() -> reader.read(Unpooled.copiedBuffer(bytes, US_ASCII)))
                .isInstanceOf(ReplyReader.MalformedReply.class);
    }

    @Test
    void refusesAHeaderWithoutEnd() {
        var reader = new ReplyReader(new Replies());
        String endless = "HTTP/1.1 200 OK\r\nX: " + "x".repeat(ReplyReader.LINE_BYTES_MAX);
        assertThatThrownBy(() -> reader.read(Unpooled.copiedBuffer(endless, US_ASCII)))
                .isInstanceOf(ReplyReader.MalformedReply.class);
    }
}
