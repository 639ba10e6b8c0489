/**
 * What peers say to each other on a {@code /meshsub} stream: a {@link topspin.net.Uvarint} length,
 * then one RPC as a protocol buffer (gossip.md A.6).
 *
 * <pre>
 *  stream ─► RpcDecoder ─► RpcReader: where everything lies ─► Receiver
 *  elements ─► RpcBatch: as few RPCs as the limit allows ─► frames
 * </pre>
 *
 * The reader copies nothing and makes no garbage: it notes offsets into the bytes it was lent. The
 * batch knows the size of each element before it is written, so every frame is made in one piece.
 */
@NullMarked
package topspin.net.rpc;

import org.jspecify.annotations.NullMarked;
