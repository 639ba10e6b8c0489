@NullMarked
package topspin.node.keys;

import org.jspecify.annotations.NullMarked;
