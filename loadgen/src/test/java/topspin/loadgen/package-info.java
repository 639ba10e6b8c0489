/** The generator against nodes of our own making, on real sockets. */
@NullMarked
package topspin.loadgen;

import org.jspecify.annotations.NullMarked;
