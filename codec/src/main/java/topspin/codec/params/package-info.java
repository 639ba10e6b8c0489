/** The rules of each protocol version, as data. */
@NullMarked
package topspin.codec.params;

import org.jspecify.annotations.NullMarked;
