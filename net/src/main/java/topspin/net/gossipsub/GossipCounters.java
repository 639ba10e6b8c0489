package topspin.net.gossipsub;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What the router did since it started. The router counts, any thread may read. */
public final class GossipCounters {
    /** Messages that were new. */
    public final LongAdder fresh = new LongAdder();

    /** Bytes of their data. */
    public final LongAdder freshBytes = new LongAdder();

    /** Bytes of RPCs handed to peers' streams, their lengths included. */
    public final LongAdder bytesOut = new LongAdder();

    /** Messages of ours. */
    public final LongAdder published = new LongAdder();

    /** Copies of messages sent, ours and others'. */
    public final LongAdder sent = new LongAdder();

    /** Messages that were asked for by IWANT and sent for that. */
    public final LongAdder answered = new LongAdder();

    /** Peers taken into the mesh and out of it. */
    public final LongAdder grafts = new LongAdder();

    public final LongAdder prunes = new LongAdder();

    /** Peers whose connection was ended for what they did. */
    public final LongAdder disconnects = new LongAdder();

    private final Map<GossipDrop, LongAdder> drops = new EnumMap<>(GossipDrop.class);

    public GossipCounters() {
        for (GossipDrop reason : GossipDrop.values()) {
            drops.put(reason, new LongAdder());
        }
    }

    void count(GossipDrop reason) {
        of(reason).increment();
    }

    void count(GossipDrop reason, long times) {
        of(reason).add(times);
    }

    public long dropped(GossipDrop reason) {
        return of(reason).sum();
    }

    private LongAdder of(GossipDrop reason) {
        return Objects.requireNonNull(drops.get(reason));
    }
}
