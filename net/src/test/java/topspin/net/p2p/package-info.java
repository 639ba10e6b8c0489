@NullMarked
package topspin.net.p2p;

import org.jspecify.annotations.NullMarked;
