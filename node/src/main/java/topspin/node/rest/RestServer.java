package topspin.node.rest;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.AsciiString;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocal;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The HTTP server: sockets, event loops, workers, and the sums that keep clients within {@link
 * Limits}. What is served is the {@link RouteTable}'s business.
 *
 * <p>{@link #start} and {@link #close} may be called from any thread, close also twice or without
 * start.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Of closes; and of the tick, which never fails.
public final class RestServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RestServer.class.getName());

    private static final int LOOPS = 2;
    private static final int WORKERS = 2;

    /** How long a stop lets requests under way finish. */
    private static final long DRAIN_MILLIS_MAX = 2_000;

    private static final long WAIT_TICK_MILLIS = 100;
    private static final int CHUNK_BYTES_MAX = 64 << 10;

    private final RestConfig config;
    private final AsciiString tokenHeader;
    private final RouteTable routes;
    private final RoundWaits waits;
    private final LongSupplier nanoTime;
    private final InstantSource wallClock;
    private final RestCounters counters = new RestCounters();
    private final HttpDecoderConfig decoding;

    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong bodiesBytes = new AtomicLong();
    private final AtomicLong answersBytes = new AtomicLong();
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean stopping;

    private final List<Channel> listening = new ArrayList<>();
    private @Nullable UnixSocket unixSocket;
    private @Nullable EventLoopGroup loops;
    private @Nullable ThreadPoolExecutor workers;
    private @Nullable InetSocketAddress address;
    private volatile DateLine date = new DateLine(Long.MIN_VALUE, new byte[0]);

    /**
     * A server that does not listen yet.
     *
     * @param waits whose ends the server brings about: time over, and stop
     * @param nanoTime a clock that only runs forward, for time-outs
     * @param wallClock for the Date header
     */
    public RestServer(
            RestConfig config,
            RouteTable routes,
            RoundWaits waits,
            LongSupplier nanoTime,
            InstantSource wallClock) {
        this.config = config;
        this.tokenHeader = AsciiString.cached(config.tokenHeader());
        this.routes = routes;
        this.waits = waits;
        this.nanoTime = nanoTime;
        this.wallClock = wallClock;
        int headBytesMax = config.limits().headBytesMax();
        decoding =
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(headBytesMax)
                        .setMaxHeaderSize(headBytesMax)
                        .setMaxChunkSize(CHUNK_BYTES_MAX)
                        .setTrailersFactory(new Trailers());
    }

    /**
     * Listens.
     *
     * @throws BindException when the TCP address is taken or not ours; names it
     * @throws IOException when a socket cannot be made
     */
    public synchronized void start() throws IOException {
        if (loops != null || closed.get()) {
            throw new IllegalStateException("started or closed before");
        }
        loops =
                new MultiThreadIoEventLoopGroup(
                        LOOPS, new Threads("rest"), NioIoHandler.newFactory());
        workers =
                new ThreadPoolExecutor(
                        WORKERS,
                        WORKERS,
                        0,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(config.limits().requestsMax()),
                        new Threads("rest-worker"));
        boolean done = false;
        try {
            Channel tcp = listen(NioServerSocketChannel.class, config.address(), false);
            address = (InetSocketAddress) tcp.localAddress();
            if (config.socket() != null) {
                unixSocket = UnixSocket.at(config.socket());
                listen(NioServerDomainSocketChannel.class, unixSocket.bindAddress(), true);
                unixSocket.publish();
            }
            loops.next()
                    .scheduleAtFixedRate(
                            waits::expire,
                            WAIT_TICK_MILLIS,
                            WAIT_TICK_MILLIS,
                            TimeUnit.MILLISECONDS);
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private Channel listen(
            Class<? extends ServerChannel> type, SocketAddress where, boolean trusted)
            throws IOException {
        ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(loops)
                        .channel(type)
                        .option(ChannelOption.SO_BACKLOG, 1024)
                        .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                        .childOption(ChannelOption.RECVBUF_ALLOCATOR, new ArrayReceive())
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childHandler(new Accept(trusted));
        if (where instanceof InetSocketAddress) {
            bootstrap
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .childOption(ChannelOption.TCP_NODELAY, true);
        }
        Channel channel;
        try {
            channel = bootstrap.bind(where).awaitUninterruptibly().sync().channel();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while listening at " + where, e);
        } catch (Exception e) {
            // Netty throws what the bind threw, checked or not.
            throw bindFailure(where, e);
        }
        listening.add(channel);
        return channel;
    }

    private static IOException bindFailure(SocketAddress where, Exception cause) {
        if (where instanceof InetSocketAddress tcp && cause instanceof BindException) {
            BindException named =
                    new BindException(
                            tcp.getAddress().getHostAddress()
                                    + ":"
                                    + tcp.getPort()
                                    + ": "
                                    + cause.getMessage());
            named.initCause(cause);
            return named;
        }
        return new IOException("cannot listen at " + where + ": " + cause.getMessage(), cause);
    }

    /** Where TCP clients connect; with the port that was found if any free one was asked for. */
    public synchronized InetSocketAddress address() {
        InetSocketAddress bound = address;
        if (bound == null) {
            throw new IllegalStateException("not started");
        }
        return bound;
    }

    public RestCounters counters() {
        return counters;
    }

    /** Requests being read or answered now. */
    public int requestsOpen() {
        return requests.get();
    }

    /** Connections open now. */
    public int connectionsOpen() {
        return connections.get();
    }

    /**
     * Stops: no new connection, waits end with their answer, what is under way gets two seconds.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        stopping = true;
        List<Channel> servers;
        EventLoopGroup group;
        ThreadPoolExecutor pool;
        synchronized (this) {
            servers = List.copyOf(listening);
            group = loops;
            pool = workers;
            try {
                if (unixSocket != null) {
                    unixSocket.remove();
                }
            } catch (IOException e) {
                LOG.log(Level.WARNING, "the Unix socket stays behind", e);
            }
        }
        servers.forEach(channel -> channel.close().awaitUninterruptibly());
        waits.stop();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS_MAX);
        try {
            synchronized (requests) {
                long left;
                while (requests.get() > 0
                        && (left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) > 0) {
                    requests.wait(Math.min(left, WAIT_TICK_MILLIS));
                }
            }
            if (pool != null) {
                pool.shutdownNow();
            }
            if (group != null) {
                // Answers given are queued on the loops before these closes are.
                open.forEach(channel -> channel.eventLoop().execute(channel::close));
                if (!group.shutdownGracefully(0, 1, TimeUnit.SECONDS)
                        .await(DRAIN_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                    LOG.log(Level.WARNING, "event loops of REST did not end in time");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // What Connection needs.

    /** The name of the header that a token stands in. */
    AsciiString tokenHeader() {
        return tokenHeader;
    }

    RestConfig config() {
        return config;
    }

    RouteTable routes() {
        return routes;
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    long readNanosMax() {
        return TimeUnit.MILLISECONDS.toNanos(config.limits().readMillisMax());
    }

    long writeNanosMax() {
        return TimeUnit.MILLISECONDS.toNanos(config.limits().writeMillisMax());
    }

    boolean isStopping() {
        return stopping;
    }

    /** Counts a request; false when it is one too many. Each is followed by requestDone. */
    boolean requestBegins() {
        boolean fits = requests.incrementAndGet() <= config.limits().requestsMax();
        if (!fits) {
            counters.refusedBusy.increment();
        }
        return fits;
    }

    void requestDone() {
        if (requests.decrementAndGet() == 0 && stopping) {
            synchronized (requests) {
                requests.notifyAll();
            }
        }
    }

    boolean reserveBody(int bytes) {
        if (bodiesBytes.addAndGet(bytes) > config.limits().bodiesBytesMax()) {
            bodiesBytes.addAndGet(-bytes);
            counters.refusedBusy.increment();
            return false;
        }
        return true;
    }

    void releaseBody(long bytes) {
        if (bytes != 0) {
            bodiesBytes.addAndGet(-bytes);
        }
    }

    void answerMade(int bytes) {
        answersBytes.addAndGet(bytes);
    }

    void answerTaken(int bytes) {
        answersBytes.addAndGet(-bytes);
    }

    /** Hands a whole request to its handler. */
    void dispatch(Exchange exchange) {
        Route route = exchange.route();
        if (route == null) {
            throw new IllegalStateException("a request without a route");
        }
        if (!route.worker()) {
            exchange.run(route.handler());
        } else if (answersBytes.get() > config.limits().answersBytesMax()) {
            counters.refusedBusy.increment();
            exchange.empty(429);
        } else {
            onWorker(exchange, route.handler());
        }
    }

    void onWorker(Exchange exchange, Handler work) {
        ThreadPoolExecutor pool = workers;
        ByteBuf body = exchange.body().retain(); // The client may leave while it is being read.
        try {
            if (pool == null) {
                throw new RejectedExecutionException("not started");
            }
            pool.execute(
                    () -> {
                        try {
                            exchange.run(work);
                        } finally {
                            body.release();
                        }
                    });
        } catch (RejectedExecutionException full) {
            body.release();
            counters.refusedBusy.increment();
            exchange.empty(429);
        }
    }

    void connectionClosed(Channel channel) {
        open.remove(channel);
        connections.decrementAndGet();
    }

    /** The Date header of this second, whole. */
    byte[] dateLine() {
        long second = wallClock.millis() / 1000;
        DateLine line = date;
        if (line.second != second) {
            String text =
                    DateTimeFormatter.RFC_1123_DATE_TIME.format(
                            Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC));
            line = new DateLine(second, ResponseHead.ascii("Date: " + text + "\r\n"));
            date = line;
        }
        return line.bytes;
    }

    /** Daemons with a name and a number. */
    private static final class Threads extends DefaultThreadFactory {
        private final AtomicInteger made = new AtomicInteger();
        private final String prefix;

        Threads(String prefix) {
            super(prefix, true);
            this.prefix = prefix;
        }

        @Override
        protected Thread newThread(Runnable work, String ignored) {
            return super.newThread(work, prefix + "-" + made.incrementAndGet());
        }
    }

    /**
     * Trailers are read and forgotten, and almost nobody sends any: one empty map for each loop
     * takes them all.
     */
    private static final class Trailers implements HttpHeadersFactory {
        private static final FastThreadLocal<HttpHeaders> MAP =
                new FastThreadLocal<>() {
                    @Override
                    protected HttpHeaders initialValue() {
                        return DefaultHttpHeadersFactory.trailersFactory().newHeaders();
                    }
                };

        @Override
        public HttpHeaders newHeaders() {
            return MAP.get().clear();
        }

        @Override
        public HttpHeaders newEmptyHeaders() {
            return newHeaders();
        }
    }

    private record DateLine(long second, byte[] bytes) {}

    private final class Accept extends ChannelInitializer<Channel> {
        private final boolean trusted;

        Accept(boolean trusted) {
            this.trusted = trusted;
        }

        @Override
        protected void initChannel(Channel channel) {
            if (connections.incrementAndGet() > config.limits().connectionsMax()) {
                connections.decrementAndGet();
                counters.refusedConnections.increment();
                channel.unsafe().closeForcibly();
                return;
            }
            open.add(channel);
            channel.pipeline()
                    .addLast(
                            new HttpRequestDecoder(decoding),
                            new Connection(RestServer.this, trusted));
        }
    }
}
