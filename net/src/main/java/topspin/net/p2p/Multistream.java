package topspin.net.p2p;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;

import org.jspecify.annotations.Nullable;

import topspin.net.Drop;
import topspin.net.Uvarint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Agrees on a protocol by multistream-select 1.0 (gossip.md A.1). The initiator sends the header
 * and its first proposal together, and goes on to the next when the answer is no. Bytes behind the
 * last word said stay for the handler that takes this one's place.
 */
final class Multistream extends ByteToMessageDecoder {
    static final String HEADER = "/multistream/1.0.0";

    /** Longest message, its newline included. */
    static final int BYTES_MAX = 1_024;

    /** Proposals that a listener looks at. */
    static final int PROPOSALS_MAX = 16;

    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final String NO = "na";

    /** Bytes of the length of the longest message. */
    private static final int LENGTH_BYTES_MAX = 2;

    /** What the initiator proposes, in order; empty for a listener. */
    private final List<String> proposals;

    private final Predicate<String> acceptable;
    private final Outcome outcome;

    private @Nullable ScheduledFuture<?> deadline;
    private boolean headerRead;
    private int answers;
    private boolean over;

    /** Told once how it ended, on the event loop. */
    interface Outcome {
        /** Both agree; this handler is to be replaced. */
        void agreed(ChannelHandlerContext context, String protocol);

        /** They do not, or one does not speak multistream. */
        void failed(ChannelHandlerContext context, Drop reason);
    }

    private Multistream(List<String> proposals, Predicate<String> acceptable, Outcome outcome) {
        this.proposals = proposals;
        this.acceptable = acceptable;
        this.outcome = outcome;
    }

    /** The side that proposes. */
    static Multistream proposing(List<String> proposals, Outcome outcome) {
        if (proposals.isEmpty()) {
            throw new IllegalArgumentException("nothing to propose");
        }
        return new Multistream(List.copyOf(proposals), proposal -> false, outcome);
    }

    /** The side that says yes or no. */
    static Multistream answering(Predicate<String> acceptable, Outcome outcome) {
        return new Multistream(List.of(), acceptable, outcome);
    }

    private boolean isInitiator() {
        return !proposals.isEmpty();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        deadline =
                context.executor()
                        .schedule(
                                () -> fail(context, Drop.NEGOTIATION_TIMEOUT),
                                TIMEOUT.toNanos(),
                                TimeUnit.NANOSECONDS);
        if (isInitiator()) {
            say(context, HEADER, proposals.getFirst());
        }
    }

    private static void say(ChannelHandlerContext context, String... words) {
        ByteBuf message = context.alloc().buffer();
        for (String word : words) {
            byte[] text = word.getBytes(UTF_8);
            Uvarint.write(text.length + 1, message);
            message.writeBytes(text);
            message.writeByte('\n');
        }
        var unused = context.writeAndFlush(message, context.voidPromise());
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> none) {
        if (over) {
            bytes.skipBytes(bytes.readableBytes());
            return;
        }
        int start = bytes.readerIndex();
        int length = length(context, bytes);
        if (length < 0 || bytes.readableBytes() < length) {
            bytes.readerIndex(start);
            return;
        }
        String word = bytes.readCharSequence(length - 1, UTF_8).toString();
        if (bytes.readByte() != '\n') {
            fail(context, Drop.NEGOTIATION);
        } else if (!headerRead) {
            readHeader(context, word);
        } else if (isInitiator()) {
            readAnswer(context, word);
        } else {
            readProposal(context, word);
        }
    }

    /** The length of the next message; -1 if it is not all there, or if it was refused. */
    private int length(ChannelHandlerContext context, ByteBuf bytes) {
        int length = 0;
        for (int count = 0; count < LENGTH_BYTES_MAX; count++) {
            if (!bytes.isReadable()) {
                return -1;
            }
            byte next = bytes.readByte();
            length |= (next & 0x7f) << (7 * count);
            if (next >= 0) {
                if (length == 0 || length > BYTES_MAX) {
                    break;
                }
                return length;
            }
        }
        fail(context, Drop.NEGOTIATION);
        return -1;
    }

    private void readHeader(ChannelHandlerContext context, String word) {
        if (!word.equals(HEADER)) {
            fail(context, Drop.NEGOTIATION);
            return;
        }
        headerRead = true;
        if (!isInitiator()) {
            say(context, HEADER);
        }
    }

    private void readAnswer(ChannelHandlerContext context, String word) {
        if (word.equals(proposals.get(answers))) {
            agree(context, word);
        } else if (word.equals(NO) && ++answers < proposals.size()) {
            say(context, proposals.get(answers));
        } else {
            fail(context, word.equals(NO) ? Drop.NO_COMMON_PROTOCOL : Drop.NEGOTIATION);
        }
    }

    private void readProposal(ChannelHandlerContext context, String word) {
        if (acceptable.test(word)) {
            say(context, word);
            agree(context, word);
            return;
        }
        say(context, NO);
        if (++answers == PROPOSALS_MAX) {
            fail(context, Drop.NO_COMMON_PROTOCOL);
        }
    }

    private void agree(ChannelHandlerContext context, String protocol) {
        over = true;
        outcome.agreed(context, protocol);
    }

    private void fail(ChannelHandlerContext context, Drop reason) {
        if (!over) {
            over = true;
            outcome.failed(context, reason);
        }
    }

    /** What the peer closes before a word was agreed on is not to be waited for. */
    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        super.channelInactive(context);
        fail(context, Drop.LEFT);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        over = true;
        if (deadline != null) {
            deadline.cancel(false);
        }
    }
}
