package topspin.net;

import org.jspecify.annotations.Nullable;

import topspin.net.stream.KnownIds;

import java.util.function.Consumer;

/**
 * Where transactions come from that a peer lacks and asks for by HTTP. Called on event loops, so it
 * must not block.
 */
@FunctionalInterface
public interface PendingSource {
    /**
     * Looks for transactions that wait for a block.
     *
     * @param asker stands for the peer: what is asked for equal ones may be bounded together
     * @param known what the peer has
     * @param answer told once, at once or later, on any thread: an array of signed transactions as
     *     msgpack, members of a group side by side; null when too much is asked
     */
    void missing(Object asker, KnownIds known, Consumer<byte @Nullable []> answer);
}
