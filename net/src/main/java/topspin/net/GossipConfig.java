package topspin.net;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.net.multiaddr.AddressFilter;
import topspin.net.multiaddr.Multiaddr;

import java.time.Duration;
import java.util.List;

/**
 * What {@link Gossip} is told.
 *
 * @param genesisId both ends of a connection must name the same
 * @param identity proves who we are to those we are connected to
 * @param listen where to accept connections: TCP ports of IP addresses, port 0 for any free one,
 *     and Unix sockets; none to accept none
 * @param dial whom to stay connected to: TCP ports of IP addresses or names, and Unix sockets; with
 *     the peer's id or, where whoever answers is right, without
 * @param filter the addresses to deal with
 * @param limits bounds on what peers may cost us
 */
public record GossipConfig(
        String genesisId,
        KeyPair identity,
        List<Multiaddr> listen,
        List<Multiaddr> dial,
        AddressFilter filter,
        Limits limits) {

    public GossipConfig {
        listen = List.copyOf(listen);
        dial = List.copyOf(dial);
        require(!genesisId.isEmpty(), "the genesis id is empty");
        for (Multiaddr address : dial) {
            require(
                    address.socketAddress() != null || address.unixPath() != null,
                    address + " is neither a TCP address nor a Unix socket");
        }
    }

    /** With the limits that fit most. */
    public static GossipConfig of(
            String genesisId, KeyPair identity, List<Multiaddr> listen, List<Multiaddr> dial) {
        return new GossipConfig(
                genesisId, identity, listen, dial, AddressFilter.ALL, Limits.DEFAULT);
    }

    /**
     * Bounds on what peers may cost us.
     *
     * @param inboundMax connections that others made, their handshakes done
     * @param handshakesMax the same, their handshakes not done
     * @param perAddressMax inbound connections from one address; loopback has no such limit
     * @param handshakeTimeout from connecting to the end of the handshake
     * @param queueMessagesMax messages that wait for one peer; urgent ones are counted apart
     * @param queueBytesMax their bytes, at least the longest frame
     * @param queuesBytesMax the same for all peers together
     * @param halfFramesBytesMax bytes of messages that all peers together have begun to send
     * @param staleAfter a peer that lets a message wait so long is cut off, as is one that takes so
     *     long to send one
     * @param unsettledMax messages of one peer not settled yet; reading it stops meanwhile
     * @param answerTimeout how long a request may stay open
     * @param redialMin pause before a lost connection is dialled again; doubles with each failure
     * @param redialMax to at most this
     */
    public record Limits(
            int inboundMax,
            int handshakesMax,
            int perAddressMax,
            Duration handshakeTimeout,
            int queueMessagesMax,
            long queueBytesMax,
            long queuesBytesMax,
            long halfFramesBytesMax,
            Duration staleAfter,
            int unsettledMax,
            Duration answerTimeout,
            Duration redialMin,
            Duration redialMax) {

        public static final Limits DEFAULT =
                new Limits(
                        256,
                        64,
                        8,
                        Duration.ofSeconds(10),
                        16_384,
                        16 << 20,
                        128 << 20,
                        64 << 20,
                        Duration.ofSeconds(25),
                        8_192,
                        Duration.ofSeconds(10),
                        Duration.ofMillis(250),
                        Duration.ofSeconds(5));

        public Limits {
            require(inboundMax > 0, "inboundMax must be positive");
            require(handshakesMax > 0, "handshakesMax must be positive");
            require(perAddressMax > 0, "perAddressMax must be positive");
            require(queueMessagesMax > 0, "queueMessagesMax must be positive");
            require(
                    queueBytesMax >= Integer.BYTES + Tag.FRAME_BYTES_MAX,
                    "queueBytesMax is less than one frame");
            require(queuesBytesMax >= queueBytesMax, "queuesBytesMax is less than queueBytesMax");
            require(
                    halfFramesBytesMax >= Tag.FRAME_BYTES_MAX,
                    "halfFramesBytesMax is less than one frame");
            require(unsettledMax > 1, "unsettledMax must be more than one");
            require(redialMin.isPositive(), "redialMin must be positive");
            require(redialMax.compareTo(redialMin) >= 0, "redialMax is less than redialMin");
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
