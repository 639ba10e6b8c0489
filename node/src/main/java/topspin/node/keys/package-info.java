/**
 * Participation keys: what an account votes and proposes with for a range of rounds, as files that
 * the reference's tools read and write (agreement.md section 2.5).
 *
 * <pre>
 *  keys/NAME.partkey ─► PartKeyFile ─► ParticipationKeys ─► KeyStore ─► REST, agreement
 *                           ▲
 *                     KeyGenerator
 * </pre>
 */
@NullMarked
package topspin.node.keys;

import org.jspecify.annotations.NullMarked;
