package topspin.net.peers;

import org.jspecify.annotations.Nullable;

import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts inbound connections against their limits: in all, in handshake, and from one address, so
 * that one source cannot take every place. Any thread may call; it is asked once per connection.
 */
public final class Admission {
    /** A /56 of IPv6; all of an IPv4 address. */
    private static final int PREFIX_BYTES = 7;

    private final Limits limits;
    private final Map<InetAddress, Integer> perAddress = new HashMap<>();
    private int greeting;
    private int greeted;

    public Admission(Limits limits) {
        this.limits = limits;
    }

    /** One party has as many IPv6 addresses as it likes, and one prefix: that one is counted. */
    private static InetAddress source(InetAddress from) {
        byte[] bytes = from.getAddress();
        if (bytes.length <= PREFIX_BYTES) {
            return from;
        }
        Arrays.fill(bytes, PREFIX_BYTES, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException wrongLength) {
            throw new AssertionError("16 bytes are an address", wrongLength);
        }
    }

    /**
     * Admits a connection to the handshake, or says why not.
     *
     * @param from null for a process of this machine, over a Unix socket
     */
    public synchronized @Nullable Drop enter(@Nullable InetAddress from) {
        if (greeted >= limits.inboundMax()) {
            return Drop.INBOUND_FULL;
        }
        if (greeting >= limits.handshakesMax()) {
            return Drop.HANDSHAKES_FULL;
        }
        if (from != null) {
            InetAddress source = source(from);
            int others = perAddress.getOrDefault(source, 0);
            if (others >= limits.perAddressMax() && !from.isLoopbackAddress()) {
                return Drop.ADDRESS_FULL;
            }
            perAddress.put(source, others + 1);
        }
        greeting++;
        return null;
    }

    /** The handshake of an admitted connection is done; false if there is no place for it now. */
    public synchronized boolean greet() {
        if (greeted >= limits.inboundMax()) {
            return false;
        }
        greeting--;
        greeted++;
        return true;
    }

    /** An admitted connection is closed. */
    public synchronized void leave(@Nullable InetAddress from, boolean wasGreeted) {
        if (from != null) {
            perAddress.computeIfPresent(
                    source(from), (source, count) -> count == 1 ? null : count - 1);
        }
        if (wasGreeted) {
            greeted--;
        } else {
            greeting--;
        }
        assert greeting >= 0 && greeted >= 0 : greeting + ", " + greeted;
    }
}
