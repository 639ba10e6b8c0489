package topspin.net;

/** What came of a peer's message. */
public enum Verdict {
    /** It is right and was new: it goes on to the other peers. */
    ACCEPT,
    /**
     * It goes no further and is held against nobody: known already, right elsewhere, or no room.
     */
    IGNORE,
    /** It can be right on no node: held against the peer, on the tagged stream by ending it. */
    REJECT,
    /** Not known yet: whoever said so owes the peer exactly one {@link Peer#settle}. */
    PENDING
}
