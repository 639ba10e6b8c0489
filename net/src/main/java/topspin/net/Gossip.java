package topspin.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;

import org.jspecify.annotations.Nullable;

import topspin.net.GossipConfig.Limits;
import topspin.net.gossipsub.GossipCounters;
import topspin.net.gossipsub.GossipVersion;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.Connection;
import topspin.net.p2p.Host;
import topspin.net.p2p.PeerId;
import topspin.net.p2p.YamuxStream;
import topspin.net.peers.ConnectionKeeper;
import topspin.net.stream.BlockAnswer;
import topspin.net.stream.HalfFrames;
import topspin.net.stream.Handshake;
import topspin.net.stream.HeaderBlock;
import topspin.net.stream.HttpBlockFetch;
import topspin.net.stream.HttpService;
import topspin.net.stream.PeerStream;
import topspin.net.stream.QueueBudget;
import topspin.net.stream.TagDecoder;
import topspin.net.stream.TagEncoder;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The one door to other nodes: listens, dials, hands what arrives to an {@link Inbox}, and sends.
 * Owns the event loops and every connection. Any thread may call.
 */
public final class Gossip implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Gossip.class.getName());

    /** What our software is called, to people who look at their peers. */
    private static final String AGENT = "topspin";

    /** Mostly idle; two, so that one large block does not hold up every peer. */
    private static final int EVENT_LOOPS = 2;

    private static final int CHECK_EVERY_MILLIS = 1_000;

    private static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

    private final GossipConfig config;
    private final Limits limits;
    private final Inbox inbox;
    private final LongSupplier nanoTime;
    private final NetCounters counters = new NetCounters();
    private final HeaderBlock header;
    private final QueueBudget budget;
    private final HalfFrames halves;
    private final EventLoopGroup loops;
    private final Host host;
    private final TransactionGossip transactions;
    private final ConnectionKeeper keeper;
    private final Map<Connection, Link> links = new ConcurrentHashMap<>();

    /** Those that frames may be sent to. Replaced as a whole under the lock, read without it. */
    private volatile PeerStream[] peers = {};

    private volatile List<Multiaddr> listening = List.of();

    /**
     * @param blocks answers those who ask for blocks by HTTP, if we listen
     * @param pending answers those who ask for transactions, likewise
     * @param random makes keys of handshakes, so it must be unguessable; any thread may ask it
     * @param nanoTime a clock that only moves forward
     * @param clock tells one run of this node from the next
     */
    public Gossip(
            GossipConfig config,
            Inbox inbox,
            BlockSource blocks,
            PendingSource pending,
            RandomGenerator random,
            LongSupplier nanoTime,
            InstantSource clock) {
        this.config = config;
        this.limits = config.limits();
        this.inbox = inbox;
        this.nanoTime = nanoTime;
        this.header = HeaderBlock.of(config.genesisId());
        this.budget = new QueueBudget(limits.queuesBytesMax());
        this.halves = new HalfFrames(limits.halfFramesBytesMax(), limits.staleAfter(), nanoTime);
        this.loops =
                new MultiThreadIoEventLoopGroup(
                        EVENT_LOOPS,
                        new DefaultThreadFactory("net", true),
                        NioIoHandler.newFactory());
        Host.StreamHandler tagged =
                (connection, stream, protocol) -> link(connection).begin(stream, protocol);
        Map<String, Host.StreamHandler> handlers = new HashMap<>();
        handlers.put(Handshake.PROTOCOL, tagged);
        handlers.put(Handshake.OLD_PROTOCOL, tagged);
        if (!config.listen().isEmpty()) {
            handlers.put(
                    HttpService.PROTOCOL,
                    (connection, stream, protocol) ->
                            HttpService.fill(
                                    stream.pipeline(),
                                    new HttpService(
                                            config.genesisId(),
                                            connection,
                                            blocks,
                                            pending,
                                            budget,
                                            counters)));
        }
        Host.StreamHandler gossiped =
                (connection, stream, protocol) -> transactions().accepted(connection, stream);
        GossipVersion.PROTOCOLS.forEach(protocol -> handlers.put(protocol, gossiped));
        this.host =
                new Host(
                        new Host.Software(config.identity(), AGENT, sequence(clock)),
                        limits,
                        config.filter(),
                        loops,
                        ALLOCATOR,
                        random,
                        counters,
                        handlers,
                        new Host.Connections() {
                            @Override
                            public void connected(Connection connection) {
                                Gossip.this.connected(connection);
                            }

                            @Override
                            public void identified(Connection connection) {
                                LOG.log(Level.DEBUG, "{0}: {1}", connection, connection.agent());
                                transactions().identified(connection);
                            }
                        });
        this.transactions =
                new TransactionGossip(
                        host.self(),
                        inbox,
                        limits,
                        budget,
                        halves,
                        counters,
                        random,
                        nanoTime,
                        ALLOCATOR,
                        loops.next());
        this.keeper =
                new ConnectionKeeper(
                        config.dial(),
                        host::dial,
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
        List<Multiaddr> bound = new ArrayList<>();
        for (Multiaddr address : config.listen()) {
            bound.add(host.listen(address).withPeer(self().toBytes()));
        }
        listening = List.copyOf(bound);
        transactions.start();
        keeper.start();
        var unused =
                loops.next()
                        .scheduleAtFixedRate(
                                this::checkProgress,
                                CHECK_EVERY_MILLIS,
                                CHECK_EVERY_MILLIS,
                                TimeUnit.MILLISECONDS);
    }

    /** Only once all is built does a peer call for it. */
    private TransactionGossip transactions() {
        return transactions;
    }

    /** What hinders the connections of this node, for trials; nothing unless told. */
    public Impairment impairment() {
        return host.impairment();
    }

    private static long sequence(InstantSource clock) {
        Instant now = clock.instant();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    /** Who we are. */
    public PeerId self() {
        return host.self();
    }

    /** The side with the smaller id opens the tagged stream, whoever dialled (gossip.md A.7). */
    private void connected(Connection connection) {
        var link = new Link(connection);
        links.put(connection, link);
        connection
                .closed()
                .addListener(
                        closed -> {
                            links.remove(connection);
                            link.ready.completeExceptionally(
                                    new IOException(connection + " is closed"));
                        });
        if (self().compareTo(connection.remote()) < 0) {
            connection.open(
                    List.of(Handshake.PROTOCOL, Handshake.OLD_PROTOCOL),
                    new Connection.Opening() {
                        @Override
                        public void opened(YamuxStream stream, String protocol) {
                            link.begin(stream, protocol);
                        }

                        @Override
                        public void refused(Drop reason) {
                            LOG.log(Level.DEBUG, "{0}: no tagged stream: {1}", connection, reason);
                        }
                    });
        }
    }

    private Link link(Connection connection) {
        return Objects.requireNonNull(links.get(connection));
    }

    /** A connection and its tagged stream, of which there is one at most. */
    private final class Link implements Handshake.Outcome {
        private final Connection connection;
        private final CompletableFuture<PeerStream> ready = new CompletableFuture<>();
        private boolean begun;

        Link(Connection connection) {
            this.connection = connection;
        }

        void begin(YamuxStream stream, String protocol) {
            if (begun) {
                connection.end(Drop.DUPLICATE_STREAM);
                return;
            }
            begun = true;
            stream.closeFuture().addListener(closed -> connection.end(Drop.LEFT));
            stream.pipeline()
                    .addLast(
                            new Handshake(
                                    protocol,
                                    header,
                                    connection.dialled(),
                                    limits.handshakeTimeout(),
                                    this));
        }

        @Override
        public void agreed(ChannelHandlerContext context) {
            var peer =
                    new PeerStream(
                            context.channel(),
                            connection.remote().toString(),
                            connection.address().toString(),
                            connection.dialled(),
                            connection.traffic(),
                            limits,
                            budget,
                            halves,
                            counters,
                            nanoTime,
                            Gossip.this::relay,
                            connection::end);
            context.pipeline().addLast(new TagDecoder(peer, inbox, counters));
            add(peer);
            connection
                    .closed()
                    .addListener(
                            closed -> {
                                peer.close();
                                remove(peer);
                            });
            ready.complete(peer);
            inbox.arrived(peer);
            context.pipeline().remove(context.handler());
        }

        @Override
        public void refused(Drop reason) {
            connection.end(reason);
        }
    }

    private synchronized void add(PeerStream added) {
        var more = new ArrayList<>(List.of(peers));
        more.add(added);
        peers = more.toArray(PeerStream[]::new);
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
        transactions.checkProgress();
    }

    /**
     * Queues a message of our own for every peer, a transaction group for those that gossip brings
     * it to; the bytes are copied before this returns.
     *
     * @throws IllegalArgumentException if it is longer than its tag allows
     */
    public void broadcast(Tag tag, byte[] bytes, int offset, int length) {
        relay(tag, bytes, offset, length, null);
    }

    /**
     * Sends a transaction group of our own once more, to every peer and past the gossip, which
     * passes on nothing twice: it has reached somebody who could not use it then.
     */
    public void resend(byte[] bytes, int offset, int length) {
        send(Tag.TRANSACTION, bytes, offset, length, null);
    }

    /**
     * As {@link #broadcast}, to all but one: for messages that are judged long after they came.
     *
     * @param except who sent it; null if it is our own
     */
    public void relay(Tag tag, byte[] bytes, int offset, int length, @Nullable Peer except) {
        if (tag == Tag.TRANSACTION) {
            var unused = transactions.publish(bytes, offset, length);
        } else {
            send(tag, bytes, offset, length, except);
        }
    }

    private void send(Tag tag, byte[] bytes, int offset, int length, @Nullable Peer except) {
        ByteBuf frame = TagEncoder.frame(ALLOCATOR, tag, bytes, offset, length);
        for (PeerStream peer : peers) {
            if (peer != except && peer.wants(tag)) {
                peer.enqueue(tag, frame.retainedDuplicate());
            }
        }
        frame.release();
    }

    /** Ends the connection to one of {@link #peers}, which sent what no honest node sends. */
    public void reject(Peer peer) {
        ((PeerStream) peer).fail(Drop.REJECTED);
    }

    /** As {@link PeerStream#requestBlock}, of one of {@link #peers}. */
    public CompletableFuture<BlockAnswer> requestBlock(Peer peer, long round) {
        return ((PeerStream) peer).requestBlock(round);
    }

    /**
     * Asks one of {@link #peers} for a block by HTTP, on a stream of its own (gossip.md A.7): a
     * node may serve one way and not the other.
     *
     * @return the answer; fails with {@link TimeoutException} when none comes in time and with
     *     {@link IOException} when the peer leaves or does not serve this way
     */
    public CompletableFuture<BlockAnswer> fetchBlock(Peer peer, long round) {
        var answer = new CompletableFuture<BlockAnswer>();
        for (Link link : links.values()) {
            if (link.ready.getNow(null) == peer) {
                Connection connection = link.connection;
                connection
                        .loop()
                        .execute(
                                () ->
                                        HttpBlockFetch.begin(
                                                connection,
                                                config.genesisId(),
                                                round,
                                                limits.answerTimeout(),
                                                answer));
                return answer;
            }
        }
        answer.completeExceptionally(new IOException(peer.address() + " has left"));
        return answer;
    }

    /**
     * The peer at an address of the configuration, as soon as it is connected and greeted. A block
     * may be asked of it; when it has left, or this fails because it leaves meanwhile, ask here for
     * its successor.
     */
    public CompletableFuture<Peer> dialled(Multiaddr address) {
        return keeper.connected(address)
                .thenCompose(
                        connection -> {
                            Link link = links.get(connection);
                            return link == null
                                    ? CompletableFuture.failedFuture(
                                            new IOException(connection + " is closed"))
                                    : link.ready.thenApply(peer -> peer);
                        });
    }

    /** Who is connected now. */
    public List<Peer> peers() {
        return List.of(peers);
    }

    /** Where we listen, in the order configured, with the port that was free and our id. */
    public List<Multiaddr> listenAddresses() {
        return listening;
    }

    public NetCounters counters() {
        return counters;
    }

    /** What became of transactions that were gossiped. */
    public GossipCounters gossipCounters() {
        return transactions.counters();
    }

    /** Peers that transactions are passed on to at once. */
    public int meshSize() {
        return transactions.meshSize();
    }

    /** Bytes queued for all peers together. */
    public long queuedBytes() {
        return budget.bytes();
    }

    /** Bytes held of messages that peers have begun, and that are long. */
    public long halfFrameBytes() {
        return halves.bytes();
    }

    /** Leaves every peer; what was queued is dropped. Waits for the event loops to end. */
    @Override
    public void close() {
        keeper.close();
        host.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
