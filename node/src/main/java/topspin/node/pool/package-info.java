/**
 * Transactions that wait for a block, in the order in which they came.
 *
 * <pre>
 *   ingest ─► offers ─┐                        ┌─► sink: accepted, refused, committed, evicted
 *   ledger ─► rounds ─┼─► pool thread ─ evaluate ─ append ─► pending (read by anyone)
 *   maker ─► asks ────┘                        └─► Assembly: a block of what is already evaluated
 * </pre>
 *
 * One thread writes; whoever reads takes the volatile {@link topspin.node.pool.Pending} and keeps
 * it.
 */
@NullMarked
package topspin.node.pool;

import org.jspecify.annotations.NullMarked;
