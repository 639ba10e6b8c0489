package topspin.node.junit;

/** How the blocks of a test's network come about. */
public enum Blocks {
    /** A block for each submission that waits for its answer. */
    INSTANT,
    /** A block at each tick of {@link TopspinNetwork#interval}. */
    INTERVAL,
    /** A block when {@link TestNetwork#makeBlocks} is called. */
    MANUAL
}
