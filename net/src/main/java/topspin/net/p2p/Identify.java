package topspin.net.p2p;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.Uvarint;
import topspin.net.multiaddr.Multiaddr;

import java.util.ArrayList;
import java.util.List;

/**
 * What a peer says of itself when asked (gossip.md A.5). Who it is was proved before and is not
 * read from here.
 *
 * @param listenAddresses where it can be dialled
 * @param protocols the stream protocols it answers
 * @param observed where it sees us; null if it does not say
 * @param agent its software
 * @param record where it can be dialled, under its signature; null if it does not say so
 */
record Identify(
        List<Multiaddr> listenAddresses,
        List<String> protocols,
        @Nullable Multiaddr observed,
        String agent,
        @Nullable SignedPeerRecord record) {
    static final String PROTOCOL = "/ipfs/id/1.0.0";
    static final String PUSH_PROTOCOL = "/ipfs/id/push/1.0.0";

    /** Nothing said yet. */
    static final Identify NOTHING = new Identify(List.of(), List.of(), null, "", null);

    /** Longest message that is read, without its length. */
    static final int BYTES_MAX = 8 << 10;

    /** Addresses and protocols that are kept of a peer. */
    private static final int LIST_MAX = 128;

    private static final int PUBLIC_KEY = 1;
    private static final int LISTEN_ADDRESS = 2;
    private static final int PROTOCOL_NAME = 3;
    private static final int OBSERVED_ADDRESS = 4;
    private static final int PROTOCOL_VERSION = 5;
    private static final int AGENT = 6;
    private static final int SIGNED_RECORD = 8;

    private static final byte[] NO_VERSION = {};

    Identify {
        listenAddresses = List.copyOf(listenAddresses);
        protocols = List.copyOf(protocols);
    }

    /**
     * Appends the message with its length in front. Where we can be dialled goes in under our
     * signature as well.
     *
     * @param sequence larger than in any run of this node before
     */
    void encode(KeyPair identity, long sequence, ByteBuf target) {
        PeerId self = PeerId.of(identity.publicKey());
        ByteBuf message = Unpooled.buffer();
        Protobuf.write(PUBLIC_KEY, self.publicKey(), message);
        for (Multiaddr address : listenAddresses) {
            Protobuf.write(LISTEN_ADDRESS, address.toBytes(), message);
        }
        for (String protocol : protocols) {
            Protobuf.write(PROTOCOL_NAME, protocol.getBytes(UTF_8), message);
        }
        if (observed != null) {
            Protobuf.write(OBSERVED_ADDRESS, observed.toBytes(), message);
        }
        Protobuf.write(PROTOCOL_VERSION, NO_VERSION, message);
        Protobuf.write(AGENT, agent.getBytes(UTF_8), message);
        if (!listenAddresses.isEmpty()) {
            byte[] sealed = SignedPeerRecord.seal(identity, sequence, listenAddresses);
            Protobuf.write(SIGNED_RECORD, sealed, message);
        }
        Uvarint.write(message.readableBytes(), target);
        target.writeBytes(message);
    }

    /** What is known after a further message, without its length; null if it is malformed. */
    @Nullable Identify merge(ByteBuf message) {
        List<Multiaddr> addresses = new ArrayList<>();
        List<String> names = new ArrayList<>();
        Multiaddr seen = observed;
        String software = agent;
        byte[] sealed = null;
        while (message.isReadable()) {
            int tag = Protobuf.tag(message);
            boolean known =
                    (tag & 7) == Protobuf.BYTES
                            && tag >> 3 >= LISTEN_ADDRESS
                            && tag >> 3 <= SIGNED_RECORD;
            if (!known) {
                if (!Protobuf.skip(tag, message)) {
                    return null;
                }
                continue;
            }
            byte[] value = Protobuf.bytes(message);
            if (value == null) {
                return null;
            }
            switch (tag >> 3) {
                case LISTEN_ADDRESS -> add(Multiaddr.decode(value, 0, value.length), addresses);
                case PROTOCOL_NAME -> add(new String(value, UTF_8), names);
                case OBSERVED_ADDRESS -> seen = Multiaddr.decode(value, 0, value.length);
                case AGENT -> software = new String(value, UTF_8);
                case SIGNED_RECORD -> sealed = value; // The last counts; to verify is dear.
                default -> {}
            }
        }
        return new Identify(
                addresses.isEmpty() ? listenAddresses : addresses,
                names.isEmpty() ? protocols : names,
                seen,
                software,
                sealed == null ? record : SignedPeerRecord.open(sealed));
    }

    /** An address of a kind we do not know is left out, as what is one too many. */
    private static <T> void add(@Nullable T item, List<T> items) {
        if (item != null && items.size() < LIST_MAX) {
            items.add(item);
        }
    }
}
