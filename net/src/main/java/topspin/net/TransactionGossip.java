package topspin.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;

import org.jspecify.annotations.Nullable;

import topspin.net.GossipConfig.Limits;
import topspin.net.gossipsub.GossipCounters;
import topspin.net.gossipsub.GossipDrop;
import topspin.net.gossipsub.GossipLink;
import topspin.net.gossipsub.GossipPeer;
import topspin.net.gossipsub.GossipSub;
import topspin.net.gossipsub.GossipSubConfig;
import topspin.net.gossipsub.GossipVersion;
import topspin.net.gossipsub.Published;
import topspin.net.p2p.Connection;
import topspin.net.p2p.PeerId;
import topspin.net.p2p.YamuxStream;
import topspin.net.rpc.RpcDecoder;
import topspin.net.rpc.RpcFault;
import topspin.net.rpc.RpcReader;
import topspin.net.stream.FrameSender;
import topspin.net.stream.HalfFrames;
import topspin.net.stream.QueueBudget;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The streams of {@link GossipSub}, and the lock around it: peers live on several event loops,
 * verdicts and our own transactions come from threads of the node, and the router is for one at a
 * time. Each hold is a few microseconds a message; nothing is written, waited for or judged within.
 *
 * <p>Each side opens one stream and writes on it alone. What a peer writes is not read before ours
 * to it is open, or refused.
 */
final class TransactionGossip {
    /** So often a stream of ours that the peer ended is opened again on one connection. */
    private static final int REOPENINGS_MAX = 3;

    private static final int REOPEN_SECONDS = 1;

    /** RPCs that cannot be read, each the end of its stream, before the connection ends. */
    private static final int MALFORMED_MAX = 8;

    private static final int FIRST_BEAT_MILLIS = 100;

    private static final Logger LOG = System.getLogger(TransactionGossip.class.getName());

    private final Inbox inbox;
    private final Limits limits;
    private final QueueBudget budget;
    private final HalfFrames halves;
    private final NetCounters counters;
    private final LongSupplier nanoTime;
    private final GossipCounters gossipCounters = new GossipCounters();
    private final Map<Connection, Link> links = new ConcurrentHashMap<>();
    private final ThreadLocal<RpcReader> readers = ThreadLocal.withInitial(RpcReader::new);

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as are its peers. */
    private final GossipSub router;

    private final EventLoop loop;
    private boolean flushing;

    /**
     * @param loop where the heart beats, and where what is said between bursts is sent
     */
    TransactionGossip(
            PeerId self,
            Inbox inbox,
            Limits limits,
            QueueBudget budget,
            HalfFrames halves,
            NetCounters counters,
            RandomGenerator random,
            LongSupplier nanoTime,
            ByteBufAllocator allocator,
            EventLoop loop) {
        this.inbox = inbox;
        this.limits = limits;
        this.budget = budget;
        this.halves = halves;
        this.counters = counters;
        this.nanoTime = nanoTime;
        this.loop = loop;
        this.router =
                new GossipSub(
                        GossipSubConfig.DEFAULT,
                        self.toBytes(),
                        random,
                        nanoTime,
                        allocator,
                        gossipCounters);
    }

    void start() {
        withRouter(router::subscribe);
        var unused =
                loop.scheduleAtFixedRate(
                        () -> withRouter(router::heartbeat),
                        TimeUnit.MILLISECONDS.toNanos(FIRST_BEAT_MILLIS),
                        GossipSub.HEARTBEAT_NANOS,
                        TimeUnit.NANOSECONDS);
    }

    private void withRouter(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    GossipCounters counters() {
        return gossipCounters;
    }

    /** Neighbours in the mesh. */
    int meshSize() {
        lock.lock();
        try {
            return router.meshSize();
        } finally {
            lock.unlock();
        }
    }

    /** A group of our own, or one that came another way and was accepted. */
    Published publish(byte[] bytes, int offset, int length) {
        lock.lock();
        try {
            Published published = router.publish(bytes, offset, length);
            flushSoon();
            return published;
        } finally {
            lock.unlock();
        }
    }

    private void settle(byte[] bytes, int offset, int length, Verdict verdict) {
        withRouter(
                () -> {
                    router.settle(bytes, offset, length, verdict);
                    flushSoon();
                });
    }

    /** What comes in between is sent together. */
    private void flushSoon() {
        if (!flushing) {
            flushing = true;
            loop.execute(() -> withRouter(this::flush));
        }
    }

    private void flush() {
        flushing = false;
        router.flush();
    }

    // Connections, on their event loops.

    /** A peer has said what it speaks. */
    void identified(Connection connection) {
        if (connection.protocols().stream().anyMatch(name -> GossipVersion.of(name) != null)) {
            link(connection).open();
        }
    }

    /** A peer has opened its stream. */
    void accepted(Connection connection, YamuxStream stream) {
        link(connection).accept(stream);
    }

    private Link link(Connection connection) {
        return links.computeIfAbsent(
                connection,
                fresh -> {
                    connection.closed().addListener(closed -> lost(connection));
                    return new Link(connection);
                });
    }

    private void lost(Connection connection) {
        Link link = links.remove(connection);
        if (link != null) {
            link.end();
        }
    }

    /** The two streams with one peer. Its event loop, but for what says otherwise. */
    private final class Link implements GossipLink, Peer {
        private final Connection connection;

        /** Null while our stream is not open. Any thread may use it. */
        private volatile @Nullable FrameSender sender;

        private @Nullable GossipPeer peer;
        private @Nullable YamuxStream theirs;

        /** Of the stream that is theirs. Any thread may check it. */
        private volatile HalfFrames.@Nullable Part half;

        private boolean opening;
        private int openings;
        private int malformed;

        Link(Connection connection) {
            this.connection = connection;
        }

        void open() {
            if (opening || sender != null || openings > REOPENINGS_MAX) {
                return;
            }
            opening = true;
            openings++;
            connection.open(
                    GossipVersion.PROTOCOLS,
                    new Connection.Opening() {
                        @Override
                        public void opened(YamuxStream stream, String protocol) {
                            opening = false;
                            begin(stream, protocol);
                        }

                        @Override
                        public void refused(Drop reason) {
                            opening = false;
                            LOG.log(Level.DEBUG, "{0}: no gossip: {1}", connection, reason);
                            if (peer == null && theirs != null && !connection.closed().isDone()) {
                                connect(GossipVersion.V1_0); // It may speak, and not be spoken to.
                            }
                        }
                    });
        }

        private void begin(YamuxStream stream, String protocol) {
            var opened =
                    new FrameSender(stream, limits, budget, counters, nanoTime, connection::end);
            stream.pipeline().addLast(opened.handler());
            sender = opened;
            stream.closeFuture()
                    .addListener(
                            closed -> {
                                opened.close();
                                ended(opened);
                            });
            GossipVersion version = GossipVersion.of(protocol);
            if (version != null && peer == null) {
                connect(version);
            }
        }

        /** The peer has ended our stream, but not the connection. */
        private void ended(FrameSender gone) {
            if (sender == gone) {
                sender = null;
                disconnect();
                if (!connection.closed().isDone()) {
                    var unused =
                            connection
                                    .loop()
                                    .schedule(this::open, REOPEN_SECONDS, TimeUnit.SECONDS);
                }
            }
        }

        private void connect(GossipVersion version) {
            withRouter(
                    () -> {
                        peer =
                                router.connected(
                                        connection.remote().toBytes(),
                                        connection.dialled(),
                                        version,
                                        this);
                        router.flush();
                    });
            if (theirs != null) {
                theirs.config().setAutoRead(true);
            }
        }

        private void disconnect() {
            GossipPeer gone = peer;
            peer = null;
            if (gone != null) {
                withRouter(() -> router.disconnected(gone));
            }
            if (theirs != null) {
                theirs.config().setAutoRead(false);
            }
        }

        /** Of two streams of a peer the newer is the one it uses. */
        void accept(YamuxStream stream) {
            YamuxStream before = theirs;
            theirs = stream;
            if (before != null) {
                var unused = before.close();
            }
            stream.config().setAutoRead(peer != null);
            HalfFrames.Part part = halves.part(connection::end);
            half = part;
            stream.pipeline()
                    .addLast(new Counter())
                    .addLast(
                            new RpcDecoder(
                                    readers.get(),
                                    GossipSubConfig.RPC_BYTES_MAX,
                                    new Receiver(stream, part)))
                    .addLast(new Finisher());
            stream.closeFuture()
                    .addListener(
                            closed -> {
                                part.close();
                                if (theirs == stream) {
                                    theirs = null;
                                    half = null;
                                }
                            });
            open();
        }

        void end() {
            disconnect();
        }

        private final class Receiver implements RpcDecoder.Receiver {
            private final YamuxStream stream;
            private final HalfFrames.Part part;

            /** Whether an RPC has ended in this burst. */
            private boolean whole;

            Receiver(YamuxStream stream, HalfFrames.Part part) {
                this.stream = stream;
                this.part = part;
            }

            @Override
            public void received(RpcReader rpc) {
                whole = true;
                GossipPeer from = peer;
                if (from != null) {
                    withRouter(() -> router.receive(from, rpc));
                }
            }

            @Override
            public void refused(RpcFault fault) {
                counters.count(Drop.MALFORMED_RPC);
                LOG.log(Level.DEBUG, "{0}: RPC refused: {1}", connection, fault);
                if (fault.isFlood()) {
                    connection.end(Drop.RPC_FLOOD);
                } else if (++malformed > MALFORMED_MAX) {
                    connection.end(Drop.MISBEHAVED);
                } else {
                    var unused = stream.close();
                }
            }

            @Override
            public void burstEnded(int left) {
                part.update(left, whole);
                whole = false;
                withRouter(TransactionGossip.this::flush);
            }
        }

        // What the router wants; under the lock, on any thread.

        @Override
        public boolean send(ByteBuf frame) {
            FrameSender open = sender;
            if (open == null) {
                frame.release();
                return false;
            }
            return open.send(Tag.TRANSACTION, frame);
        }

        @Override
        public Verdict deliver(ByteBuf data) {
            counters.messagesIn.increment();
            return inbox.offer(this, Tag.TRANSACTION, data);
        }

        @Override
        public void disconnect(GossipDrop reason) {
            LOG.log(Level.DEBUG, "{0}: not gossiped with: {1}", connection, reason);
            connection.end(Drop.MISBEHAVED);
        }

        // The peer as the inbox sees it. Any thread.

        @Override
        public String id() {
            return connection.remote().toString();
        }

        @Override
        public String address() {
            return connection.address().toString();
        }

        @Override
        public boolean outbound() {
            return connection.dialled();
        }

        /** Nothing but transactions goes this way, and those by way of the router. */
        @Override
        public boolean send(Tag tag, byte[] bytes, int offset, int length) {
            counters.count(Drop.QUEUE_FULL);
            return false;
        }

        @Override
        public Traffic traffic() {
            return connection.traffic();
        }

        @Override
        public long queuedBytes() {
            FrameSender open = sender;
            return open == null ? 0 : open.queuedBytes();
        }

        @Override
        public void settle(Tag tag, byte[] bytes, int offset, int length, Verdict verdict) {
            TransactionGossip.this.settle(bytes, offset, length, verdict);
        }

        @Override
        public String toString() {
            return connection.toString();
        }
    }

    /** Counts what a peer writes. */
    private final class Counter extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            counters.bytesIn.add(((ByteBuf) bytes).readableBytes());
            context.fireChannelRead(bytes);
        }
    }

    /** Ends our half of a peer's stream when it ends its own: nothing was ever said there. */
    private static final class Finisher extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event)
                throws Exception {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                ((YamuxStream) context.channel()).finish();
            }
            super.userEventTriggered(context, event);
        }
    }

    /** Cuts off those that do not read, or do not end what they have begun to send. */
    void checkProgress() {
        for (Link link : links.values()) {
            HalfFrames.Part half = link.half;
            if (half != null) {
                half.check();
            }
            FrameSender sender = link.sender;
            if (sender != null) {
                sender.checkProgress();
            }
        }
    }
}
