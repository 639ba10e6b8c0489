package topspin.node.ingest;

import org.jspecify.annotations.Nullable;

import topspin.codec.txn.TransactionGroup;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Verdict;
import topspin.node.pool.PoolRefusal;
import topspin.node.pool.PoolSink;

import java.util.concurrent.CompletableFuture;

/**
 * A group on its way in, from whomever; it knows whom to answer and does so once. Handed from
 * thread to thread with the queues, so its fields need no guard.
 */
abstract sealed class Candidate implements PoolSink, IngestRing.Sized {
    /** A submission is sent again after so many rounds without it. */
    private static final int RESEND_ROUNDS = 4;

    private final Ingest ingest;

    private final long receivedNanos;

    Candidate(Ingest ingest, long receivedNanos) {
        this.ingest = ingest;
        this.receivedNanos = receivedNanos;
    }

    /** When it came, by the trace's clock. */
    long receivedNanos() {
        return receivedNanos;
    }

    Ingest ingest() {
        return ingest;
    }

    /** The group; only after it was decoded. */
    abstract TransactionGroup group();

    /** Whether nothing may come into its block after it. */
    abstract boolean wantsBlock();

    /** It ends here, before the pool saw it; counted by the caller. */
    abstract void drop(Drop reason, Refusal.Kind kind, String text);

    @Override
    public final void refused(PoolRefusal refusal) {
        ingest.counters().drop(Drop.POOL);
        Reason reason =
                refusal instanceof PoolRefusal.Inapplicable(Refusal inner) ? inner.reason() : null;
        ingest.trace().dropped(group(), Drop.POOL, reason, refusal.text());
        drop(Drop.POOL, refusal.kind(), refusal.text());
    }

    /** Came from a peer, who is owed a verdict. */
    static final class FromPeer extends Candidate {
        private final Peer peer;
        private final byte[] bytes;
        private long key;
        private @Nullable TransactionGroup group;

        FromPeer(Ingest ingest, Peer peer, byte[] bytes, long receivedNanos) {
            super(ingest, receivedNanos);
            this.peer = peer;
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes;
        }

        Peer peer() {
            return peer;
        }

        /** Its key in the duplicate filter, as the ingest thread computed it. */
        void remember(long filterKey) {
            key = filterKey;
        }

        void decoded(TransactionGroup decoded) {
            group = decoded;
        }

        @Override
        public int length() {
            return bytes.length;
        }

        @Override
        TransactionGroup group() {
            if (group == null) {
                throw new IllegalStateException("not decoded yet");
            }
            return group;
        }

        @Override
        boolean wantsBlock() {
            return ingest().sealsEach();
        }

        /**
         * A duplicate stays known, and so does what can never be right; all else may come again.
         */
        @Override
        void drop(Drop reason, Refusal.Kind kind, String text) {
            boolean forEver = kind == Refusal.Kind.FOREVER && reason != Drop.DUPLICATE;
            if (!forEver && reason != Drop.DUPLICATE) {
                ingest().forget(key);
            }
            settle(forEver ? Verdict.REJECT : Verdict.IGNORE);
        }

        @Override
        public void accepted() {
            ingest().counters().accepted();
            ingest().trace().pooled(group());
            settle(Verdict.ACCEPT);
            ingest().trace().relayed(group());
        }

        @Override
        public void committed(long round) {
            // Its peer was answered at acceptance.
        }

        @Override
        public void passedOver(long round) {
            // Whoever submitted it sees to it.
        }

        @Override
        public void evicted(Refusal refusal) {
            ingest().trace().evicted(group(), refusal.reason(), refusal.text());
            ingest().forget(key);
        }

        private void settle(Verdict verdict) {
            peer.settle(Tag.TRANSACTION, bytes, 0, bytes.length, verdict);
        }
    }

    /** Submitted here; somebody may wait for the answer. */
    static final class Local extends Candidate {
        private final TransactionGroup group;
        private final boolean awaited;
        private int roundsWaited;
        private final CompletableFuture<Submission> answer = new CompletableFuture<>();

        /**
         * @param awaited whether somebody waits for more than that it was read
         */
        Local(Ingest ingest, TransactionGroup group, boolean awaited, long receivedNanos) {
            super(ingest, receivedNanos);
            this.group = group;
            this.awaited = awaited;
        }

        CompletableFuture<Submission> answer() {
            return answer;
        }

        @Override
        public int length() {
            return group.signedLength();
        }

        @Override
        TransactionGroup group() {
            return group;
        }

        @Override
        boolean wantsBlock() {
            return awaited && ingest().sealsEach();
        }

        @Override
        void drop(Drop reason, Refusal.Kind kind, String text) {
            answer.complete(
                    switch (reason) {
                        case RING_FULL, STOPPING -> new Submission.Busy();
                        default -> new Submission.Refused(text);
                    });
        }

        @Override
        public void accepted() {
            ingest().counters().accepted();
            ingest().trace().pooled(group);
            ingest().broadcast(group);
            ingest().trace().relayed(group);
            if (!ingest().answersWithBlock()) {
                answer.complete(new Submission.Accepted(group.first().id()));
            }
        }

        /**
         * Who makes the blocks may have been away when it was sent: it is sent again now and then.
         */
        @Override
        public void passedOver(long round) {
            if (++roundsWaited % RESEND_ROUNDS == 0) {
                ingest().resend(group, round);
            }
        }

        @Override
        public void committed(long round) {
            answer.complete(new Submission.Accepted(group.first().id()));
        }

        @Override
        public void evicted(Refusal refusal) {
            ingest().trace().evicted(group, refusal.reason(), refusal.text());
            answer.complete(new Submission.Refused(refusal.text()));
        }
    }
}
