/**
 * The way in: bytes become groups whose signatures hold, in the order in which they came.
 *
 * <pre>
 *   event loops ─► offer ──┐                                    ┌─ worker ─┐
 *   REST loops ─► submit ──┴─► IngestRing ─► ingest thread ─► batches ─ worker ─┴─► in order ─► pool
 *                  one copy      bounded       decode, id,         signatures
 *                                              filter, rules
 * </pre>
 *
 * Every message has one fate, settled once: its sender's verdict, or its submitter's answer. What
 * is dropped is counted by reason and forgotten by the {@link topspin.node.ingest.DuplicateFilter},
 * so that it may come again.
 */
@NullMarked
package topspin.node.ingest;

import org.jspecify.annotations.NullMarked;
