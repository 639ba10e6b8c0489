package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.node.ingest.Ingest;
import topspin.node.ingest.Submission;
import topspin.node.ingest.TransactionTrace.Step;
import topspin.node.ingest.TransactionTrace.Story;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Brings groups that waited when a snapshot was taken back into the pool; makes no block. */
final class PoolRefill {
    private static final long PEERS_NANOS_MAX = 10_000_000_000L;
    private static final long POOLED_NANOS_MAX = 60_000_000_000L;
    private static final long POLL_NANOS = 1_000_000;

    private final Ingest ingest;
    private final LongSupplier nanoTime;

    PoolRefill(Ingest ingest, LongSupplier nanoTime) {
        this.ingest = ingest;
        this.nanoTime = nanoTime;
    }

    /** Waits for those a transaction is passed on to, ten seconds at most. */
    void awaitPeers(IntSupplier peers, int wanted) {
        long end = nanoTime.getAsLong() + PEERS_NANOS_MAX;
        while (peers.getAsInt() < wanted && end - nanoTime.getAsLong() > 0) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /**
     * Returns when each group waits again, is in a block or was refused, after a minute at most.
     *
     * @param groups each as it is submitted
     * @return how many are in the pool again or in a block
     */
    int fill(List<byte[]> groups) {
        long end = nanoTime.getAsLong() + POOLED_NANOS_MAX;
        List<Digest> submitted = new ArrayList<>();
        for (byte[] group : groups) {
            Submission answer = ingest.submitAsync(group);
            while (answer instanceof Submission.Busy && end - nanoTime.getAsLong() > 0) {
                LockSupport.parkNanos(POLL_NANOS);
                answer = ingest.submitAsync(group);
            }
            if (answer instanceof Submission.Accepted(Digest first)) {
                submitted.add(first);
            }
        }
        int taken = 0;
        for (Digest first : submitted) {
            Story story = ingest.trace().story(first);
            while (!isSettled(story) && end - nanoTime.getAsLong() > 0) {
                LockSupport.parkNanos(POLL_NANOS);
                story = ingest.trace().story(first);
            }
            taken += story != null && story.end() == null ? 1 : 0;
        }
        return taken;
    }

    private static boolean isSettled(@Nullable Story story) {
        return story != null
                && (story.end() != null
                        || story.moments().stream()
                                .anyMatch(moment -> moment.step() == Step.POOLED));
    }
}
