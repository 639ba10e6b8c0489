package topspin.node.catchup;

import topspin.net.stream.BlockAnswer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * Asks one peer for rounds in order. One request is open as long as the peer has nothing further;
 * an answer that is there before it is wanted shows that it has, and then several are, as many as
 * their bytes allow. For one thread.
 */
final class BlockFetcher {
    /** Requests open at most; fewer than a peer allows. */
    static final int WIDTH_MAX = 8;

    /** Bytes that open requests may bring, by the size of the blocks that came lately. */
    static final long BYTES_MAX = 8 << 20;

    private final LongFunction<CompletableFuture<BlockAnswer>> ask;
    private final Deque<CompletableFuture<BlockAnswer>> open = new ArrayDeque<>();
    private long round;
    private int width = 1;
    private long bytesLately = 1;

    /**
     * @param ask sends a request for a round
     * @param first the first round wanted
     */
    BlockFetcher(LongFunction<CompletableFuture<BlockAnswer>> ask, long first) {
        this.ask = ask;
        this.round = first;
    }

    /** The round that {@link #answer} is about. */
    long round() {
        return round;
    }

    /** What the peer will say, or has said, about {@link #round}. */
    CompletableFuture<BlockAnswer> answer() {
        fill();
        return open.getFirst();
    }

    /**
     * The answer was the block: goes on to the next round, and asks for it before this one is
     * worked on.
     *
     * @param waited whether the answer was waited for: then the peer has nothing further
     */
    void advance(BlockAnswer.Found found, boolean waited) {
        open.removeFirst();
        round++;
        long bytes = (long) found.block().length + found.certificate().length;
        bytesLately = Math.max(bytes, bytesLately - bytesLately / 8);
        long widest = Math.clamp(BYTES_MAX / bytesLately, 1, WIDTH_MAX);
        width = waited ? 1 : (int) Math.min(2L * width, widest);
        fill();
    }

    /** The answer was no block: forgets all that is open and begins again with the same round. */
    void again() {
        open.clear();
        width = 1;
    }

    private void fill() {
        while (open.size() < width) {
            open.add(ask.apply(round + open.size()));
        }
    }
}
