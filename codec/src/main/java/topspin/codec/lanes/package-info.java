/**
 * Signatures and digests side by side in the lanes of vectors: the only users of {@code
 * jdk.incubator.vector}, loaded by {@link topspin.codec.crypto.SignatureEngine} alone, and only
 * where that module is there.
 *
 * <pre>
 *   LaneBatch ── one equation for many ──┐              ┌─ LaneDecompress ─┐
 *       │ if it fails                    ├─ LaneTable ──┤                  ├─ LaneField
 *   LaneVerifier ─ N exact verdicts ─────┘              └─ LanePoint ──────┘
 *       └── Sha512Lanes ── the challenges; ids and other digests too
 * </pre>
 */
@NullMarked
package topspin.codec.lanes;

import org.jspecify.annotations.NullMarked;
