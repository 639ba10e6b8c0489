/**
 * Blocks without agreement: one node makes them, at once, at an interval or by hand.
 *
 * <p>Networks of these modes say {@code devmode: true} in their genesis, so that no other network
 * shares its hash. Whoever follows trusts the producer for the order of transactions; everything
 * else it checks itself.
 */
@NullMarked
package topspin.node.devmode;

import org.jspecify.annotations.NullMarked;
