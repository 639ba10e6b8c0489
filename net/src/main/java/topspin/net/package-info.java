/**
 * Peers: bytes from them and to them, with no idea what a transaction is.
 *
 * <pre>
 *  dial ─► ConnectionKeeper ┐                    ┌─► Inbox.offer ─► Verdict, at once or by Peer.settle
 *                           ├─► Handshake ─► TagDecoder
 *  accept ──────────────────┘                    └─► an answer ─► whoever asked
 *
 *  Gossip.broadcast, Peer.send ─► OutboundQueue, one per peer, urgent tags first ─► socket
 * </pre>
 */
@NullMarked
package topspin.net;

import org.jspecify.annotations.NullMarked;
