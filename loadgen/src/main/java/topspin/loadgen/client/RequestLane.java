package topspin.loadgen.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A connection that carries one request at a time, since some of them wait for a minute. */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write closes the channel, which is told.
final class RequestLane extends Connection {
    private final NodeClient client;
    private @Nullable Exchange exchange;
    private @Nullable Future<?> deadline;
    private int status;
    private boolean replyBegan;

    RequestLane(Endpoint endpoint, EventLoop loop, LongSupplier nanoTime, NodeClient client) {
        super(endpoint, loop, nanoTime);
        this.client = client;
    }

    /** Sends the request, now if the connection is open, else as soon as it is. */
    void carry(Exchange next) {
        exchange = next;
        replyBegan = false;
        deadline =
                loop().schedule(
                                () -> close("no reply within " + next.millisMax() / 1000.0 + " s"),
                                next.millisMax(),
                                TimeUnit.MILLISECONDS);
        Channel channel = channel();
        if (channel == null) {
            connect();
        } else {
            write(channel, next);
        }
    }

    @Override
    void opened(Channel channel) {
        if (exchange != null) {
            write(channel, exchange);
        }
    }

    private void write(Channel channel, Exchange next) {
        next.body().clear();
        var head = new StringBuilder(256);
        head.append(next.method()).append(' ').append(next.path()).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(endpoint().host()).append("\r\n");
        String token = next.privileged() ? endpoint().adminToken() : endpoint().token();
        if (token != null) {
            head.append("X-Algo-API-Token: ").append(token).append("\r\n");
        }
        if (next.content().length > 0 || "POST".equals(next.method())) {
            head.append("Content-Type: application/x-binary\r\n");
            head.append("Content-Length: ").append(next.content().length).append("\r\n");
        }
        head.append("\r\n");
        ByteBuf out = channel.alloc().buffer(head.length() + next.content().length);
        out.writeCharSequence(head, US_ASCII);
        out.writeBytes(next.content());
        channel.writeAndFlush(out, channel.voidPromise());
    }

    @Override
    public void began(int status) {
        if (exchange == null) {
            throw new ReplyReader.MalformedReply("a reply that nobody asked for");
        }
        this.status = status;
        replyBegan = true;
    }

    @Override
    public void body(ByteBuf bytes, int length) {
        if (exchange != null) {
            exchange.body().append(bytes, length);
        }
    }

    @Override
    public void ended(boolean reusable) {
        Exchange done = finishExchange();
        if (done == null) {
            return;
        }
        var reply = new Reply(status, done.body(), readNanos());
        if (reusable) {
            client.idle(this);
        } else {
            close("connection closed");
        }
        done.future().complete(reply);
    }

    @Override
    void lost(String reason) {
        Exchange failed = finishExchange();
        client.gone(this);
        if (failed != null) {
            client.failed(failed, replyBegan, reason);
        }
    }

    private @Nullable Exchange finishExchange() {
        Exchange done = exchange;
        exchange = null;
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
        return done;
    }
}
