/**
 * Gossipsub 1.0, 1.1 and 1.2 for the one topic that Algorand gossips on: transactions (gossip.md
 * A.6 and A.7).
 *
 * <pre>
 *  stream of a peer ─► RpcDecoder ─► GossipSub.receive ─► GossipLink.deliver ─► Verdict ┐
 *  Peer.settle ─────────────────────► GossipSub.settle ◄──────── later, if PENDING ─────┤
 *  our own transaction ─────────────► GossipSub.publish                                 ▼
 *  once a second ───────────────────► GossipSub.heartbeat        accepted: to the mesh, to the cache
 *  end of a burst ──────────────────► GossipSub.flush ─► RpcBatch ─► GossipLink.send
 * </pre>
 *
 * {@link topspin.net.gossipsub.GossipSub} is a machine without clock, socket or thread: what
 * happens comes in by its methods, what is to be done goes out by each peer's {@link
 * topspin.net.gossipsub.GossipLink}. Time and randomness are given to it, so a seed replays a run.
 */
@NullMarked
package topspin.net.gossipsub;

import org.jspecify.annotations.NullMarked;
