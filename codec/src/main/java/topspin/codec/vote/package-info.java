/**
 * Votes and the bundles of votes that certify a block (agreement.md sections 2 and 4): what they
 * say and how they stand on the wire. Whether they hold is agreement's business.
 */
@NullMarked
package topspin.codec.vote;

import org.jspecify.annotations.NullMarked;
