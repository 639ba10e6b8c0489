package topspin.net.gossipsub;

import io.netty.buffer.ByteBuf;

import topspin.net.Verdict;

/**
 * What the router wants done about one peer. Called from within the router's methods: none of these
 * may call the router back, but for {@link GossipSub#disconnected} out of {@link #disconnect}.
 */
public interface GossipLink {
    /**
     * Takes over a frame, length included, to be written on our meshsub stream to the peer or
     * released.
     *
     * @return false if it did not fit the peer's queue; the router then counts it, offers changes
     *     of the mesh again and says nothing of the rest
     */
    boolean send(ByteBuf frame);

    /**
     * Shows one new message to whoever judges it.
     *
     * @param data the message, between reader and writer index. Lent: copy what is kept, neither
     *     retain nor release it; indexes may be moved
     * @return {@link Verdict#IGNORE} if it was not taken in, and then it may come again; after
     *     {@link Verdict#PENDING} it is settled exactly once by {@link GossipSub#settle}
     */
    Verdict deliver(ByteBuf data);

    /**
     * Ends the peer's connection. Once; the router forgets what it sends meanwhile, and is told by
     * {@link GossipSub#disconnected} as of any other end.
     */
    void disconnect(GossipDrop reason);
}
