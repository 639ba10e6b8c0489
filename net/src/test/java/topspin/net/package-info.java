@NullMarked
package topspin.net;

import org.jspecify.annotations.NullMarked;
