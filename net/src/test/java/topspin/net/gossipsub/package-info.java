/** The router by example, and in a simulated network of many. */
@NullMarked
package topspin.net.gossipsub;

import org.jspecify.annotations.NullMarked;
