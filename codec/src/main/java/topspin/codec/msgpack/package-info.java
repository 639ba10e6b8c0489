/**
 * MessagePack as the network writes it: one canonical form, written here, and read back strictly.
 */
@NullMarked
package topspin.codec.msgpack;

import org.jspecify.annotations.NullMarked;
