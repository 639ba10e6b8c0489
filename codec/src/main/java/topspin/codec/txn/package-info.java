/**
 * Transactions: what they say, how they stand on the wire, and how they are named.
 *
 * <pre>
 *  canonical bytes ──► TransactionDecoder ──► TransactionGroup of SignedTransaction ──► TxIdHasher ──► id
 *  any other form  ──► LooseDecoder ──┘ (re-encoded)          │
 *                                                             └─ Transaction: Payment, AssetTransfer, …
 *  a record of ours ─► TransactionEncoder ──► canonical bytes
 * </pre>
 *
 * <p>Integers are unsigned 64-bit numbers in a {@code long} unless said otherwise. A value that is
 * zero, empty or all zero bytes is absent on the wire, so absence needs no other mark. Facts:
 * transactions.md.
 */
@NullMarked
package topspin.codec.txn;

import org.jspecify.annotations.NullMarked;
