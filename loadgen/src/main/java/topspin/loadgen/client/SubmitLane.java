package topspin.loadgen.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A connection that carries submissions, pipelined: it never waits for a reply before it sends the
 * next. Its event loop alone touches it; a submission that is accepted leaves no garbage.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write closes the channel, which is told.
public final class SubmitLane extends Connection {
    /** Submissions that may await their reply on one connection. */
    static final int IN_FLIGHT_MAX = 4096;

    private static final int FEW_TOGETHER = 32;
    private static final int FEW_IN_TURN = 4;

    /** Bytes kept of a refusal. */
    private static final int REFUSAL_BYTES_MAX = 1024;

    private static final int RECONNECT_MILLIS_FIRST = 20;
    private static final int RECONNECT_MILLIS_MAX = 1_000;
    private static final byte[] HEAD_END = "\r\n\r\n".getBytes(US_ASCII);

    private final SubmitListener listener;
    private final long silenceNanosMax;
    private final byte[] head;
    private final long[] inFlight = new long[IN_FLIGHT_MAX]; // A ring of slots, in sending order.
    private final byte[] refusal = new byte[REFUSAL_BYTES_MAX];
    private @Nullable ByteBuf out;
    private long sent;
    private long answered;
    private long progressNanos;
    private int status;
    private int refusalLength;
    private int reconnectMillis = RECONNECT_MILLIS_FIRST;
    private boolean finished;

    SubmitLane(
            Endpoint endpoint,
            EventLoop loop,
            LongSupplier nanoTime,
            SubmitListener listener,
            int silenceMillisMax) {
        super(endpoint, loop, nanoTime);
        this.listener = listener;
        this.silenceNanosMax = TimeUnit.MILLISECONDS.toNanos(silenceMillisMax);
        this.head = head(endpoint);
    }

    private static byte[] head(Endpoint endpoint) {
        var head = new StringBuilder("POST /v2/transactions HTTP/1.1\r\nHost: ");
        head.append(endpoint.host());
        if (endpoint.token() != null && !endpoint.socketNeedsNoToken()) {
            head.append("\r\nX-Algo-API-Token: ").append(endpoint.token());
        }
        head.append("\r\nContent-Type: application/x-binary\r\nContent-Length: ");
        return head.toString().getBytes(US_ASCII);
    }

    /** Submissions that await their reply. */
    public int inFlight() {
        return (int) (sent - answered);
    }

    /**
     * Submissions in flight below which more are put on this connection before another is taken:
     * they share system calls, both ways. A node of ours works on so many in a row together (its
     * own socket tells it); others may work on them one after the other.
     */
    public int fewInFlight() {
        return endpoint().socketNeedsNoToken() ? FEW_TOGETHER : FEW_IN_TURN;
    }

    /** Whether there is a connection. */
    public boolean isOpen() {
        return channel() != null;
    }

    /** Whether a submission may be sent now. */
    public boolean hasRoom() {
        return channel() != null && sent - answered < IN_FLIGHT_MAX;
    }

    /**
     * Adds a submission to those that {@link #flush} sends. Only while {@link #hasRoom}.
     *
     * @param source holds the signed group at {@code index}; copied
     */
    public void append(long slot, ByteBuf source, int index, int length) {
        Channel channel = channel();
        if (channel == null || sent - answered >= IN_FLIGHT_MAX) {
            throw new IllegalStateException("no room on a connection to " + endpoint().name());
        }
        if (out == null) {
            out = channel.alloc().directBuffer(8 * 1024);
        }
        out.writeBytes(head);
        writeDecimal(out, length);
        out.writeBytes(HEAD_END);
        out.writeBytes(source, index, length);
        if (sent == answered) {
            progressNanos = now();
        }
        inFlight[(int) (sent++ & (IN_FLIGHT_MAX - 1))] = slot;
    }

    /** Hands what was appended to the socket. */
    public void flush() {
        Channel channel = channel();
        if (out != null && channel != null) {
            ByteBuf ready = out;
            out = null;
            channel.writeAndFlush(ready, channel.voidPromise());
        }
    }

    /** Closes the connection if replies are due and none has come for too long. */
    void closeIfSilent(long nowNanos) {
        if (sent != answered && nowNanos - progressNanos > silenceNanosMax) {
            close("no reply within " + silenceNanosMax / 1_000_000_000.0 + " s");
        }
    }

    /** Closes for good; what is in flight becomes unanswered. */
    void finish() {
        finished = true;
        close("closed by the generator");
    }

    @Override
    void opened(Channel channel) {
        reconnectMillis = RECONNECT_MILLIS_FIRST;
        if (finished) {
            channel.close();
        }
    }

    @Override
    void lost(String reason) {
        if (out != null) {
            out.release();
            out = null;
        }
        while (answered != sent) {
            listener.unanswered(take(), reason);
        }
        if (!finished) {
            loop().schedule(this::connect, reconnectMillis, TimeUnit.MILLISECONDS);
            reconnectMillis = Math.min(2 * reconnectMillis, RECONNECT_MILLIS_MAX);
        }
    }

    @Override
    public void began(int status) {
        if (sent == answered) {
            throw new ReplyReader.MalformedReply("a reply that nobody asked for");
        }
        this.status = status;
        refusalLength = 0;
    }

    @Override
    public void body(ByteBuf bytes, int length) {
        int kept = status == 200 ? 0 : Math.min(length, REFUSAL_BYTES_MAX - refusalLength);
        bytes.readBytes(refusal, refusalLength, kept);
        bytes.skipBytes(length - kept);
        refusalLength += kept;
    }

    @Override
    public void ended(boolean reusable) {
        progressNanos = readNanos();
        long slot = take();
        if (status == 200) {
            listener.accepted(slot, progressNanos);
        } else {
            var text = new String(refusal, 0, refusalLength, UTF_8);
            listener.refused(slot, status, Reply.message(text));
        }
        if (!reusable) {
            close("connection closed by the node");
        }
    }

    private long take() {
        return inFlight[(int) (answered++ & (IN_FLIGHT_MAX - 1))];
    }

    private static void writeDecimal(ByteBuf out, int number) {
        int divisor = 1;
        while (number / divisor >= 10) {
            divisor *= 10;
        }
        for (; divisor > 0; divisor /= 10) {
            out.writeByte('0' + number / divisor % 10);
        }
    }
}
