/**
 * The long-lived stream that carries tagged messages between two nodes (gossip.md A.7): first a
 * header block each way, then frames of a 4-byte big-endian length, a 2-byte tag and a body.
 */
@NullMarked
package topspin.net.stream;

import org.jspecify.annotations.NullMarked;
