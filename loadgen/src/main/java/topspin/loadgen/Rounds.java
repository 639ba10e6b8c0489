package topspin.loadgen;

import topspin.loadgen.client.Body;
import topspin.loadgen.client.NodeClient;
import topspin.loadgen.client.Reply;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

/**
 * Follows each node from round to round and says when each round became durable at each: the moment
 * the reply to {@code wait-for-block-after} arrived. One virtual thread a node; no round is
 * skipped.
 */
final class Rounds implements AutoCloseable {
    /** Told of each round at each node, in order for each node; on the node's own thread. */
    interface Listener {
        void reached(int node, long round, long atNanos);
    }

    private static final Duration WAIT_MAX = Duration.ofSeconds(75); // The node answers within 60.
    private static final long RETRY_MILLIS = 200;

    /** Rounds over which the pace is taken. */
    private static final int PACE_ROUNDS = 8;

    private static final double NANOS_PER_SECOND = 1e9;

    private final List<NodeClient> nodes;
    private final long[] last;
    private final long[] newest = new long[PACE_ROUNDS]; // When the last rounds were first seen.
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private long highest;
    private int newestCount;
    private volatile boolean closed;

    Rounds(List<NodeClient> nodes, long lastRound) {
        this.nodes = nodes;
        this.last = new long[nodes.size()];
        java.util.Arrays.fill(last, lastRound);
        this.highest = lastRound;
    }

    void start() {
        for (int node = 0; node < nodes.size(); node++) {
            int index = node;
            String name = "rounds-" + nodes.get(node).name();
            threads.add(Thread.ofVirtual().name(name).start(() -> follow(index)));
        }
    }

    void addListener(Listener listener) {
        listeners.add(listener);
    }

    void removeListener(Listener listener) {
        listeners.remove(listener);
    }

    /** The highest round that any node has. */
    synchronized long highest() {
        return highest;
    }

    /** The highest round that every node has. */
    synchronized long lowest() {
        long lowest = Long.MAX_VALUE;
        for (long round : last) {
            lowest = Math.min(lowest, round);
        }
        return lowest;
    }

    /** Seconds a round takes, over the last few; {@code fallback} while too few were seen. */
    synchronized double secondsPerRound(double fallback) {
        int known = Math.min(newestCount, PACE_ROUNDS);
        if (known < 3) {
            return fallback;
        }
        long latest = newest[(newestCount - 1) % PACE_ROUNDS];
        long earliest = newest[(newestCount - known) % PACE_ROUNDS];
        return (latest - earliest) / NANOS_PER_SECOND / (known - 1);
    }

    /** Waits until every node has the round, at most so long; whether it came to be. */
    synchronized boolean await(long round, Duration timeMax) throws InterruptedException {
        long deadline = System.nanoTime() + timeMax.toNanos();
        while (lowest() < round) {
            long millis = (deadline - System.nanoTime()) / 1_000_000;
            if (millis <= 0 || closed) {
                return false;
            }
            wait(millis);
        }
        return true;
    }

    private void follow(int node) {
        NodeClient client = nodes.get(node);
        var body = new Body(1024);
        while (!closed) {
            try {
                String path = "/v2/status/wait-for-block-after/" + last[node];
                Reply reply = client.get(path, body, WAIT_MAX).get();
                long round = reply.ok() ? reply.json().path("last-round").asLong() : 0;
                long before = last[node];
                for (long reached = before + 1; reached <= round; reached++) {
                    note(node, reached, reply.atNanos());
                    for (Listener listener : listeners) {
                        listener.reached(node, reached, reply.atNanos());
                    }
                }
                if (!reply.ok()) {
                    pause();
                }
            } catch (ExecutionException | IOException e) {
                pause();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** A node that does not answer is asked again, in a moment: it may be starting. */
    private synchronized void pause() {
        try {
            if (!closed) {
                wait(RETRY_MILLIS);
            }
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    private synchronized void note(int node, long round, long atNanos) {
        last[node] = round;
        if (round > highest) {
            highest = round;
            newest[newestCount++ % PACE_ROUNDS] = atNanos;
        }
        notifyAll();
    }

    @Override
    public void close() {
        closed = true;
        threads.forEach(Thread::interrupt);
    }
}
