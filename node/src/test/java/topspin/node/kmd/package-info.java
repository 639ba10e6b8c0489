@NullMarked
package topspin.node.kmd;

import org.jspecify.annotations.NullMarked;
