package topspin.node.ingest;

/** Where on the way in a group ended. */
public enum Drop {
    /** The ring had no room, by count or by bytes. */
    RING_FULL,
    /** A copy of the same signed bytes came before. */
    DUPLICATE,
    /** No canonical group of 1 to 16 transactions; local submissions: no group at all. */
    MALFORMED,
    /** One of its transactions waits in the pool or is in a block. */
    KNOWN,
    /** Form, group rules or a signature are wrong, for ever. */
    INVALID,
    /** May be right at another time. */
    UNTIMELY,
    /** This node cannot judge it. */
    BEYOND_US,
    /** The pool refused it. */
    POOL,
    /** The node stops. */
    STOPPING
}
