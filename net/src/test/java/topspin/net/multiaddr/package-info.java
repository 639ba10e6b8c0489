@NullMarked
package topspin.net.multiaddr;

import org.jspecify.annotations.NullMarked;
