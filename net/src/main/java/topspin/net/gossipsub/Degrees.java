package topspin.net.gossipsub;

/**
 * How many neighbours the mesh has and whom gossip goes to (gossip.md A.6, table of defaults).
 *
 * @param goal neighbours wanted
 * @param low below so many, more are taken in
 * @param high at so many, none that dialled us is taken in, and the mesh is cut back to the goal
 * @param score so many of the best are kept when the mesh is cut back
 * @param outbound so many at least are peers that we dialled, whom nobody can push upon us
 * @param lazy so many outside the mesh are told of new messages at each heartbeat
 */
public record Degrees(int goal, int low, int high, int score, int outbound, int lazy) {
    public Degrees {
        if (goal < 0 || low > goal || high < goal || score > goal || outbound < 0 || lazy < 0) {
            throw new IllegalArgumentException(
                    "goal %d, low %d, high %d, score %d, outbound %d, lazy %d"
                            .formatted(goal, low, high, score, outbound, lazy));
        }
    }

    /** The degrees go-algorand derives from {@code GossipFanout}. */
    public static Degrees of(int fanout) {
        if (fanout <= 0) {
            return new Degrees(0, 0, 0, 0, 0, 0);
        }
        if (fanout <= 4) {
            return new Degrees(4, 2, 4, 1, 1, 4);
        }
        if (fanout <= 11) {
            int goal = fanout - fanout / 3;
            return new Degrees(goal, goal * 3 / 4, fanout, goal * 3 / 4, goal * 3 / 8, fanout);
        }
        return new Degrees(8, 6, 12, 6, 3, 12);
    }
}
