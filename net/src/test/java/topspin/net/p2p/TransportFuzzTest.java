package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.Drop;
import topspin.net.Mutator;
import topspin.net.Mutator.Taker;
import topspin.net.multiaddr.Multiaddr;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * What a stranger may say to the layers below streams, changed by lot: it is read or refused, and
 * nothing else is ever thrown.
 */
final class TransportFuzzTest {
    private static final String CORPUS = "transport-corpus.txt";
    private static final int BYTES_MAX = 2_048;

    /** The key that the recorded transport messages were sealed with. */
    private static final byte[] KEY =
            HexFormat.of()
                    .parseHex("9d7d9bb5274dd892abf019a414b1a927c98514a9d591fe459d6acb44b2b39c83");

    /** A decoder, and how dear an input is: so many of the others' inputs. */
    private enum Layer {
        MULTIADDR(1),
        NOISE(4),
        HANDSHAKE(400),
        PAYLOAD(1),
        YAMUX(20),
        MULTISTREAM(20),
        IDENTIFY(1),
        RECORD(1);

        private final int cost;

        Layer(int cost) {
            this.cost = cost;
        }

        Taker taker() {
            return switch (this) {
                case MULTIADDR -> TransportFuzzTest::multiaddr;
                case NOISE -> TransportFuzzTest::noise;
                case HANDSHAKE -> TransportFuzzTest::handshake;
                case PAYLOAD ->
                        (bytes, length) -> {
                            NoisePayload payload =
                                    NoisePayload.decode(Arrays.copyOf(bytes, length));
                            assertThat(payload == null || payload.muxers().size() <= 16).isTrue();
                        };
                case YAMUX -> TransportFuzzTest::yamux;
                case MULTISTREAM -> multistream();
                case IDENTIFY -> TransportFuzzTest::identify;
                case RECORD ->
                        (bytes, length) -> {
                            // Behind the envelope, whose signature no changed one passes.
                            var record =
                                    SignedPeerRecord.read(Unpooled.wrappedBuffer(bytes, 0, length));
                            assertThat(record == null || record.addresses().size() <= 128).isTrue();
                        };
            };
        }
    }

    private static void run(Layer layer, long seed, long count) throws IOException {
        List<byte[]> corpus =
                Mutator.corpus(TransportFuzzTest.class, CORPUS, layer.name().toLowerCase());
        Taker taker = layer.taker();
        for (byte[] whole : corpus) {
            try {
                taker.take(whole, whole.length);
            } catch (Exception failure) {
                throw new AssertionError(HexFormat.of().formatHex(whole), failure);
            }
        }
        new Mutator(corpus, seed, BYTES_MAX).run(Math.max(count / layer.cost, 100), taker);
    }

    @ParameterizedTest
    @EnumSource(Layer.class)
    void changedInputsAreReadOrRefused(Layer layer) throws IOException {
        run(layer, 1, 100_000);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Layer.class)
    void manyChangedInputsAreReadOrRefused(Layer layer) throws IOException {
        run(layer, 2, 15_000_000);
    }

    private static void multiaddr(byte[] bytes, int length) {
        Multiaddr address = Multiaddr.decode(bytes, 0, length);
        if (address == null) {
            return;
        }
        assertThat(address.toBytes()).isEqualTo(Arrays.copyOf(bytes, length));
        int[] codes = new int[length + 1];
        int count = address.appendProtocols(codes, 0);
        assertThat(address.firstProtocol()).isEqualTo(count == 0 ? -1 : codes[0]);
        for (int index = 0; index < count; index++) {
            assertThat(address.hasProtocol(codes[index])).isTrue();
        }
        String text = address.toString();
        if (text.length() < 1_000 && !text.contains("/unix/")) { // A path may end with a slash.
            assertThat(Multiaddr.parse(text)).isEqualTo(address);
        }
        var unused = address.socketAddress();
        unused = null;
        byte[] peer = address.peer();
        assertThat(peer == null || peer.length <= length).isTrue();
        String path = address.unixPath();
        assertThat(path == null || !path.isEmpty()).isTrue();
    }

    private static void noise(byte[] bytes, int length) {
        var channel = new EmbeddedChannel(new NoiseDecoder(new ChaChaPoly(KEY)));
        try {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, 0, length));
        } catch (DecoderException expected) {
            assertThat(expected.getCause()).isNull();
        } finally {
            channel.finishAndReleaseAll();
        }
    }

    private static void handshake(byte[] bytes, int length) {
        byte[] seed = new byte[32];
        byte[] message = Arrays.copyOf(bytes, length);
        var listener =
                new NoiseHandshake(
                        false, KEY, KEY, KeyPair.fromSeed(seed), List.of(Yamux.PROTOCOL));
        if (listener.read(message)) {
            listener.write();
            assertThat(listener.read(message)).isFalse(); // It is another's, whatever it is.
        }
        var dialer =
                new NoiseHandshake(true, KEY, KEY, KeyPair.fromSeed(seed), List.of(Yamux.PROTOCOL));
        dialer.write();
        assertThat(dialer.read(message)).isFalse();
    }

    private static void yamux(byte[] bytes, int length) {
        List<Drop> ends = new ArrayList<>();
        var channel =
                new EmbeddedChannel(
                        new Yamux(
                                (length & 1) == 0,
                                stream -> {},
                                reason -> {
                                    ends.add(reason);
                                    assertThat(ends).hasSize(1);
                                }));
        channel.writeInbound(Unpooled.copiedBuffer(bytes, 0, length));
        channel.finishAndReleaseAll();
    }

    private static Taker multistream() {
        List<String> told = new ArrayList<>();
        var outcome =
                new Multistream.Outcome() {
                    @Override
                    public void agreed(ChannelHandlerContext context, String protocol) {
                        told.add(protocol);
                        context.pipeline().remove(context.handler());
                    }

                    @Override
                    public void failed(ChannelHandlerContext context, Drop reason) {
                        told.add(reason.label());
                    }
                };
        return (bytes, length) -> {
            for (int side = 0; side < 2; side++) {
                told.clear();
                Multistream handler =
                        side == 0
                                ? Multistream.answering("/a"::equals, outcome)
                                : Multistream.proposing(List.of("/a", "/b"), outcome);
                var channel = new EmbeddedChannel(handler);
                ByteBuf input = Unpooled.copiedBuffer(bytes, 0, length);
                channel.writeInbound(input);
                channel.finishAndReleaseAll();
                assertThat(told).hasSize(1);
            }
        };
    }

    private static void identify(byte[] bytes, int length) {
        Identify said = Identify.NOTHING.merge(Unpooled.wrappedBuffer(bytes, 0, length));
        if (said != null) {
            assertThat(said.protocols().size()).isLessThanOrEqualTo(128);
            assertThat(said.listenAddresses().size()).isLessThanOrEqualTo(128);
        }
    }
}
