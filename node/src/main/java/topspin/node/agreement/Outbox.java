package topspin.node.agreement;

/** The way to the peers. Returns at once; what does not fit is dropped there. */
public interface Outbox {
    /** Passes a message on to all peers but one; if it is our own, to all. */
    void relay(Message message, Source source);

    /** Tells all peers. */
    void broadcast(Message message);

    /** Tells one peer. */
    void tell(Message message, Source peer);

    /** Drops the peer that a message came from. */
    void disconnect(Source source);
}
