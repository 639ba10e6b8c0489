/**
 * The node's HTTP face: algod's REST API and a few paths of our own, over TCP and a Unix socket.
 *
 * <pre>
 *  socket ─► HttpRequestDecoder ─► Connection ─► RouteTable ─► Tokens ─► body ─► Handler ─► Exchange ─► socket
 *            └──────────────── event loop ("rest-N") ───────────────────────┘  loop or "rest-worker-N"
 * </pre>
 *
 * A connection works on one request at a time and reads no further than it must, so answers keep
 * their order and a client that does not read stops being read. A handler may answer later from any
 * thread; a wait for a round is an entry in {@link topspin.node.rest.RoundWaits} and holds no
 * thread. Everything a client can make grow has a bound in {@link topspin.node.rest.Limits}.
 *
 * <p>Paths, fields and texts are algod's: SDKs match on them.
 */
@NullMarked
package topspin.node.rest;

import org.jspecify.annotations.NullMarked;
