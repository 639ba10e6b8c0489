package topspin.net;

/** A node at the other end of a connection. Its methods may be called from any thread. */
public interface Peer {
    /** Who it says it is, as text of at most 64 printable characters. */
    String id();

    /** Where it is, as a multiaddr: {@code /ip4/127.0.0.1/tcp/4006}. */
    String address();

    /** Whether we dialled it. */
    boolean outbound();

    /**
     * Queues one message for this peer; the bytes are copied before this returns.
     *
     * @return false, with the drop counted, when its queue is full or it has gone
     */
    boolean send(Tag tag, byte[] bytes, int offset, int length);

    /** Bytes that went over its connection. */
    Traffic traffic();

    /** Bytes queued for it: whoever answers requests looks here before it makes an answer. */
    long queuedBytes();

    /**
     * Settles a message that {@link Inbox#offer} left {@link Verdict#PENDING}: ACCEPT hands it to
     * all peers but this one, IGNORE drops it, REJECT ends the connection. Exactly once for each.
     *
     * @param bytes the message as it came; copied before this returns
     * @param verdict any but PENDING
     */
    void settle(Tag tag, byte[] bytes, int offset, int length, Verdict verdict);
}
