package topspin.node.pool;

import topspin.ledger.rules.Reason;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What went through the pool since it was opened, in transactions unless said otherwise. */
public final class PoolCounters {
    private final LongAdder accepted = new LongAdder();
    private final LongAdder committed = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private final LongAdder full = new LongAdder();
    private final LongAdder feeTooLow = new LongAdder();
    private final Map<Reason, LongAdder> inapplicable = new EnumMap<>(Reason.class);

    PoolCounters() {
        for (Reason reason : Reason.values()) {
            inapplicable.put(reason, new LongAdder());
        }
    }

    void accepted(int transactions) {
        accepted.add(transactions);
    }

    void committed(int transactions) {
        committed.add(transactions);
    }

    void evicted(int transactions) {
        evicted.add(transactions);
    }

    void refused(PoolRefusal refusal) {
        switch (refusal) {
            case PoolRefusal.Full() -> full.increment();
            case PoolRefusal.FeeBelowThreshold below -> feeTooLow.increment();
            case PoolRefusal.Inapplicable(var why) -> of(why.reason()).increment();
        }
    }

    /** Taken in. */
    public long accepted() {
        return accepted.sum();
    }

    /** Left with a block. */
    public long committed() {
        return committed.sum();
    }

    /** Dropped after a block made them inapplicable. */
    public long evicted() {
        return evicted.sum();
    }

    /** Groups refused because too many waited. */
    public long refusedFull() {
        return full.sum();
    }

    /** Groups refused because blocks' worth waited and they paid too little. */
    public long refusedFee() {
        return feeTooLow.sum();
    }

    /** Groups refused because they could not be applied, by reason. */
    public long refused(Reason reason) {
        return of(reason).sum();
    }

    private LongAdder of(Reason reason) {
        return Objects.requireNonNull(inapplicable.get(reason));
    }
}
