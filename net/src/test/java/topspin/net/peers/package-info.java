@NullMarked
package topspin.net.peers;

import org.jspecify.annotations.NullMarked;
