package topspin.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import org.jspecify.annotations.Nullable;

import topspin.net.GossipConfig.Limits;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.peers.Admission;
import topspin.net.peers.ConnectionKeeper;
import topspin.net.stream.BlockAnswer;
import topspin.net.stream.Handshake;
import topspin.net.stream.HeaderBlock;
import topspin.net.stream.PeerStream;
import topspin.net.stream.QueueBudget;
import topspin.net.stream.TagDecoder;
import topspin.net.stream.TagEncoder;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The one door to other nodes: listens, dials, hands what arrives to an {@link Inbox}, and sends.
 * Owns the event loops and every connection. Any thread may call.
 */
public final class Gossip implements AutoCloseable {
    /** Mostly idle; two, so that one large block does not hold up every peer. */
    private static final int EVENT_LOOPS = 2;

    private static final int CONNECT_MILLIS_MAX = 5_000;

    private static final int CHECK_EVERY_MILLIS = 1_000;

    /** What a socket may hold before urgent messages must be able to overtake: little. */
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(32 << 10, 128 << 10);

    private static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

    private final GossipConfig config;
    private final Limits limits;
    private final Inbox inbox;
    private final LongSupplier nanoTime;
    private final NetCounters counters = new NetCounters();
    private final HeaderBlock header;
    private final QueueBudget budget;
    private final Admission admission;
    private final EventLoopGroup loops;
    private final ConnectionKeeper keeper;

    /** Replaced as a whole under the lock, read without it. */
    private volatile PeerStream[] peers = {};

    private @Nullable Channel listener;

    /**
     * @param random cuts the pauses between attempts to connect; used by one thread at a time
     * @param nanoTime a clock that only moves forward
     */
    public Gossip(GossipConfig config, Inbox inbox, RandomGenerator random, LongSupplier nanoTime) {
        this.config = config;
        this.limits = config.limits();
        this.inbox = inbox;
        this.nanoTime = nanoTime;
        this.header = HeaderBlock.of(config.genesisId(), config.nodeId());
        this.budget = new QueueBudget(limits.queuesBytesMax());
        this.admission = new Admission(limits);
        this.loops =
                new MultiThreadIoEventLoopGroup(
                        EVENT_LOOPS,
                        new DefaultThreadFactory("net", true),
                        NioIoHandler.newFactory());
        this.keeper =
                new ConnectionKeeper(
                        config.dial(),
                        this::dial,
                        limits.redialMin(),
                        limits.redialMax(),
                        loops.next(),
                        random,
                        nanoTime);
    }

    /**
     * Listens, if so configured, and begins to dial.
     *
     * @throws IOException if the address cannot be listened on
     */
    public void start() throws IOException {
        InetSocketAddress listen = config.listen();
        if (listen != null) {
            listener = listen(listen);
        }
        keeper.start();
        var unused =
                loops.next()
                        .scheduleAtFixedRate(
                                this::checkProgress,
                                CHECK_EVERY_MILLIS,
                                CHECK_EVERY_MILLIS,
                                TimeUnit.MILLISECONDS);
    }

    private Channel listen(InetSocketAddress address) throws IOException {
        ChannelFuture bound =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.ALLOCATOR, ALLOCATOR)
                        .childOption(ChannelOption.SO_KEEPALIVE, true)
                        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                        .childHandler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        accept(channel);
                                    }
                                })
                        .bind(address)
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + Multiaddr.of(address) + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
        return bound.channel();
    }

    private void accept(Channel channel) {
        var from = ((InetSocketAddress) channel.remoteAddress()).getAddress();
        Drop refused = admission.enter(from);
        if (refused != null) {
            counters.count(refused);
            var unused = channel.close();
            return;
        }
        var greeting = new Greeting(false);
        channel.closeFuture().addListener(closed -> admission.leave(from, greeting.greeted));
        channel.pipeline().addLast(greeting.handshake());
    }

    private CompletableFuture<PeerStream> dial(Multiaddr address) {
        var greeting = new Greeting(true);
        ChannelFuture connecting =
                new Bootstrap()
                        .group(loops)
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS_MAX)
                        .option(ChannelOption.ALLOCATOR, ALLOCATOR)
                        .option(ChannelOption.SO_KEEPALIVE, true)
                        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                        .handler(greeting.handshake())
                        .connect(Objects.requireNonNull(address.socketAddress()));
        connecting
                .channel()
                .closeFuture()
                .addListener(
                        closed ->
                                greeting.peer.completeExceptionally(
                                        new IOException("not connected to " + address)));
        return greeting.peer;
    }

    /** One connection on its way from the handshake to a peer. */
    private final class Greeting implements Handshake.Outcome {
        private final CompletableFuture<PeerStream> peer = new CompletableFuture<>();
        private final boolean dialled;
        private boolean greeted;

        Greeting(boolean dialled) {
            this.dialled = dialled;
        }

        Handshake handshake() {
            return new Handshake(header, dialled, limits.handshakeTimeout(), this);
        }

        @Override
        public void agreed(ChannelHandlerContext context, HeaderBlock theirs) {
            Channel channel = context.channel();
            if (!dialled && !admission.greet()) {
                counters.count(Drop.INBOUND_FULL);
                var unused = channel.close();
                return;
            }
            greeted = true;
            var remote = (InetSocketAddress) channel.remoteAddress();
            var stream =
                    new PeerStream(
                            channel,
                            theirs.nodeId(),
                            Multiaddr.of(remote).toString(),
                            dialled,
                            limits,
                            budget,
                            counters,
                            nanoTime,
                            Gossip.this::relay);
            if (!add(stream)) {
                stream.end(Drop.DUPLICATE_PEER);
                return;
            }
            stream.closed().addListener(closed -> remove(stream));
            channel.pipeline().addLast(new TagDecoder(stream, inbox, counters));
            peer.complete(stream);
            channel.pipeline().remove(context.handler());
        }

        @Override
        public void refused(Drop reason) {
            counters.count(reason);
        }
    }

    private synchronized boolean add(PeerStream added) {
        var more = new ArrayList<PeerStream>();
        for (PeerStream peer : peers) {
            if (peer.id().equals(added.id()) && peer.outbound() == added.outbound()) {
                return false;
            }
            more.add(peer);
        }
        more.add(added);
        peers = more.toArray(PeerStream[]::new);
        return true;
    }

    private synchronized void remove(PeerStream gone) {
        var left = new ArrayList<>(List.of(peers));
        left.remove(gone);
        peers = left.toArray(PeerStream[]::new);
    }

    private void checkProgress() {
        for (PeerStream peer : peers) {
            peer.checkProgress();
        }
    }

    /**
     * Queues a message of our own for every peer; the bytes are copied before this returns.
     *
     * @throws IllegalArgumentException if it is longer than its tag allows
     */
    public void broadcast(Tag tag, byte[] bytes, int offset, int length) {
        relay(tag, bytes, offset, length, null);
    }

    private void relay(Tag tag, byte[] bytes, int offset, int length, @Nullable Peer except) {
        ByteBuf frame = TagEncoder.frame(ALLOCATOR, tag, bytes, offset, length);
        for (PeerStream peer : peers) {
            if (peer != except) {
                peer.enqueue(tag, frame.retainedDuplicate());
            }
        }
        frame.release();
    }

    /** As {@link PeerStream#requestBlock}, of one of {@link #peers}. */
    public CompletableFuture<BlockAnswer> requestBlock(Peer peer, long round) {
        return ((PeerStream) peer).requestBlock(round);
    }

    /**
     * The peer that was dialled at an address of the configuration, as soon as it is connected. A
     * block may be asked of it; when it has left, ask here for its successor.
     */
    public CompletableFuture<Peer> dialled(Multiaddr address) {
        return keeper.connected(address);
    }

    /** Who is connected now. */
    public List<Peer> peers() {
        return List.of(peers);
    }

    /** Where we listen, with the port that was free; null if nowhere. */
    public @Nullable Multiaddr listenAddress() {
        return listener == null ? null : Multiaddr.of((InetSocketAddress) listener.localAddress());
    }

    public NetCounters counters() {
        return counters;
    }

    /** Bytes queued for all peers together. */
    public long queuedBytes() {
        return budget.bytes();
    }

    /** Leaves every peer; what was queued is dropped. Waits for the event loops to end. */
    @Override
    public void close() {
        keeper.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
