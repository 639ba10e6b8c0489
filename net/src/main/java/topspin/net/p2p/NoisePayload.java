package topspin.net.p2p;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * What each side proves and offers in a handshake (gossip.md A.2). Read from whoever dials us, who
 * has proved nothing yet.
 *
 * @param key its identity, a public key as a protobuf message; empty if it sent none
 * @param signature by that key, of its static key; empty if it sent none
 * @param muxers those it offers, in its order, at most {@link #MUXERS_MAX}
 */
@SuppressWarnings("ArrayRecordComponent") // Read once, never compared.
record NoisePayload(byte[] key, byte[] signature, List<String> muxers) {
    /** Muxers that are kept of a peer's list. */
    static final int MUXERS_MAX = 16;

    private static final byte[] NOTHING = {};

    // Fields of the payload, and of its extensions.
    private static final int IDENTITY_KEY = 1;
    private static final int IDENTITY_SIGNATURE = 2;
    private static final int EXTENSIONS = 4;
    private static final int STREAM_MUXERS = 2;

    NoisePayload {
        muxers = List.copyOf(muxers);
    }

    byte[] encode() {
        ByteBuf extensions = Unpooled.buffer();
        for (String muxer : muxers) {
            Protobuf.write(STREAM_MUXERS, muxer.getBytes(UTF_8), extensions);
        }
        ByteBuf payload = Unpooled.buffer();
        Protobuf.write(IDENTITY_KEY, key, payload);
        Protobuf.write(IDENTITY_SIGNATURE, signature, payload);
        Protobuf.write(EXTENSIONS, ByteBufUtil.getBytes(extensions), payload);
        return ByteBufUtil.getBytes(payload);
    }

    /** Reads all of {@code plain}; null if it is malformed. */
    static @Nullable NoisePayload decode(byte[] plain) {
        byte[] key = NOTHING;
        byte[] signature = NOTHING;
        List<String> muxers = new ArrayList<>();
        ByteBuf fields = Unpooled.wrappedBuffer(plain);
        while (fields.isReadable()) {
            int tag = Protobuf.tag(fields);
            boolean known =
                    tag == Protobuf.tag(IDENTITY_KEY, Protobuf.BYTES)
                            || tag == Protobuf.tag(IDENTITY_SIGNATURE, Protobuf.BYTES)
                            || tag == Protobuf.tag(EXTENSIONS, Protobuf.BYTES);
            if (!known) {
                if (!Protobuf.skip(tag, fields)) {
                    return null;
                }
                continue;
            }
            byte[] value = Protobuf.bytes(fields);
            if (value == null) {
                return null;
            }
            switch (tag >> 3) {
                case IDENTITY_KEY -> key = value;
                case IDENTITY_SIGNATURE -> signature = value;
                default -> {
                    muxers.clear();
                    if (!readExtensions(Unpooled.wrappedBuffer(value), muxers)) {
                        return null;
                    }
                }
            }
        }
        return new NoisePayload(key, signature, muxers);
    }

    private static boolean readExtensions(ByteBuf fields, List<String> muxers) {
        while (fields.isReadable()) {
            int tag = Protobuf.tag(fields);
            if (tag == Protobuf.tag(STREAM_MUXERS, Protobuf.BYTES)) {
                byte[] muxer = Protobuf.bytes(fields);
                if (muxer == null) {
                    return false;
                }
                if (muxers.size() < MUXERS_MAX) {
                    muxers.add(new String(muxer, UTF_8));
                }
            } else if (!Protobuf.skip(tag, fields)) {
                return false;
            }
        }
        return true;
    }
}
