@NullMarked
package topspin.node.catchup;

import org.jspecify.annotations.NullMarked;
