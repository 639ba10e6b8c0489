/**
 * What a valid transaction does to accounts, one class per type, and the working state it does it
 * to. Nothing here reads a clock, a store or the network.
 *
 * <p>Every class takes a {@link topspin.ledger.apply.WorkingState} and a transaction, and returns
 * null or the refusal; after a refusal the caller rolls the group back. Order of steps and texts:
 * validation.md section 11.
 */
@NullMarked
package topspin.ledger.apply;

import org.jspecify.annotations.NullMarked;
