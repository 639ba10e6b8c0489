package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;
import topspin.codec.vote.Vote;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Agreement on a thread of its own: an {@link AgreementLoop} with bounded queues before it and
 * workers beside it (agreement.md 8.1, 8.2). Any thread may call.
 *
 * <pre>
 *   what was verified ─► deadlines ─► ledger ─► bundles, votes, payloads   (in this order, one at a time)
 * </pre>
 *
 * A full queue loses its oldest message, which is the one most likely to be stale. While as many
 * verifications are under way as may be, the queues wait.
 */
public final class AgreementService implements AutoCloseable, Journal.Listener {
    /**
     * Bounds.
     *
     * @param votes that wait to be looked at
     * @param payloads likewise; each may take 5 MB
     * @param bundles likewise
     * @param verifyingVotes that are being verified
     * @param verifyingBundles likewise
     */
    public record Bounds(
            int votes, int payloads, int bundles, int verifyingVotes, int verifyingBundles) {
        public static final Bounds DEFAULT = new Bounds(4_096, 16, 16, 256, 8);

        public Bounds {
            if (votes < 1
                    || payloads < 1
                    || bundles < 1
                    || verifyingVotes < 1
                    || verifyingBundles < 1) {
                throw new IllegalArgumentException("bounds are positive");
            }
        }
    }

    /** Judges payloads, one at a time, in the order of the requests. */
    public interface PayloadVerifier {
        /** Answers once, on any thread. */
        void verify(Payload payload, long round, Consumer<Outcome<Payload>> answer);
    }

    /**
     * Everything outside.
     *
     * @param blocks may ask the service to take what it made
     * @param journal tells the service what it wrote
     * @param workers verify votes and bundles
     * @param fault told when agreement cannot go on; it has stopped then
     */
    public record Surroundings(
            Clock clock,
            LongSupplier entropy,
            Chain chain,
            Outbox outbox,
            Voters voters,
            Function<AgreementService, BlockSource> blocks,
            Function<AgreementService, Journal> journal,
            CredentialVerifier credentials,
            PayloadVerifier payloads,
            Executor workers,
            Consumer<Throwable> fault) {}

    /** A verification under way. The loop's thread may give it up. */
    private static final class Request {
        final long round;
        final long period;
        final boolean outlivesPeriods;
        volatile boolean isCancelled;

        Request(long round, long period, boolean outlivesPeriods) {
            this.round = round;
            this.period = period;
            this.outlivesPeriods = outlivesPeriods;
        }
    }

    private final Bounds bounds;
    private final Surroundings outside;
    private final AgreementLoop loop;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Deque<Runnable> results = new ArrayDeque<>();
    private final Deque<Runnable> votes = new ArrayDeque<>();
    private final Deque<Runnable> payloads = new ArrayDeque<>();
    private final Deque<Runnable> bundles = new ArrayDeque<>();
    private boolean roundReached;
    private boolean open = true;
    private final AtomicLong overflows = new AtomicLong();

    // The loop's thread alone.
    private final List<Request> underWay = new ArrayList<>();
    private int verifyingVotes;
    private int verifyingBundles;
    private @Nullable Request verifyingPayload;

    private volatile long round;
    private volatile long period;
    private volatile long step;

    /** A service at rest; {@link #start} sets it going. */
    public AgreementService(
            Bounds bounds,
            Surroundings outside,
            Timing timing,
            Function<String, @Nullable AgreementRules> versions) {
        this.bounds = bounds;
        this.outside = outside;
        this.loop =
                new AgreementLoop(
                        new AgreementLoop.Ports(
                                outside.clock,
                                outside.entropy,
                                outside.chain,
                                outside.outbox,
                                new Workers(),
                                outside.voters,
                                outside.blocks.apply(this),
                                outside.journal.apply(this)),
                        timing,
                        versions);
        this.thread = Thread.ofPlatform().name("agreement").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** The round that is being agreed on. */
    public long round() {
        return round;
    }

    /** The period of it. */
    public long period() {
        return period;
    }

    /** The step that is being waited for. */
    public long step() {
        return step;
    }

    /** What the state machine has counted. */
    public AgreementLoop counted() {
        return loop;
    }

    /** Messages lost because a queue was full. */
    public long overflows() {
        return overflows.get();
    }

    // What comes in.

    /** A vote arrived. */
    public void offer(Vote vote, Source source) {
        offer(votes, bounds.votes, () -> loop.onVote(vote, source));
    }

    /** A payload arrived, perhaps with a vote for it. */
    public void offer(Payload payload, @Nullable Vote vote, Source source) {
        offer(payloads, bounds.payloads, () -> loop.onPayload(payload, vote, source));
    }

    /** A bundle arrived. */
    public void offer(Bundle bundle, Source source) {
        offer(bundles, bounds.bundles, () -> loop.onBundle(bundle, source));
    }

    private void offer(Deque<Runnable> queue, int bound, Runnable message) {
        lock.lock();
        try {
            if (queue.size() >= bound) {
                queue.remove();
                overflows.incrementAndGet();
            }
            queue.add(message);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** A peer has come. There are no more of them than the network allows. */
    public void onPeer(Source peer) {
        post(() -> loop.onPeer(peer));
    }

    /** Blocks of our own are made. */
    public void onAssembled(List<AgreementLoop.Proposal> proposals) {
        post(() -> loop.onAssembled(proposals));
    }

    /** The ledger holds another round durably. */
    public void onRound() {
        lock.lock();
        try {
            roundReached = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onWritten(long number, @Nullable String fault) {
        post(() -> loop.onWritten(number, fault));
    }

    /** An answer to something that the loop asked for: there are no more than it asked for. */
    private void post(Runnable result) {
        lock.lock();
        try {
            results.add(result);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    // The thread.

    private void run() {
        try {
            loop.start();
            for (Runnable next = take(); next != null; next = take()) {
                next.run();
                round = loop.player().round();
                period = loop.player().period();
                step = loop.player().step();
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error broken) {
            outside.fault.accept(broken);
        }
    }

    /** What to do next, or null when closed. */
    private @Nullable Runnable take() throws InterruptedException {
        lock.lock();
        try {
            while (open) {
                Runnable result = results.poll();
                if (result != null) {
                    return result;
                }
                long due = loop.nextDeadline();
                long wait = due == Long.MAX_VALUE ? due : due - outside.clock.nanos();
                if (wait <= 0) {
                    return loop::onTime;
                } else if (roundReached) {
                    roundReached = false;
                    return loop::onRound;
                }
                Runnable message = message();
                if (message != null) {
                    return message;
                }
                long unused = arrived.awaitNanos(wait);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Runnable message() {
        if (verifyingBundles < bounds.verifyingBundles && !bundles.isEmpty()) {
            return bundles.remove();
        } else if (verifyingVotes >= bounds.verifyingVotes) {
            return null;
        } else if (!votes.isEmpty()) {
            return votes.remove();
        }
        return payloads.poll();
    }

    /** Verification, as the loop asks for it. */
    private final class Workers implements Verifications {
        @Override
        public void verify(Action.VerifyVote request) {
            var raw = request.vote().raw();
            Request ticket = begin(new Request(raw.round(), raw.period(), false));
            verifyingVotes++;
            execute(
                    ticket,
                    () -> outside.credentials.verify(request.vote()),
                    outcome -> {
                        verifyingVotes--;
                        loop.onVerified(request, outcome);
                    });
        }

        @Override
        public void verify(Action.VerifyBundle request) {
            Bundle bundle = request.bundle();
            boolean certifies = bundle.step() == Step.CERT;
            Request ticket = begin(new Request(bundle.round(), bundle.period(), certifies));
            verifyingBundles++;
            execute(
                    ticket,
                    () -> outside.credentials.verify(bundle),
                    outcome -> {
                        verifyingBundles--;
                        loop.onVerified(request, outcome);
                    });
        }

        @Override
        public void verify(Action.VerifyPayload request) {
            Request ticket =
                    begin(new Request(request.round(), request.period(), request.pinned()));
            Request before = verifyingPayload;
            if (before != null
                    && before.round == ticket.round
                    && before.period == ticket.period
                    && before.outlivesPeriods == ticket.outlivesPeriods) {
                before.isCancelled = true; // Only the latest of a kind is wanted.
            }
            verifyingPayload = ticket;
            outside.payloads.verify(
                    request.payload(),
                    request.round(),
                    outcome -> end(ticket, outcome, answer -> loop.onVerified(request, answer)));
        }

        /** Gives up what a new request makes stale (agreement.md 8.2). */
        private Request begin(Request next) {
            for (Request other : underWay) {
                boolean isOldRound = other.round <= next.round - 2;
                boolean isOldPeriod =
                        other.round == next.round
                                && !next.outlivesPeriods
                                && !other.outlivesPeriods
                                && other.period <= next.period - 3;
                if (isOldRound || isOldPeriod) {
                    other.isCancelled = true;
                }
            }
            underWay.add(next);
            return next;
        }

        private <T> void execute(
                Request ticket, Supplier<Outcome<T>> work, Consumer<Outcome<T>> answer) {
            try {
                outside.workers.execute(() -> end(ticket, attempt(ticket, work), answer));
            } catch (RejectedExecutionException closing) {
                end(ticket, new Outcome.Cancelled<>(), answer);
            }
        }

        private <T> Outcome<T> attempt(Request ticket, Supplier<Outcome<T>> work) {
            if (ticket.isCancelled) {
                return new Outcome.Cancelled<>();
            }
            try {
                return work.get();
            } catch (RuntimeException | Error broken) { // The disk's fault, or ours.
                outside.fault.accept(broken);
                return new Outcome.Cancelled<>();
            }
        }

        private <T> void end(Request ticket, Outcome<T> outcome, Consumer<Outcome<T>> answer) {
            post(
                    () -> {
                        underWay.remove(ticket);
                        answer.accept(ticket.isCancelled ? new Outcome.Cancelled<>() : outcome);
                    });
        }
    }

    /** Stops the thread; what waits is dropped. */
    @Override
    public void close() {
        lock.lock();
        try {
            open = false;
            arrived.signal();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (thread.isAlive() && Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException waitOn) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
