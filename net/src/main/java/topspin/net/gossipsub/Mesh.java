package topspin.net.gossipsub;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;

/** The neighbours that each message goes to at once, and who of them is to go. */
final class Mesh {
    private static final Comparator<GossipPeer> BEST_FIRST =
            Comparator.comparingDouble(GossipPeer::score).reversed();

    private final Degrees degrees;
    private final RandomGenerator random;
    private final List<GossipPeer> members = new ArrayList<>();

    Mesh(Degrees degrees, RandomGenerator random) {
        this.degrees = degrees;
        this.random = random;
    }

    int size() {
        return members.size();
    }

    GossipPeer get(int index) {
        return members.get(index);
    }

    void add(GossipPeer peer, long nowNanos) {
        assert !peer.inMesh;
        members.add(peer);
        peer.inMesh = true;
        peer.score.grafted(nowNanos);
    }

    void remove(GossipPeer peer) {
        members.remove(peer);
        peer.inMesh = false;
        peer.score.pruned();
    }

    int outbound() {
        int count = 0;
        for (int index = 0; index < members.size(); index++) {
            count += members.get(index).outbound ? 1 : 0;
        }
        return count;
    }

    /** Members with a score below nothing. */
    List<GossipPeer> unworthy() {
        List<GossipPeer> unworthy = new ArrayList<>(0);
        for (GossipPeer peer : members) {
            if (peer.score() < 0) {
                unworthy.add(peer);
            }
        }
        return unworthy;
    }

    /**
     * Members beyond the goal, if there are as many as the high mark: the best stay, the rest of
     * the goal is drawn by lot, and enough that we dialled are among them.
     */
    List<GossipPeer> surplus() {
        if (members.size() < degrees.high() || members.size() <= degrees.goal()) {
            return List.of();
        }
        List<GossipPeer> order = new ArrayList<>(members);
        shuffle(order, 0, random);
        order.sort(BEST_FIRST); // Equals stay in their drawn order.
        shuffle(order, degrees.score(), random);
        int goal = degrees.goal();
        int outbound = 0;
        for (GossipPeer peer : order.subList(0, goal)) {
            outbound += peer.outbound ? 1 : 0;
        }
        // From behind the goal, those that we dialled change places with the last that dialled us.
        int give = goal - 1;
        for (int take = goal; take < order.size() && outbound < degrees.outbound(); take++) {
            if (!order.get(take).outbound) {
                continue;
            }
            while (give >= 0 && order.get(give).outbound) {
                give--;
            }
            if (give < 0) {
                break;
            }
            GossipPeer kept = order.get(take);
            order.set(take, order.get(give));
            order.set(give, kept);
            outbound++;
        }
        return List.copyOf(order.subList(goal, order.size()));
    }

    /** The score of the member in the middle; there must be one. */
    double medianScore() {
        double[] scores = new double[members.size()];
        for (int index = 0; index < scores.length; index++) {
            scores[index] = members.get(index).score();
        }
        java.util.Arrays.sort(scores);
        return scores[scores.length / 2];
    }

    /** Puts the elements from {@code from} on into an order drawn by lot. */
    static <T> void shuffle(List<T> list, int from, RandomGenerator random) {
        for (int last = list.size() - 1; last > from; last--) {
            int other = from + random.nextInt(last - from + 1);
            T moved = list.get(last);
            list.set(last, list.get(other));
            list.set(other, moved);
        }
    }
}
