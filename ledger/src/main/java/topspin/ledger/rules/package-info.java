/**
 * The rules of validity that need no account: form, groups, signatures. The same code judges a
 * transaction at the door and in another's block.
 *
 * <pre>
 *   TransactionGroup ─► WellFormed ─► Signatures ─► VerifiedGroup ─► BlockEvaluator
 *                           │             │  ▲
 *                           ▼             ▼  └── VerifiedCache: seen with these very bytes
 *                        Refusal       Refusal
 * </pre>
 */
@NullMarked
package topspin.ledger.rules;

import org.jspecify.annotations.NullMarked;
