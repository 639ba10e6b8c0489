@NullMarked
package topspin.net.stream;

import org.jspecify.annotations.NullMarked;
