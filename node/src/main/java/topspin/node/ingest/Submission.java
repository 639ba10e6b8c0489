package topspin.node.ingest;

import topspin.codec.Digest;

/** What a local submission came to. */
public sealed interface Submission {
    /**
     * It waits for a block, or in instant mode is in one.
     *
     * @param first id of the group's first transaction
     */
    record Accepted(Digest first) implements Submission {}

    /**
     * It was not taken.
     *
     * @param text why, as the reference puts it
     */
    record Refused(String text) implements Submission {}

    /** No room on the way in; the same bytes may come again. */
    record Busy() implements Submission {}
}
