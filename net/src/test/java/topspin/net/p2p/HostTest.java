package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.Await;
import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;
import topspin.net.LeakFreedom;
import topspin.net.NetCounters;
import topspin.net.multiaddr.AddressFilter;
import topspin.net.multiaddr.Multiaddr;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Hosts that talk to each other on real sockets. */
@ExtendWith(LeakFreedom.class)
final class HostTest {
    private static final String ECHO = "/test/echo/1.0.0";
    private static final String COLLECT = "/test/collect/1.0.0";

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** A host, what it was told, and what it collected. */
    private final class Node implements Host.Connections {
        final NetCounters counters = new NetCounters();
        final List<Connection> connected = new CopyOnWriteArrayList<>();
        final BlockingQueue<Connection> identified = new LinkedBlockingQueue<>();
        final CompletableFuture<byte[]> collected = new CompletableFuture<>();
        final Host host;
        final Multiaddr address;

        Node(int seed) throws Exception {
            byte[] key = new byte[32];
            key[0] = (byte) seed;
            host =
                    new Host(
                            new Host.Software(KeyPair.fromSeed(key), "test/" + seed, 1),
                            Limits.DEFAULT,
                            AddressFilter.ALL,
                            loops,
                            PooledByteBufAllocator.DEFAULT,
                            new Random(seed),
                            counters,
                            Map.of(
                                    ECHO,
                                    (connection, stream, protocol) ->
                                            stream.pipeline().addLast(new Echo()),
                                    COLLECT,
                                    (connection, stream, protocol) ->
                                            stream.pipeline().addLast(new Collector(collected))),
                            this);
            address =
                    host.listen(Multiaddr.parse("/ip4/127.0.0.1/tcp/0"))
                            .withPeer(host.self().toBytes());
            nodes.add(this);
        }

        @Override
        public void connected(Connection connection) {
            connected.add(connection);
            connection.closed().addListener(closed -> connected.remove(connection));
        }

        @Override
        public void identified(Connection connection) {
            identified.add(connection);
        }

        Connection dial(Node other) throws Exception {
            return host.dial(other.address).get(10, TimeUnit.SECONDS);
        }

        YamuxStream open(Connection connection, String... protocols) throws Exception {
            var stream = new CompletableFuture<YamuxStream>();
            connection
                    .loop()
                    .execute(
                            () ->
                                    connection.open(
                                            List.of(protocols),
                                            new Connection.Opening() {
                                                @Override
                                                public void opened(
                                                        YamuxStream opened, String protocol) {
                                                    stream.complete(opened);
                                                }

                                                @Override
                                                public void refused(Drop reason) {
                                                    stream.completeExceptionally(
                                                            new IllegalStateException(
                                                                    reason.label()));
                                                }
                                            }));
            return stream.get(10, TimeUnit.SECONDS);
        }
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            var unused = context.writeAndFlush(bytes, context.voidPromise());
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            ((YamuxStream) context.channel()).finish();
        }
    }

    /** All bytes until the peer ends the stream. */
    private static final class Collector extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<byte[]> whole;
        private final ByteBuf bytes = Unpooled.buffer();

        Collector(CompletableFuture<byte[]> whole) {
            this.whole = whole;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            bytes.writeBytes((ByteBuf) read);
            ((ByteBuf) read).release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            assertThat(event).isSameAs(ChannelInputShutdownEvent.INSTANCE);
            whole.complete(ByteBufUtil.getBytes(bytes));
            ((YamuxStream) context.channel()).finish();
        }
    }

    private static InetSocketAddress socket(Node node) {
        return Objects.requireNonNull(node.address.socketAddress());
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void write(YamuxStream stream, byte[] bytes) {
        stream.eventLoop()
                .execute(
                        () -> {
                            var unused =
                                    stream.writeAndFlush(
                                            stream.alloc().buffer().writeBytes(bytes),
                                            stream.voidPromise());
                        });
    }

    @Test
    void twoHostsKnowEachOtherByKeyAndSayWhatTheySpeak() throws Exception {
        var dialer = new Node(1);
        var listener = new Node(2);
        Connection connection = dialer.dial(listener);
        assertThat(connection.remote()).isEqualTo(listener.host.self());
        assertThat(connection.dialled()).isTrue();
        Connection told = dialer.identified.poll(10, TimeUnit.SECONDS);
        assertThat(told).isSameAs(connection);
        assertThat(connection.protocols())
                .contains(ECHO, COLLECT, "/ipfs/id/1.0.0", "/ipfs/ping/1.0.0");
        assertThat(connection.agent()).isEqualTo("test/2");
        Connection back = listener.identified.poll(10, TimeUnit.SECONDS);
        assertThat(back).isNotNull();
        assertThat(back.remote()).isEqualTo(dialer.host.self());
        assertThat(back.dialled()).isFalse();
        assertThat(back.identify().observed()).isNotNull();
        assertThat(back.identify().listenAddresses()).hasSize(1);
    }

    @Test
    void aHostThatIsCutOffHasNoConnectionUntilThatEnds() throws Exception {
        var alone = new Node(1);
        var other = new Node(2);
        Connection before = alone.dial(other);
        Await.until("both are connected", () -> other.connected.size() == 1);

        alone.host.impairment().cutOff();

        assertThat(before.closed().await(10, TimeUnit.SECONDS)).isTrue();
        Await.until("nobody is connected", () -> other.connected.isEmpty());
        assertThatThrownBy(() -> alone.dial(other)).hasMessageContaining("cut off");
        assertThatThrownBy(() -> other.dial(alone)).hasMessageContaining("not connected");
        assertThat(alone.counters.dropped(Drop.CUT_OFF)).isGreaterThanOrEqualTo(2);
        assertThat(alone.connected).isEmpty();

        alone.host.impairment().end();

        assertThat(other.dial(alone).remote()).isEqualTo(alone.host.self());
    }

    @Test
    void megabytesGoThroughBothWaysWhole() throws Exception {
        var dialer = new Node(1);
        var listener = new Node(2);
        YamuxStream stream = dialer.open(dialer.dial(listener), "/test/none/1.0.0", ECHO);
        var echoed = new CompletableFuture<byte[]>();
        stream.eventLoop()
                .submit(() -> stream.pipeline().addLast(new Collector(echoed)))
                .syncUninterruptibly();
        byte[] sent = bytes(5_000_000, 3);
        write(stream, sent);
        stream.eventLoop().execute(stream::finish);
        assertThat(echoed.get(30, TimeUnit.SECONDS)).isEqualTo(sent);
        Await.until("both ends are closed", () -> !stream.isOpen());
    }

    @Test
    void aReaderThatStopsStopsTheWriterAndNobodyElse() throws Exception {
        var dialer = new Node(1);
        var listener = new Node(2);
        Connection connection = dialer.dial(listener);
        YamuxStream slow = dialer.open(connection, ECHO);
        YamuxStream quick = dialer.open(connection, ECHO);
        slow.config().setAutoRead(false);
        var slowEcho = new CompletableFuture<byte[]>();
        var quickEcho = new CompletableFuture<byte[]>();
        slow.eventLoop()
                .submit(
                        () -> {
                            slow.pipeline().addLast(new Collector(slowEcho));
                            quick.pipeline().addLast(new Collector(quickEcho));
                        })
                .syncUninterruptibly();
        byte[] much = bytes(2_000_000, 4);
        write(slow, much);
        slow.eventLoop().execute(slow::finish);
        byte[] more = bytes(3_000_000, 5);
        write(quick, more);
        quick.eventLoop().execute(quick::finish);
        assertThat(quickEcho.get(30, TimeUnit.SECONDS)).isEqualTo(more);
        assertThat(slowEcho).isNotDone();
        slow.config().setAutoRead(true);
        assertThat(slowEcho.get(30, TimeUnit.SECONDS)).isEqualTo(much);
    }

    @Test
    void aStreamForAnUnknownProtocolIsRefusedAndTheConnectionStays() throws Exception {
        var dialer = new Node(1);
        var listener = new Node(2);
        Connection connection = dialer.dial(listener);
        assertThatThrownBy(() -> dialer.open(connection, "/test/none/1.0.0"))
                .hasRootCauseMessage(Drop.NO_COMMON_PROTOCOL.label());
        assertThat(dialer.open(connection, ECHO).isOpen()).isTrue();
    }

    @Test
    void aPingComesBackAndAThirdStreamOfThemIsRefused() throws Exception {
        var dialer = new Node(1);
        var listener = new Node(2);
        Connection connection = dialer.dial(listener);
        YamuxStream first = dialer.open(connection, PingAnswerer.PROTOCOL);
        var echoed = new CompletableFuture<byte[]>();
        first.eventLoop()
                .submit(() -> first.pipeline().addLast(new Collector(echoed)))
                .syncUninterruptibly();
        byte[] ping = bytes(64, 6);
        write(first, ping);
        first.eventLoop().execute(first::finish);
        assertThat(echoed.get(10, TimeUnit.SECONDS)).isEqualTo(ping);
        dialer.open(connection, PingAnswerer.PROTOCOL);
        dialer.open(connection, PingAnswerer.PROTOCOL);
        YamuxStream third = dialer.open(connection, PingAnswerer.PROTOCOL);
        Await.until("refused", () -> !third.isOpen());
        assertThat(listener.counters.dropped(Drop.STREAMS_FULL)).isOne();
        assertThat(connection.closed().isDone()).isFalse();
    }

    @Test
    void anotherPeerThanWasDialledIsNoneAtAll() throws Exception {
        var dialer = new Node(1);
        var listener = new Node(2);
        var third = new Node(3);
        Multiaddr bare = Multiaddr.of(socket(listener));
        Multiaddr wrong = bare.withPeer(third.host.self().toBytes());
        assertThatThrownBy(() -> dialer.host.dial(wrong).get(10, TimeUnit.SECONDS))
                .hasMessageContaining("not connected");
        assertThat(dialer.counters.dropped(Drop.NOISE)).isOne();
        assertThat(dialer.host.dial(bare).get(10, TimeUnit.SECONDS).remote())
                .isEqualTo(listener.host.self());
    }

    @Test
    void aPeerWithAKeyOfAnotherKindIsNotDialledAsAnybody() throws Exception {
        var dialer = new Node(1);
        var listener = new Node(2);
        byte[] hashed = new byte[34]; // SHA2-256 of an RSA key.
        hashed[0] = 0x12;
        hashed[1] = 0x20;
        Multiaddr other = Multiaddr.of(socket(listener)).withPeer(hashed);
        assertThatThrownBy(() -> dialer.host.dial(other).get(10, TimeUnit.SECONDS))
                .hasMessageContaining("names no peer");
        assertThat(listener.connected).isEmpty();
    }

    @Test
    void ourselvesAreNoPeer() throws Exception {
        var node = new Node(1);
        assertThatThrownBy(() -> node.dial(node)).hasMessageContaining("not connected");
        assertThat(node.connected).isEmpty();
    }

    @Test
    void dialsThatCrossLeaveOneConnection() throws Exception {
        var first = new Node(1);
        var second = new Node(2);
        for (int round = 0; round < 10; round++) {
            CompletableFuture<Connection> one = first.host.dial(second.address);
            CompletableFuture<Connection> other = second.host.dial(first.address);
            CompletableFuture.allOf(one, other)
                    .handle((connected, failed) -> null)
                    .get(10, TimeUnit.SECONDS);
            // What the smaller one dialled stays, on both sides.
            boolean firstIsSmaller = first.host.self().compareTo(second.host.self()) < 0;
            Await.until("one connection", () -> has(first, firstIsSmaller));
            Await.until("the same", () -> has(second, !firstIsSmaller));
            first.connected.getFirst().end(Drop.LEFT);
            Await.until("none", () -> first.connected.isEmpty() && second.connected.isEmpty());
        }
    }

    private static boolean has(Node node, boolean dialled) {
        List<Connection> connected = List.copyOf(node.connected);
        return connected.size() == 1 && connected.getFirst().dialled() == dialled;
    }

    @Test
    void aPeerThatIsConnectedIsNotConnectedTwice() throws Exception {
        var dialer = new Node(1);
        var listener = new Node(2);
        Connection before = dialer.dial(listener);
        assertThat(dialer.dial(listener)).isSameAs(before);
        assertThat(listener.connected).hasSize(1);
    }

    @Test
    void whatIsNoPeerIsHungUpOn() throws Exception {
        var node = new Node(1);
        int port = socket(node).getPort();
        for (String hex :
                List.of(
                        "474554202f20485454502f312e310d0a" + "41".repeat(80),
                        "ffffffffffff",
                        "00",
                        "132f6d756c746973747265616d2f312e302e300a072f6e6f6973650a0005000000000a",
                        "132f6d756c746973747265616d2f312e302e300a072f6e6f6973650a0020"
                                + "00".repeat(32))) {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(10_000);
                socket.getOutputStream().write(HexFormat.of().parseHex(hex));
                while (socket.getInputStream().read() >= 0) {
                    // Its part of the negotiation.
                }
            }
        }
        assertThat(node.counters.dropped(Drop.NEGOTIATION) + node.counters.dropped(Drop.NOISE))
                .isEqualTo(5);
        assertThat(node.connected).isEmpty();
    }
}
