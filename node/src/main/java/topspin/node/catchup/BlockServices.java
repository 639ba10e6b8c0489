package topspin.node.catchup;

import topspin.net.Gossip;
import topspin.net.Peer;
import topspin.net.stream.BlockAnswer;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/** The two ways in which a peer may serve blocks: it need not serve both. One thread. */
final class BlockServices implements LongFunction<CompletableFuture<BlockAnswer>> {
    private final Gossip gossip;
    private final Peer peer;
    private boolean byHttp;

    BlockServices(Gossip gossip, Peer peer) {
        this.gossip = gossip;
        this.peer = peer;
    }

    @Override
    public CompletableFuture<BlockAnswer> apply(long round) {
        if (!byHttp) {
            return gossip.requestBlock(peer, round);
        }
        return gossip.fetchBlock(peer, round)
                .exceptionally(failed -> new BlockAnswer.Refused(String.valueOf(failed)));
    }

    /** From now on asks the other way. */
    void change() {
        byHttp = !byHttp;
    }
}
