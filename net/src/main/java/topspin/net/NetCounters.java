package topspin.net;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What the network did since it started. Any thread may count and read. */
public final class NetCounters {
    public final LongAdder messagesIn = new LongAdder();
    public final LongAdder messagesOut = new LongAdder();

    /** Bytes of frames, lengths and tags included. */
    public final LongAdder bytesIn = new LongAdder();

    public final LongAdder bytesOut = new LongAdder();

    private final Map<Drop, LongAdder> drops = new EnumMap<>(Drop.class);

    public NetCounters() {
        for (Drop reason : Drop.values()) {
            drops.put(reason, new LongAdder());
        }
    }

    public void count(Drop reason) {
        of(reason).increment();
    }

    public long dropped(Drop reason) {
        return of(reason).sum();
    }

    private LongAdder of(Drop reason) {
        return Objects.requireNonNull(drops.get(reason));
    }
}
