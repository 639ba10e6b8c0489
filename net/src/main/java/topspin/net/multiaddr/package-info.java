/**
 * Addresses as peers write them: {@code /ip4/127.0.0.1/tcp/4160/p2p/12D3…}, a list of protocols,
 * each with a value or none, packed into bytes (gossip.md C2). What works on the bytes alone makes
 * no garbage: filters ask it of every connection.
 */
@NullMarked
package topspin.net.multiaddr;

import org.jspecify.annotations.NullMarked;
