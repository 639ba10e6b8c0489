package topspin.node.agreement;

/** Time, in nanoseconds. */
public interface Clock {
    /** Since some moment; never goes back. */
    long nanos();

    /** Since 1970: goes on while the node is down, and may be off. */
    long wallNanos();
}
