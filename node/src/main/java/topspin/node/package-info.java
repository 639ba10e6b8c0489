/**
 * What a node is made of and what it keeps in its folder.
 *
 * <pre>
 *   Node ── opens ──► DataFolder, Ledger, TransactionPool, Ingest, Gossip, BlockPacer or Catchup, RestServer
 *     ▲
 *   NodeConfig  (config.json)                              closed in the reverse order
 * </pre>
 *
 * Only this package knows everyone; the others see what they are given.
 */
@NullMarked
package topspin.node;

import org.jspecify.annotations.NullMarked;
