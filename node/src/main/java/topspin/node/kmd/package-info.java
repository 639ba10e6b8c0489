/**
 * The calls of the reference's key daemon (kmd) by which tools find the funded accounts of a local
 * network, over the same HTTP server as the node's own API. Only reads; only play money.
 */
@NullMarked
package topspin.node.kmd;

import org.jspecify.annotations.NullMarked;
