/** Whom to be connected to, and staying so. */
@NullMarked
package topspin.net.peers;

import org.jspecify.annotations.NullMarked;
