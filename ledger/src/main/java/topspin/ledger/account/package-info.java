/**
 * What the ledger knows of an address and of an asset, the sums over all of them, and the one way
 * to read them at a round.
 *
 * <p>Everything here is a value: a change is a new record. Amounts are unsigned 64-bit numbers held
 * in {@code long}; {@link topspin.ledger.account.Uint64} does the arithmetic that may overflow.
 */
@NullMarked
package topspin.ledger.account;

import org.jspecify.annotations.NullMarked;
