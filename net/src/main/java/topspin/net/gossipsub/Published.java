package topspin.net.gossipsub;

/** What becomes of a message of ours. */
public enum Published {
    /** It goes to at least one peer at the next flush; if that fails it waits. */
    SENT,
    /** No peer is there for it: it goes to those that come within ten heartbeats. */
    WAITING,
    /** It was passed on before. */
    KNOWN,
    /** It is larger than an RPC may be: no peer would read it. */
    TOO_LARGE,
    /** No peer is there for it, and too many others wait. */
    FULL
}
