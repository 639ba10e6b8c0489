package topspin.node.agreement;

/**
 * The steps of a period (agreement.md 1.1). Numbers from {@link #NEXT} up to {@link #LATE} are the
 * first, second, third … attempt to leave the period.
 */
public final class Step {
    /** Proposing a block. */
    public static final long PROPOSE = 0;

    /** Agreeing on one proposal. */
    public static final long SOFT = 1;

    /** Committing to it. */
    public static final long CERT = 2;

    /** The first attempt to leave the period. */
    public static final long NEXT = 3;

    /** The last attempt that has a number of its own. */
    public static final long NEXT_LAST = 252;

    /** Fast recovery: the block is there and a quorum was for it. */
    public static final long LATE = 253;

    /** Fast recovery: the period's starting value stands. */
    public static final long REDO = 254;

    /** Fast recovery: start afresh. */
    public static final long DOWN = 255;

    private Step() {}

    /** Whether a quorum of this step ends the period. */
    static boolean endsPeriod(long step) {
        return Long.compareUnsigned(step, NEXT) >= 0;
    }
}
