package topspin.node.ingest;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What came in since the node started, in groups. */
public final class IngestCounters {
    private final LongAdder fromPeers = new LongAdder();
    private final LongAdder submitted = new LongAdder();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder resent = new LongAdder();
    private final LongAdder batches = new LongAdder();
    private final LongAdder batched = new LongAdder();
    private final Map<Drop, LongAdder> drops = new EnumMap<>(Drop.class);

    IngestCounters() {
        for (Drop reason : Drop.values()) {
            drops.put(reason, new LongAdder());
        }
    }

    void fromPeer() {
        fromPeers.increment();
    }

    void submitted() {
        submitted.increment();
    }

    void accepted() {
        accepted.increment();
    }

    void resent() {
        resent.increment();
    }

    void batch(int groups) {
        batches.increment();
        batched.add(groups);
    }

    void drop(Drop reason) {
        of(reason).increment();
    }

    /** Messages that peers sent. */
    public long fromPeersCount() {
        return fromPeers.sum();
    }

    /** Local submissions that could be read. */
    public long submittedCount() {
        return submitted.sum();
    }

    /** Groups the pool took. */
    public long acceptedCount() {
        return accepted.sum();
    }

    /** Groups submitted here that were sent to peers again. */
    public long resentCount() {
        return resent.sum();
    }

    /** Batches whose signatures were verified. */
    public long batchCount() {
        return batches.sum();
    }

    /** Groups in those batches. */
    public long batchedCount() {
        return batched.sum();
    }

    /** Groups that ended there. */
    public long dropped(Drop reason) {
        return of(reason).sum();
    }

    private LongAdder of(Drop reason) {
        return Objects.requireNonNull(drops.get(reason));
    }
}
