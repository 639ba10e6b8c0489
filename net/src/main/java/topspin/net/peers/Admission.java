package topspin.net.peers;

import org.jspecify.annotations.Nullable;

import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts inbound connections against their limits: in all, in handshake, and from one address, so
 * that one source cannot take every place. Any thread may call; it is asked once per connection.
 */
public final class Admission {
    private final Limits limits;
    private final Map<InetAddress, Integer> perAddress = new HashMap<>();
    private int greeting;
    private int greeted;

    public Admission(Limits limits) {
        this.limits = limits;
    }

    /** Admits a connection to the handshake, or says why not. */
    public synchronized @Nullable Drop enter(InetAddress from) {
        if (greeted >= limits.inboundMax()) {
            return Drop.INBOUND_FULL;
        }
        if (greeting >= limits.handshakesMax()) {
            return Drop.HANDSHAKES_FULL;
        }
        int others = perAddress.getOrDefault(from, 0);
        if (others >= limits.perAddressMax() && !from.isLoopbackAddress()) {
            return Drop.ADDRESS_FULL;
        }
        perAddress.put(from, others + 1);
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
    public synchronized void leave(InetAddress from, boolean wasGreeted) {
        perAddress.computeIfPresent(from, (address, count) -> count == 1 ? null : count - 1);
        if (wasGreeted) {
            greeted--;
        } else {
            greeting--;
        }
        assert greeting >= 0 && greeted >= 0 : greeting + ", " + greeted;
    }
}
