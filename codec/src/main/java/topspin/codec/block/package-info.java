/**
 * Blocks: header, transactions in their order, the commitments that bind them, and the certificate
 * that stands beside them. Facts: block.md.
 */
@NullMarked
package topspin.codec.block;

import org.jspecify.annotations.NullMarked;
