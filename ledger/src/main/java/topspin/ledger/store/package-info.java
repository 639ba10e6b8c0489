/**
 * Where the state lies on disk: named columns of bytes, sorted by key, changed by one atomic and
 * durable batch a round.
 *
 * <pre>
 *   Ledger ──► Column (keys) ──► LedgerStore.Batch ──► RocksDB: write-ahead log, fsync ──► memtables ──► SSTs
 *   LedgerView ◄── LedgerStore.Snapshot (one a round, shared by its readers)
 * </pre>
 *
 * RocksDB appears in this package and nowhere else. It knows columns and bytes; what the values
 * mean is known one package up.
 */
@NullMarked
package topspin.ledger.store;

import org.jspecify.annotations.NullMarked;
