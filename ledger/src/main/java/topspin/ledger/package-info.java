/**
 * The state: one writer evaluates blocks and keeps them, many readers look at what was true at a
 * round.
 *
 * <pre>
 *   RoundState (round r) ─┐
 *                         ├─► BlockEvaluator ─► EvaluatedBlock { Block, StateDelta } ─► Ledger.add
 *   VerifiedGroup ...  ───┘                                                             (round r+1)
 * </pre>
 */
@NullMarked
package topspin.ledger;

import org.jspecify.annotations.NullMarked;
