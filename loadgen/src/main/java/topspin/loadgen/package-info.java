/**
 * pingpong: a load that keeps its schedule and tells the truth about what became of it.
 *
 * <pre>
 *                Workload ──► Signer ──► Segment (signed, with ids)
 *                                           │                        one event loop
 *   Schedule ──► Pacer ── slots due ──► Sender ──► SubmitLane ══► node
 *       │                                              │
 *       │                                           Outcomes: accepted, refused by reason, unanswered
 *       ▼                                              │
 *   Confirmations ◄── every round, every block ◄══════ node (each is followed)
 *       │
 *       └──► Latencies ──► Measurement ──► report
 * </pre>
 *
 * The pacer thread knows the time and nothing else; the event loop sends and hears replies; the
 * confirmations thread owns the table of ids; the signer thread stays a segment ahead. No one of
 * them waits for another.
 */
@NullMarked
package topspin.loadgen;

import org.jspecify.annotations.NullMarked;
