/**
 * Blocks from and for other nodes. A follower takes them from the one producer it dialled, and
 * judges everything in them but what agreement would answer for; any node serves those it has.
 */
@NullMarked
package topspin.node.catchup;

import org.jspecify.annotations.NullMarked;
