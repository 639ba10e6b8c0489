package topspin.net.p2p;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;
import topspin.net.Impairment;
import topspin.net.NetCounters;
import topspin.net.Traffic;
import topspin.net.multiaddr.AddressFilter;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.multiaddr.Protocol;
import topspin.net.peers.Admission;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Dials and listens, over TCP and Unix sockets, and makes of each channel a {@link Connection}:
 * multistream-select, Noise, yamux, within a deadline. Keeps one connection per peer. Answers
 * identify and ping itself; other streams go to who registered for their protocol.
 */
public final class Host implements AutoCloseable {
    static final String NOISE = "/noise";

    private static final Logger LOG = System.getLogger(Host.class.getName());
    private static final int CONNECT_MILLIS_MAX = 5_000;
    private static final List<String> MUXERS = List.of(Yamux.PROTOCOL);

    /** What a channel may hold before urgent messages must be able to overtake: little. */
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(32 << 10, 128 << 10);

    private final Software software;
    private final PeerId self;
    private final Limits limits;
    private final AddressFilter filter;
    private final EventLoopGroup loops;
    private final ByteBufAllocator allocator;
    private final RandomGenerator random;
    private final NetCounters counters;
    private final Map<String, StreamHandler> handlers;
    private final Connections connections;
    private final Admission admission;
    private final Impairment impairment;

    /** Every channel there is, listeners included; those that come after the end are closed too. */
    private final ChannelGroup channels =
            new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    /** By peer; guarded by this. */
    private final List<Connection> open = new ArrayList<>();

    private volatile List<Multiaddr> listenAddresses = List.of();

    /**
     * Who we are.
     *
     * @param identity proves it
     * @param agent our software, for people
     * @param sequence numbers what we sign of ourselves: larger than in any run before
     */
    public record Software(KeyPair identity, String agent, long sequence) {}

    /** Takes streams of one protocol that peers open; on their event loop. */
    @FunctionalInterface
    public interface StreamHandler {
        /** Fills the pipeline of the stream, or closes it. */
        void opened(Connection connection, YamuxStream stream, String protocol);
    }

    /** Told of connections, on their event loops. */
    public interface Connections {
        /** A peer is connected. */
        void connected(Connection connection);

        /** It has said what it is. */
        void identified(Connection connection);
    }

    /**
     * @param filter asked of every address, before it is dialled and when it is accepted
     * @param random makes the keys of handshakes
     * @param handlers by the protocol they take streams of
     */
    public Host(
            Software software,
            Limits limits,
            AddressFilter filter,
            EventLoopGroup loops,
            ByteBufAllocator allocator,
            RandomGenerator random,
            NetCounters counters,
            Map<String, StreamHandler> handlers,
            Connections connections) {
        this.software = software;
        this.self = PeerId.of(software.identity().publicKey());
        this.limits = limits;
        this.filter = filter;
        this.loops = loops;
        this.allocator = allocator;
        this.random = random;
        this.counters = counters;
        this.handlers = Map.copyOf(handlers);
        this.connections = connections;
        this.admission = new Admission(limits);
        this.impairment = new Impairment();
        impairment.onCut(this::cut);
    }

    /** What hinders the connections of this host. */
    public Impairment impairment() {
        return impairment;
    }

    private synchronized void cut() {
        List.copyOf(open).forEach(connection -> connection.end(Drop.CUT_OFF));
    }

    public PeerId self() {
        return self;
    }

    /**
     * Accepts connections on a TCP address, where port 0 takes any free one, or on a Unix socket.
     *
     * @return where, without our id
     * @throws IOException if the address cannot be listened on
     */
    public Multiaddr listen(Multiaddr address) throws IOException {
        String path = address.unixPath();
        if (path != null) {
            return listenUnix(Path.of(path));
        }
        InetSocketAddress socket = address.socketAddress();
        if (socket == null || socket.isUnresolved()) {
            throw new IOException("cannot listen on " + address + ": no address of this machine");
        }
        ChannelFuture bound =
                acceptor(null)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childOption(ChannelOption.SO_KEEPALIVE, true)
                        .bind(socket)
                        .awaitUninterruptibly();
        checkBound(bound, address);
        channels.add(bound.channel());
        Multiaddr listening = Multiaddr.of((InetSocketAddress) bound.channel().localAddress());
        List<Multiaddr> more = new ArrayList<>(listenAddresses);
        more.add(listening);
        listenAddresses = List.copyOf(more);
        return listening;
    }

    /**
     * The socket's file is for its owner alone. One that a process left that is gone is replaced;
     * it is removed when we stop listening. It is not told to other machines.
     */
    private Multiaddr listenUnix(Path path) throws IOException {
        var socket = UnixDomainSocketAddress.of(path);
        Multiaddr address = Multiaddr.ofUnix(path);
        if (Files.exists(path)) {
            if (!Files.readAttributes(path, BasicFileAttributes.class).isOther()) {
                throw new IOException("cannot listen on " + address + ": a file is there");
            }
            try (SocketChannel probe = SocketChannel.open(socket)) {
                throw new IOException("cannot listen on " + address + ": " + probe + " answers");
            } catch (ConnectException nobody) {
                Files.delete(path);
            }
        }
        ChannelFuture bound =
                acceptor(address)
                        .channel(NioServerDomainSocketChannel.class)
                        .bind(socket)
                        .awaitUninterruptibly();
        checkBound(bound, address);
        channels.add(bound.channel());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        bound.channel()
                .closeFuture()
                .addListener(
                        closed -> {
                            boolean unused = Files.deleteIfExists(path);
                        });
        return address;
    }

    private static void checkBound(ChannelFuture bound, Multiaddr address) throws IOException {
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
    }

    /**
     * @param local where peers come from that have no address of their own
     */
    private ServerBootstrap acceptor(@Nullable Multiaddr local) {
        return new ServerBootstrap()
                .group(loops)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(
                        new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                accept(channel, local);
                            }
                        });
    }

    private void accept(Channel channel, @Nullable Multiaddr local) {
        InetAddress from =
                local == null ? ((InetSocketAddress) channel.remoteAddress()).getAddress() : null;
        Multiaddr address =
                local == null ? Multiaddr.of((InetSocketAddress) channel.remoteAddress()) : local;
        Drop refused;
        if (impairment.isCutOff()) {
            refused = Drop.CUT_OFF;
        } else {
            refused = filter.allows(address) ? admission.enter(from) : Drop.ADDRESS_DENIED;
        }
        if (refused != null) {
            counters.count(refused);
            var unused = channel.close();
            return;
        }
        channels.add(channel);
        var upgrade = new Upgrade(channel, address, null, null);
        channel.closeFuture().addListener(closed -> admission.leave(from, upgrade.admitted));
        upgrade.begin(Multistream.answering(NOISE::equals, upgrade.security()));
    }

    /**
     * Connects to a TCP address or a Unix socket; if it names a peer, to no other. When the peer is
     * connected already, that connection is the answer.
     */
    public CompletableFuture<Connection> dial(Multiaddr address) {
        String path = address.unixPath();
        InetSocketAddress socket = address.socketAddress();
        var done = new CompletableFuture<Connection>();
        if (impairment.isCutOff()) {
            done.completeExceptionally(new IOException(address + ": this node is cut off"));
        } else if (!filter.allows(address)) {
            deny(address, done);
        } else if (path != null) {
            connect(address, UnixDomainSocketAddress.of(path), address, done);
        } else if (socket == null) {
            done.completeExceptionally(new IOException(address + " cannot be dialled"));
        } else if (!socket.isUnresolved()) {
            connect(address, socket, address, done);
        } else {
            // Looking up a name may take seconds, which no event loop has.
            Thread.ofVirtual().name("lookup").start(() -> lookUp(address, socket, done));
        }
        return done;
    }

    private void deny(Multiaddr address, CompletableFuture<Connection> done) {
        counters.count(Drop.ADDRESS_DENIED);
        done.completeExceptionally(new IOException(address + " is not allowed"));
    }

    /** Takes the first address of a name that is of the family asked for. */
    private void lookUp(
            Multiaddr address, InetSocketAddress named, CompletableFuture<Connection> done) {
        try {
            boolean four = address.firstProtocol() != Protocol.DNS6.code();
            boolean six = address.firstProtocol() != Protocol.DNS4.code();
            for (InetAddress host : InetAddress.getAllByName(named.getHostString())) {
                if (host instanceof Inet4Address ? four : six) {
                    var socket = new InetSocketAddress(host, named.getPort());
                    Multiaddr found = Multiaddr.of(socket);
                    if (filter.allows(found)) {
                        connect(address, socket, found, done);
                    } else {
                        deny(found, done);
                    }
                    return;
                }
            }
            throw new UnknownHostException(named.getHostString());
        } catch (UnknownHostException unknown) {
            done.completeExceptionally(new IOException("no address of " + address, unknown));
        }
    }

    /**
     * @param address what was asked for, perhaps with a peer
     * @param reached what it turned out to be
     */
    private void connect(
            Multiaddr address,
            SocketAddress socket,
            Multiaddr reached,
            CompletableFuture<Connection> done) {
        byte[] multihash = address.peer();
        PeerId expected = multihash == null ? null : PeerId.ofMultihash(multihash);
        if (multihash != null && expected == null) {
            // A peer with a key of another kind, which nobody here can prove to have.
            done.completeExceptionally(new IOException(address + " names no peer we can know"));
            return;
        }
        var bootstrap =
                new Bootstrap()
                        .group(loops)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS_MAX)
                        .option(ChannelOption.ALLOCATOR, allocator)
                        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                        .handler(new ChannelHandlerAdapter() {});
        if (socket instanceof UnixDomainSocketAddress) {
            bootstrap.channel(NioDomainSocketChannel.class).disableResolver();
        } else {
            bootstrap.channel(NioSocketChannel.class).option(ChannelOption.SO_KEEPALIVE, true);
        }
        ChannelFuture connecting = bootstrap.connect(socket);
        Channel channel = connecting.channel();
        channels.add(channel);
        channel.closeFuture()
                .addListener(
                        closed ->
                                done.completeExceptionally(
                                        new IOException("not connected to " + address)));
        connecting.addListener(
                connected -> {
                    if (connected.isSuccess()) {
                        var upgrade = new Upgrade(channel, reached.withoutPeer(), done, expected);
                        upgrade.begin(Multistream.proposing(List.of(NOISE), upgrade.security()));
                    }
                });
    }

    /**
     * A connection on its way: agrees on Noise, proves identities, agrees on yamux. Stays at the
     * end of the pipeline, where faults of the layers before it arrive.
     */
    private final class Upgrade extends ChannelInboundHandlerAdapter {
        private final Channel channel;
        private final Multiaddr address;
        private final @Nullable CompletableFuture<Connection> dialled;
        private final @Nullable PeerId expected;
        private final Traffic traffic = new Traffic();
        private final ScheduledFuture<?> deadline;
        private @Nullable Connection connection;
        private boolean admitted;

        Upgrade(
                Channel channel,
                Multiaddr address,
                @Nullable CompletableFuture<Connection> dialled,
                @Nullable PeerId expected) {
            this.channel = channel;
            this.address = address;
            this.dialled = dialled;
            this.expected = expected;
            this.deadline =
                    channel.eventLoop()
                            .schedule(
                                    () -> fail(Drop.HANDSHAKE_TIMEOUT),
                                    limits.handshakeTimeout().toNanos(),
                                    TimeUnit.NANOSECONDS);
        }

        /** Who counts comes first, since the one in the middle may write at once. */
        void begin(Multistream security) {
            channel.pipeline()
                    .addLast(new TrafficCounter(traffic))
                    .addLast(new LateReads(impairment))
                    .addLast(this);
            channel.pipeline().addBefore(tail(), null, security);
        }

        private void fail(Drop reason) {
            if (connection == null && channel.isOpen()) {
                counters.count(reason);
                LOG.log(Level.DEBUG, "{0}: not connected: {1}", channel, reason);
                var unused = channel.close();
            }
        }

        Multistream.Outcome security() {
            return new Multistream.Outcome() {
                @Override
                public void agreed(ChannelHandlerContext context, String protocol) {
                    greet(context);
                }

                @Override
                public void failed(ChannelHandlerContext context, Drop reason) {
                    fail(reason);
                }
            };
        }

        private void greet(ChannelHandlerContext context) {
            byte[] staticKey = new byte[ChaChaPoly.KEY_BYTES];
            byte[] ephemeralKey = new byte[ChaChaPoly.KEY_BYTES];
            random.nextBytes(staticKey);
            random.nextBytes(ephemeralKey);
            var handshake =
                    new NoiseHandshake(
                            dialled != null, staticKey, ephemeralKey, software.identity(), MUXERS);
            var greeting =
                    new NoiseGreeting(
                            handshake,
                            new NoiseGreeting.Outcome() {
                                @Override
                                public void secured(
                                        ChannelHandlerContext greeted, NoiseHandshake finished) {
                                    secure(greeted, finished);
                                }

                                @Override
                                public void failed(ChannelHandlerContext greeted, Drop reason) {
                                    fail(reason);
                                }
                            });
            replace(context, greeting);
        }

        /** Puts a handler behind this one and takes this one out: left-over bytes go to it. */
        private void replace(ChannelHandlerContext context, ChannelHandlerAdapter next) {
            context.pipeline().addAfter(context.name(), null, next);
            context.pipeline().remove(context.handler());
        }

        private void secure(ChannelHandlerContext context, NoiseHandshake handshake) {
            PeerId remote = handshake.remote();
            if (remote.equals(self)) {
                fail(Drop.SELF);
                return;
            }
            if (expected != null && !expected.equals(remote)) {
                fail(Drop.NOISE);
                return;
            }
            NoiseHandshake.Transport transport = handshake.split();
            var decoder = new NoiseDecoder(transport.receiving());
            context.pipeline()
                    .addAfter(context.name(), null, new NoiseEncoder(transport.sending()))
                    .addAfter(context.name(), null, decoder);
            if (handshake.muxer(MUXERS) != null) {
                multiplex(context, remote);
            } else {
                context.pipeline().addBefore(tail(), null, muxerChoice(remote));
                context.pipeline().remove(context.handler());
            }
        }

        private String tail() {
            return channel.pipeline().context(this).name();
        }

        /** Adds yamux in front of this handler, and takes out the one that came before. */
        private void multiplex(ChannelHandlerContext context, PeerId remote) {
            var made =
                    new Connection(
                            channel,
                            remote,
                            address,
                            dialled != null,
                            traffic,
                            counters,
                            Host.this);
            context.pipeline().addBefore(tail(), null, made.yamux());
            established(made);
            // Only now, since this hands on what the peer has sent already.
            context.pipeline().remove(context.handler());
        }

        private Multistream muxerChoice(PeerId remote) {
            var outcome =
                    new Multistream.Outcome() {
                        @Override
                        public void agreed(ChannelHandlerContext context, String protocol) {
                            multiplex(context, remote);
                        }

                        @Override
                        public void failed(ChannelHandlerContext context, Drop reason) {
                            fail(reason);
                        }
                    };
            return dialled != null
                    ? Multistream.proposing(MUXERS, outcome)
                    : Multistream.answering(Yamux.PROTOCOL::equals, outcome);
        }

        private void established(Connection made) {
            deadline.cancel(false);
            connection = made;
            if (dialled == null && !admission.greet()) {
                made.end(Drop.INBOUND_FULL);
                return;
            }
            admitted = true;
            Connection kept = register(made);
            if (kept != made) {
                if (dialled != null) {
                    dialled.complete(kept);
                }
                made.end(Drop.DUPLICATE_PEER);
                return;
            }
            channel.closeFuture().addListener(closed -> unregister(made));
            if (impairment.isCutOff()) { // It was under way then, and is registered now.
                made.end(Drop.CUT_OFF);
                return;
            }
            connections.connected(made);
            askIdentity(made);
            if (dialled != null) {
                dialled.complete(made);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.log(Level.DEBUG, () -> channel + ": broken", cause);
            if (connection == null) {
                fail(Drop.BROKEN);
            } else {
                connection.end(Drop.BROKEN);
            }
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            deadline.cancel(false);
        }
    }

    /**
     * Keeps one connection per peer: of two the same way the older; of two that crossed the one
     * that the smaller peer dialled, which both sides see alike.
     *
     * @return the one kept
     */
    private synchronized Connection register(Connection made) {
        for (Connection other : open) {
            if (other.remote().equals(made.remote()) && !other.closed().isDone()) {
                boolean wanted = made.dialled() == (self.compareTo(made.remote()) < 0);
                if (other.dialled() == made.dialled() || !wanted) {
                    return other;
                }
                other.end(Drop.DUPLICATE_PEER);
                open.remove(other);
                break;
            }
        }
        open.add(made);
        return made;
    }

    /**
     * Says goodbye to every peer and closes every channel; returns when that is done. To be called
     * before the event loops end: those would leave channels open.
     */
    @Override
    public void close() {
        synchronized (this) {
            open.forEach(Connection::leave);
        }
        channels.close().awaitUninterruptibly();
    }

    private synchronized void unregister(Connection gone) {
        open.remove(gone);
    }

    /** The streams that a peer opens. */
    void accept(Connection connection, YamuxStream stream) {
        var outcome =
                new Multistream.Outcome() {
                    @Override
                    public void agreed(ChannelHandlerContext context, String protocol) {
                        answer(connection, stream, protocol);
                        if (stream.isOpen()) {
                            context.pipeline().remove(context.handler());
                        }
                    }

                    @Override
                    public void failed(ChannelHandlerContext context, Drop reason) {
                        counters.count(reason);
                        var unused = context.close();
                    }
                };
        stream.pipeline().addLast(Multistream.answering(this::isAnswered, outcome));
    }

    private boolean isAnswered(String protocol) {
        return switch (protocol) {
            case Identify.PROTOCOL, Identify.PUSH_PROTOCOL, PingAnswerer.PROTOCOL -> true;
            default -> handlers.containsKey(protocol);
        };
    }

    private void answer(Connection connection, YamuxStream stream, String protocol) {
        switch (protocol) {
            case Identify.PROTOCOL -> tellIdentity(connection, stream);
            case Identify.PUSH_PROTOCOL -> {
                if (connection.admitPush()) {
                    read(connection, stream);
                } else {
                    refuse(stream);
                }
            }
            case PingAnswerer.PROTOCOL -> {
                if (connection.admitPings(stream)) {
                    stream.pipeline().addLast(new PingAnswerer());
                } else {
                    refuse(stream);
                }
            }
            default ->
                    Objects.requireNonNull(handlers.get(protocol))
                            .opened(connection, stream, protocol);
        }
    }

    private void refuse(YamuxStream stream) {
        counters.count(Drop.STREAMS_FULL);
        var unused = stream.close();
    }

    private void tellIdentity(Connection connection, YamuxStream stream) {
        List<String> protocols = new ArrayList<>(handlers.keySet());
        protocols.add(Identify.PROTOCOL);
        protocols.add(Identify.PUSH_PROTOCOL);
        protocols.add(PingAnswerer.PROTOCOL);
        protocols.sort(null);
        ByteBuf message = allocator.buffer();
        new Identify(listenAddresses, protocols, connection.address(), software.agent(), null)
                .encode(software.identity(), software.sequence(), message);
        var unused = stream.writeAndFlush(message, stream.voidPromise());
        stream.finish();
    }

    private void askIdentity(Connection connection) {
        connection.open(
                List.of(Identify.PROTOCOL),
                new Connection.Opening() {
                    @Override
                    public void opened(YamuxStream stream, String protocol) {
                        read(connection, stream);
                    }

                    @Override
                    public void refused(Drop reason) {
                        LOG.log(Level.DEBUG, "{0}: identify: {1}", connection, reason);
                    }
                });
    }

    private void read(Connection connection, YamuxStream stream) {
        stream.pipeline()
                .addLast(new StreamDeadline(IdentifyReader.TIME_MAX, () -> {}))
                .addLast(
                        new IdentifyReader(
                                connection.identify(),
                                said -> {
                                    connection.identified(said);
                                    connections.identified(connection);
                                }));
    }
}
