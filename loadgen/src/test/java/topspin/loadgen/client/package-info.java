/** The client against bytes and sockets. */
@NullMarked
package topspin.loadgen.client;

import org.jspecify.annotations.NullMarked;
