/**
 * Signatures and digests side by side in the lanes of vectors: the only users of {@code
 * jdk.incubator.vector}, loaded by {@link topspin.codec.crypto.SignatureEngine} alone, and only
 * where that module is there.
 *
 * <pre>
 *   LaneBatch ── one equation for many ─┬─ TermTable ─┐
 *       │ if it fails                   │             ├─ LaneMultiples ─ LanePoint ─┐
 *   LaneVerifier ─ N exact verdicts ────┼─ LaneTable ─┘                             ├─ LaneField
 *                                       └─ LaneClaims ── LaneDecompress ────────────┘
 *                                              └── Sha512Lanes ── challenges; also ids, other digests
 * </pre>
 */
@NullMarked
package topspin.codec.lanes;

import org.jspecify.annotations.NullMarked;
