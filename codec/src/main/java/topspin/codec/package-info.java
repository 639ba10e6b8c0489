/** Values every layer speaks of: addresses, digests, and the sets and maps keyed by them. */
@NullMarked
package topspin.codec;

import org.jspecify.annotations.NullMarked;
