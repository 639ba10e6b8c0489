/** The RPC codec against recorded RPCs, against protobuf-java, and against bytes made up. */
@NullMarked
package topspin.net.rpc;

import org.jspecify.annotations.NullMarked;
