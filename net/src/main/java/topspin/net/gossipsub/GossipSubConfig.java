package topspin.net.gossipsub;

/**
 * How the router is set up. What the network fixes is not here but in {@link GossipSub}.
 *
 * @param degrees size of the mesh
 * @param rpcBytesMax longest RPC that is sent
 * @param seenMax ids that are remembered at most
 * @param pendingMax messages that may wait for their verdict; of one peer, a quarter
 * @param cacheBytesMax bytes of messages kept for those who ask
 */
public record GossipSubConfig(
        Degrees degrees, int rpcBytesMax, int seenMax, int pendingMax, long cacheBytesMax) {
    /** What all peers read: 1 MiB. */
    public static final int RPC_BYTES_MAX = 1 << 20;

    /**
     * For a node with four neighbours. Two minutes at 4,000 transactions a second, as long as ids
     * are remembered, make half a million; ten seconds of them, as long as messages are kept, 16
     * MB.
     */
    public static final GossipSubConfig DEFAULT =
            new GossipSubConfig(Degrees.of(4), RPC_BYTES_MAX, 1 << 19, 1 << 15, 64L << 20);

    public GossipSubConfig {
        require(rpcBytesMax > 0 && rpcBytesMax <= RPC_BYTES_MAX, "rpcBytesMax", rpcBytesMax);
        require(seenMax > 0 && seenMax <= 1 << 24, "seenMax", seenMax);
        require(pendingMax > 0, "pendingMax", pendingMax);
        require(cacheBytesMax > 0, "cacheBytesMax", cacheBytesMax);
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException(name + " out of range: " + value);
        }
    }

    public GossipSubConfig withDegrees(Degrees other) {
        return new GossipSubConfig(other, rpcBytesMax, seenMax, pendingMax, cacheBytesMax);
    }
}
