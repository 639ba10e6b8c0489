package topspin.net;

import io.netty.buffer.ByteBuf;

/** Where peers' messages go. Called on the peer's event loop, so it must not block. */
@FunctionalInterface
public interface Inbox {
    /**
     * Takes one message.
     *
     * @param peer who sent it
     * @param tag what it is; never an answer, for those go to whoever asked
     * @param body its bytes without the tag, at most {@link Tag#bytesMax}. Borrowed: copy what is
     *     kept and neither retain nor release it; indexes may be moved
     * @return what it came to; after {@link Verdict#PENDING} the message is settled exactly once by
     *     {@link Peer#settle}
     */
    Verdict offer(Peer peer, Tag tag, ByteBuf body);

    /** A peer is there, and may be spoken to; it comes before its first message. */
    default void arrived(Peer peer) {}
}
