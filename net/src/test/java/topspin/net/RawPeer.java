package topspin.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.GossipConfig.Limits;
import topspin.net.multiaddr.AddressFilter;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.Connection;
import topspin.net.p2p.Host;
import topspin.net.p2p.YamuxStream;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A peer that says on its tagged stream whatever the test wants, in bytes written from the
 * specification. The layers below are ours.
 */
final class RawPeer implements AutoCloseable {
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final CompletableFuture<YamuxStream> opened = new CompletableFuture<>();
    private final Arrivals arrivals = new Arrivals();
    private final DataInputStream in = new DataInputStream(arrivals);
    private final Host host;
    private final Connection connection;

    RawPeer(Multiaddr node, int seed, String protocol) throws IOException {
        Host.StreamHandler take = (with, stream, spoken) -> take(stream);
        host =
                new Host(
                        new Host.Software(key(seed), "raw", 1),
                        Limits.DEFAULT,
                        AddressFilter.ALL,
                        loops,
                        PooledByteBufAllocator.DEFAULT,
                        new Random(seed),
                        new NetCounters(),
                        Map.of(protocol, take),
                        new Host.Connections() {
                            @Override
                            public void connected(Connection made) {
                                if (host().self().compareTo(made.remote()) < 0) {
                                    open(made, protocol);
                                }
                            }

                            @Override
                            public void identified(Connection made) {}
                        });
        connection = get(host.dial(node));
    }

    private Host host() {
        return host;
    }

    static KeyPair key(int seed) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) seed;
        return KeyPair.fromSeed(bytes);
    }

    private void open(Connection made, String protocol) {
        made.open(
                List.of(protocol),
                new Connection.Opening() {
                    @Override
                    public void opened(YamuxStream stream, String spoken) {
                        take(stream);
                    }

                    @Override
                    public void refused(Drop reason) {
                        opened.completeExceptionally(new IOException(reason.label()));
                    }
                });
    }

    private void take(YamuxStream stream) {
        stream.pipeline().addLast(arrivals.handler());
        stream.closeFuture().addListener(closed -> arrivals.end());
        opened.complete(stream);
    }

    private static <T> T get(CompletableFuture<T> future) throws IOException {
        try {
            return future.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException failed) {
            throw new IOException(failed);
        }
    }

    /** A peer of the network whose header blocks are exchanged. */
    static RawPeer greeted(Multiaddr node, String genesisId, int seed) throws IOException {
        var peer = new RawPeer(node, seed, "/algorand-ws/2.2.0");
        peer.write(header("2.2", genesisId));
        peer.readHeader();
        return peer;
    }

    /** A header block in hand-made msgpack; all texts shorter than 32. */
    static byte[] header(String version, String genesisId) {
        var map = new ByteArrayOutputStream();
        map.write(0x82);
        for (String text :
                new String[] {"X-Algorand-Version", version, "X-Algorand-Genesis", genesisId}) {
            if (!text.startsWith("X-")) {
                map.write(0x91);
            }
            map.write(0xa0 | text.length());
            map.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }
        return ByteBuffer.allocate(Short.BYTES + map.size())
                .putShort((short) map.size())
                .put(map.toByteArray())
                .array();
    }

    static byte[] frame(String tag, byte[] body) {
        return ByteBuffer.allocate(6 + body.length)
                .putInt(2 + body.length)
                .put(tag.getBytes(StandardCharsets.US_ASCII))
                .put(body)
                .array();
    }

    String id() {
        return host.self().toString();
    }

    Connection connection() {
        return connection;
    }

    void write(byte[] bytes) throws IOException {
        YamuxStream stream = get(opened);
        stream.eventLoop()
                .execute(
                        () -> {
                            var unused =
                                    stream.writeAndFlush(
                                            stream.alloc().buffer().writeBytes(bytes),
                                            stream.voidPromise());
                        });
    }

    void write(String hex) throws IOException {
        write(HexFormat.of().parseHex(hex));
    }

    /** From now on nothing is read, or again. */
    void reading(boolean on) throws IOException {
        get(opened).config().setAutoRead(on);
    }

    byte[] readHeader() throws IOException {
        byte[] map = new byte[in.readUnsignedShort()];
        in.readFully(map);
        return map;
    }

    int readByte() throws IOException {
        return in.readUnsignedByte();
    }

    /** The next frame: two letters and the body in hexadecimal. */
    String readFrame() throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        return new String(frame, 0, 2, StandardCharsets.US_ASCII)
                + HexFormat.of().formatHex(frame, 2, frame.length);
    }

    /** Reads a frame and tells its tag. */
    String skipFrame() throws IOException {
        int length = in.readInt();
        String tag = Character.toString(in.readUnsignedByte()) + (char) in.readUnsignedByte();
        in.skipNBytes(length - 2);
        return tag;
    }

    /** Waits until the connection is closed. */
    void awaitEnd() {
        Await.until("the connection is closed", () -> connection.closed().isDone());
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** What has arrived, to be read by the test's thread. */
    private static final class Arrivals extends InputStream {
        private static final byte[] END = {};

        private final BlockingQueue<byte[]> chunks = new LinkedBlockingQueue<>();
        private byte @Nullable [] chunk;
        private int at;

        ChannelInboundHandlerAdapter handler() {
            return new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object bytes) {
                    byte[] read = ByteBufUtil.getBytes((ByteBuf) bytes);
                    ((ByteBuf) bytes).release();
                    if (read.length > 0) {
                        chunks.add(read);
                    }
                }
            };
        }

        void end() {
            chunks.add(END);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            byte[] current = chunk;
            if (current == null || at == current.length) {
                try {
                    current = chunks.poll(10, TimeUnit.SECONDS);
                } catch (InterruptedException interrupted) {
                    throw new IOException(interrupted);
                }
                if (current == null) {
                    throw new EOFException("nothing came");
                }
                chunk = current;
                at = 0;
                if (current.length == 0) {
                    end();
                    return -1;
                }
            }
            int part = Math.min(length, current.length - at);
            System.arraycopy(current, at, target, offset, part);
            at += part;
            return part;
        }
    }
}
