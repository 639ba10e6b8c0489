/**
 * Connections to peers that prove who they are (gossip.md A): on a TCP connection
 * multistream-select, Noise, yamux; then multistream-select again on each of yamux's streams.
 *
 * <pre>
 *  TCP ─► Multistream ─► NoiseGreeting ─► NoiseDecoder, NoiseEncoder ─► Yamux ─┬─► stream: Identify
 *                                                                               ├─► stream: Ping
 *                                                                               └─► stream: …
 * </pre>
 *
 * Everything of one connection runs on its one event loop.
 */
@NullMarked
package topspin.net.p2p;

import org.jspecify.annotations.NullMarked;
