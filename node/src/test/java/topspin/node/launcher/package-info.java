/**
 * Tests of the packaged product from outside: real processes of the launcher, other people's
 * programs, the README's own lines.
 */
@NullMarked
package topspin.node.launcher;

import org.jspecify.annotations.NullMarked;
