package topspin.net.gossipsub;

/**
 * What a peer is worth, with go-algorand's weights (gossip.md A.6): a little for time in the mesh
 * and for new messages, and far more against it for invalid ones. It starts at 0, reaches about 5,
 * and one invalid message costs 100. Called by the router alone.
 */
final class PeerScore {
    /** Below it, the peer's IHAVE and IWANT are not listened to and it gets none. */
    static final double GOSSIP_THRESHOLD = -500;

    /** Below it, the peer gets none of our own messages outside the mesh. */
    static final double PUBLISH_THRESHOLD = -1_000;

    /** Below it, nothing of the peer is listened to. */
    static final double GRAYLIST_THRESHOLD = -2_500;

    private static final double TOPIC_WEIGHT = 0.1;
    private static final double MESH_SECONDS_WEIGHT = 0.0002778;
    private static final double MESH_SECONDS_MAX = 1;
    private static final double FIRST_DELIVERIES_WEIGHT = 0.5;
    private static final double FIRST_DELIVERIES_MAX = 100;
    private static final double INVALID_WEIGHT = -1_000;

    /** Counters fall to this part over their time, and then to nothing. */
    private static final double ZERO = 0.01;

    private static final double FIRST_DELIVERIES_DECAY = decay(600);
    private static final double INVALID_DECAY = decay(3_600);

    private static final double NANOS_PER_SECOND = 1e9;

    private boolean inMesh;
    private long inMeshSinceNanos;
    private double meshSeconds;
    private double firstDeliveries;
    private double invalid;

    /** Factor for each second. */
    private static double decay(int seconds) {
        return Math.pow(ZERO, 1.0 / seconds);
    }

    void grafted(long nowNanos) {
        inMesh = true;
        inMeshSinceNanos = nowNanos;
        meshSeconds = 0;
    }

    void pruned() {
        inMesh = false;
    }

    /** It was the first to bring a message that was accepted. */
    void deliveredFirst() {
        firstDeliveries = Math.min(firstDeliveries + 1, FIRST_DELIVERIES_MAX);
    }

    /** It sent a message that is right on no node. */
    void deliveredInvalid() {
        invalid++;
    }

    /** A second has passed. */
    void refresh(long nowNanos) {
        firstDeliveries = decayed(firstDeliveries, FIRST_DELIVERIES_DECAY);
        invalid = decayed(invalid, INVALID_DECAY);
        if (inMesh) {
            meshSeconds = Math.floor((nowNanos - inMeshSinceNanos) / NANOS_PER_SECOND);
        }
    }

    private static double decayed(double counter, double factor) {
        double next = counter * factor;
        return next < ZERO ? 0 : next;
    }

    double value() {
        double score = FIRST_DELIVERIES_WEIGHT * firstDeliveries;
        if (inMesh) {
            score += MESH_SECONDS_WEIGHT * Math.min(meshSeconds, MESH_SECONDS_MAX);
        }
        score += INVALID_WEIGHT * invalid * invalid;
        return TOPIC_WEIGHT * score;
    }

    /** Invalid messages held against it, for when it comes back. */
    double invalid() {
        return invalid;
    }

    /** It had this against it when it went, so many seconds ago. */
    void resume(double invalidThen, long seconds) {
        invalid = decayed(invalidThen * Math.pow(INVALID_DECAY, seconds), 1);
    }
}
