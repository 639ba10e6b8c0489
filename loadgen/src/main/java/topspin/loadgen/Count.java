package topspin.loadgen;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A number that one thread adds to and any thread reads. */
final class Count {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Count.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    void add(long more) {
        VALUE.setRelease(this, value + more);
    }

    long get() {
        return (long) VALUE.getAcquire(this);
    }
}
