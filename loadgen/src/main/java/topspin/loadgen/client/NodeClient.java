package topspin.loadgen.client;

import io.netty.channel.EventLoop;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * One node's REST API. Any thread may ask; answers come on the event loop. Connections are kept and
 * used again, at most {@link #REQUESTS_AT_ONCE_MAX} at a time, further requests wait their turn;
 * the submission lanes are apart from these and belong to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write closes the channel, which is told.
public final class NodeClient implements AutoCloseable {
    /** Requests under way at a time, submission lanes not counted. */
    public static final int REQUESTS_AT_ONCE_MAX = 32;

    private static final int REPLY_MILLIS_MAX = 10_000;
    private static final int SILENCE_MILLIS_MAX = 30_000;
    private static final int ATTEMPTS_MAX = 2;

    private final Endpoint endpoint;
    private final EventLoop loop;
    private final LongSupplier nanoTime;
    private final ArrayDeque<RequestLane> idle = new ArrayDeque<>();
    private final ArrayDeque<Exchange> waiting = new ArrayDeque<>();
    private final List<RequestLane> open = new ArrayList<>();
    private final List<SubmitLane> submitLanes = new ArrayList<>();
    private @Nullable Future<?> watch;
    private boolean closed;

    /**
     * @param nanoTime the run's clock
     */
    public NodeClient(Endpoint endpoint, EventLoop loop, LongSupplier nanoTime) {
        this.endpoint = endpoint;
        this.loop = loop;
        this.nanoTime = nanoTime;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public String name() {
        return endpoint.name();
    }

    /** GET; fails with an {@link IOException} that names the node if no reply comes. */
    public CompletableFuture<Reply> get(String path) {
        return get(path, new Body(512), Duration.ofMillis(REPLY_MILLIS_MAX));
    }

    /** GET into a body of the caller's, with its own time limit. */
    public CompletableFuture<Reply> get(String path, Body body, Duration timeMax) {
        return ask("GET", path, false, new byte[0], body, timeMax);
    }

    /** POST with the public token. */
    public CompletableFuture<Reply> post(String path, byte[] content) {
        return ask(
                "POST", path, false, content, new Body(512), Duration.ofMillis(REPLY_MILLIS_MAX));
    }

    /** GET or POST of a private route, with the admin token. */
    public CompletableFuture<Reply> askPrivate(String method, String path, Duration timeMax) {
        return ask(method, path, true, new byte[0], new Body(4096), timeMax);
    }

    private CompletableFuture<Reply> ask(
            String method,
            String path,
            boolean privileged,
            byte[] content,
            Body body,
            Duration timeMax) {
        var future = new CompletableFuture<Reply>();
        int millisMax = Math.toIntExact(timeMax.toMillis());
        var exchange = new Exchange(method, path, privileged, content, body, millisMax, 1, future);
        loop.execute(() -> start(exchange));
        return future;
    }

    private void start(Exchange exchange) {
        if (closed) {
            fail(exchange, "the client is closed");
            return;
        }
        RequestLane lane = idle.pollLast();
        if (lane != null) {
            lane.carry(exchange);
        } else if (open.size() < REQUESTS_AT_ONCE_MAX) {
            lane = new RequestLane(endpoint, loop, nanoTime, this);
            open.add(lane);
            lane.carry(exchange);
        } else {
            waiting.add(exchange);
        }
    }

    /** A lane has its reply and may carry the next request. */
    void idle(RequestLane lane) {
        Exchange next = waiting.poll();
        if (next != null) {
            // Not at once: the reader is in the midst of the last reply.
            loop.execute(() -> carryOrRestart(lane, next));
        } else {
            idle.add(lane);
        }
    }

    private void carryOrRestart(RequestLane lane, Exchange next) {
        if (lane.channel() != null) {
            lane.carry(next);
        } else {
            start(next);
        }
    }

    /** A lane's connection is gone. */
    void gone(RequestLane lane) {
        idle.remove(lane);
        open.remove(lane);
        Exchange next = waiting.poll();
        if (next != null) {
            start(next);
        }
    }

    /** A request has no reply: asked again once if that can do no harm, else failed. */
    void failed(Exchange exchange, boolean replyBegan, String reason) {
        boolean staleConnection = reason.equals("connection closed") && !replyBegan;
        if (staleConnection
                && "GET".equals(exchange.method())
                && exchange.attempt() < ATTEMPTS_MAX) {
            start(exchange.again());
        } else {
            fail(exchange, reason);
        }
    }

    private void fail(Exchange exchange, String reason) {
        exchange.future()
                .completeExceptionally(
                        new IOException(endpoint.name() + ": " + exchange + ": " + reason));
    }

    /**
     * Opens lanes for submissions. They dial in the background and dial again when lost. On the
     * event loop only.
     */
    public List<SubmitLane> openSubmitLanes(int count, SubmitListener listener) {
        for (int i = 0; i < count; i++) {
            var lane = new SubmitLane(endpoint, loop, nanoTime, listener, SILENCE_MILLIS_MAX);
            submitLanes.add(lane);
            lane.connect();
        }
        if (watch == null) {
            watch = loop.scheduleAtFixedRate(this::closeSilentLanes, 1, 1, TimeUnit.SECONDS);
        }
        return List.copyOf(submitLanes);
    }

    /** Closes the lanes for submissions; what is in flight on them is told to be unanswered. */
    public void closeSubmitLanes() {
        submitLanes.forEach(SubmitLane::finish);
        submitLanes.clear();
    }

    private void closeSilentLanes() {
        long now = nanoTime.getAsLong();
        submitLanes.forEach(lane -> lane.closeIfSilent(now));
    }

    /** Closes all connections; what awaits a reply fails. Any thread may call. */
    @Override
    public void close() {
        loop.execute(
                () -> {
                    closed = true;
                    if (watch != null) {
                        watch.cancel(false);
                    }
                    closeSubmitLanes();
                    while (!waiting.isEmpty()) {
                        fail(waiting.poll(), "the client is closed");
                    }
                    List.copyOf(open).forEach(lane -> lane.close("the client is closed"));
                });
    }
}
