package topspin.net;

import topspin.net.stream.BlockAnswer;

import java.util.function.Consumer;

/**
 * Where blocks come from that peers ask for by HTTP. Called on event loops, so it must not block.
 */
@FunctionalInterface
public interface BlockSource {
    /**
     * Looks for a block.
     *
     * @param asker stands for the peer: what is asked for equal ones may be bounded together
     * @param round unsigned
     * @param answer told once, at once or later, on any thread; {@link BlockAnswer.Refused} when
     *     too much is asked
     */
    void find(Object asker, long round, Consumer<BlockAnswer> answer);
}
