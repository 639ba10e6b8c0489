/**
 * Hashes, signatures and proofs as the network computes them: pure functions and reusable batches,
 * no threads of their own, no logging.
 */
@NullMarked
package topspin.codec.crypto;

import org.jspecify.annotations.NullMarked;
