/**
 * Agreement (agreement.md): which block the nodes settle on, round by round, by votes of accounts
 * that are drawn by lot.
 *
 * <pre>
 *   messages ─┐                    ┌─► relay, broadcast ─► net
 *   timeouts ─┼─► Event ─► Player ─┼─► verify ─► workers ─► Event
 *   ledger ───┘        (no clock,  ├─► attest, assemble, repropose ─► Event
 *                       no lock)   └─► ensure, stage ─► ledger
 *
 *   Player ─ RoundMachine (r, r+1, and 8 old) ─┬─ ProposalStore: payloads
 *                                              └─ PeriodMachine ─┬─ ProposalTracker: who leads
 *                                                                └─ VoteTracker per step: quorums
 * </pre>
 *
 * Everything here but the loop is a pure function of its input: a seed replays any run.
 */
@NullMarked
package topspin.node.agreement;

import org.jspecify.annotations.NullMarked;
