/**
 * Networks for tests: nodes in the test's own JVM, on free ports, with funded accounts and a clock
 * that the test sets. Its own artifact, since it alone needs JUnit.
 */
@NullMarked
package topspin.node.junit;

import org.jspecify.annotations.NullMarked;
