package topspin.node.ingest;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.SignatureEngine;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.LooseDecoder;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionDecoder;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.RoundState;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Rules;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.rules.WellFormed;
import topspin.net.Gossip;
import topspin.net.Inbox;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Verdict;
import topspin.node.pool.TransactionPool;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The door: steps 3 to 8 of a transaction's journey. {@link #offer} and {@link #submit} may be
 * called from any thread and do not block; all else happens on the ingest thread, which owns the
 * duplicate filter, and on the verify workers.
 */
public final class Ingest implements Inbox, AutoCloseable {
    /**
     * How long a batch that is not full waits for company. Signatures verified together cost a
     * fraction of single ones, and two milliseconds are nothing beside a round; when no worker has
     * work the wait is as short.
     */
    private static final long LINGER_NANOS = 2_000_000;

    private static final long IDLE_NANOS = 1_000_000_000;

    /** How long a submitter of an instant network waits for its block to come from elsewhere. */
    private static final long BLOCK_SECONDS_MAX = 5;

    /** Groups that are sent again in one round at most. */
    private static final int RESENDS_MAX = 512;

    private final Supplier<? extends RoundState> latest;
    private final ConsensusVersions versions;
    private final TransactionPool pool;
    private final Answers answers;
    private final Consumer<Throwable> fault;
    private final IngestCounters counters = new IngestCounters();
    private final IngestRing<Candidate> ring;
    private final DuplicateFilter filter;
    private final FirstSeen firstSeen;
    private final TransactionTrace trace;
    private final TransactionDecoder decoder = new TransactionDecoder();
    private final VerifyWorkers workers;
    private final Thread thread;
    private volatile @Nullable Gossip gossip;
    private volatile boolean open = true;
    private volatile @Nullable RulesAt rules;

    // The pool thread's.
    private long resendRound;
    private int resends;

    /** Decoders are not for several threads; REST's loops each have one. */
    private static final ThreadLocal<LooseDecoder> LOOSE =
            ThreadLocal.withInitial(LooseDecoder::new);

    /** The rules in force after a round. */
    private record RulesAt(RoundState state, @Nullable Rules rules) {}

    /** When local submissions are answered, and whether each wants a block of its own. */
    public enum Answers {
        /** When the pool has taken them. */
        WHEN_POOLED,
        /** When their block is here, which this node makes for each. */
        WITH_BLOCK_MADE_HERE,
        /** When their block is here, made elsewhere. */
        WITH_BLOCK_MADE_ELSEWHERE
    }

    /**
     * A closed door; {@link #start} opens it.
     *
     * @param latest the state of the latest round
     * @param versions protocol versions that this node knows
     * @param cache where verified groups are remembered for their block
     * @param engine does the arithmetic of signatures
     * @param clock for first-seen times
     * @param random for the filter's salt; unpredictable outside of tests
     * @param fault told when a thread dies of an error of ours
     */
    public Ingest(
            IngestConfig config,
            Supplier<? extends RoundState> latest,
            ConsensusVersions versions,
            TransactionPool pool,
            VerifiedCache cache,
            SignatureEngine engine,
            Answers answers,
            InstantSource clock,
            RandomGenerator random,
            Consumer<Throwable> fault) {
        this.latest = latest;
        this.versions = versions;
        this.pool = pool;
        this.answers = answers;
        this.fault = fault;
        this.ring = new IngestRing<>(config.ringGroups(), config.ringBytes());
        this.filter = new DuplicateFilter(config.filterGroups(), random);
        this.firstSeen = new FirstSeen(clock);
        this.trace = new TransactionTrace(System::nanoTime, clock);
        this.workers =
                new VerifyWorkers(
                        config.workers(), this::rules, cache, engine, pool, counters, fault);
        this.thread = Thread.ofPlatform().name("ingest").unstarted(this::run);
    }

    /** Opens the door; what is submitted here goes out through {@code gossip}. */
    public void start(Gossip network) {
        gossip = network;
        workers.start();
        thread.start();
    }

    /** A peer's message: copied once, then settled later, or refused at once. */
    @Override
    public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
        if (tag != Tag.TRANSACTION) {
            return Verdict.IGNORE;
        }
        counters.fromPeer();
        byte[] bytes = new byte[body.readableBytes()];
        body.readBytes(bytes);
        if (open && ring.offer(new Candidate.FromPeer(this, peer, bytes, trace.now()))) {
            return Verdict.PENDING;
        }
        counters.drop(Drop.RING_FULL);
        return Verdict.IGNORE;
    }

    /**
     * A submission in any form that REST takes; completed when the pool, or the block, has
     * answered.
     */
    public CompletableFuture<Submission> submit(byte[] body) {
        return submit(body, true);
    }

    /** As {@link #submit(byte[])}, but answered as soon as the body has been read. */
    public Submission submitAsync(byte[] body) {
        CompletableFuture<Submission> answer = submit(body, false);
        return answer.getNow(new Submission.Busy());
    }

    private CompletableFuture<Submission> submit(byte[] body, boolean awaited) {
        long receivedNanos = trace.now();
        TransactionGroup group;
        try {
            group = LOOSE.get().decodeGroup(body);
        } catch (MalformedMessage malformed) {
            counters.drop(Drop.MALFORMED);
            return CompletableFuture.completedFuture(new Submission.Refused(malformed.reason()));
        }
        counters.submitted();
        trace.submitted(group, receivedNanos);
        var candidate = new Candidate.Local(this, group, awaited, receivedNanos);
        if (!open || !ring.offer(candidate)) {
            counters.drop(Drop.RING_FULL);
            trace.dropped(group, Drop.RING_FULL, null, "");
            return CompletableFuture.completedFuture(new Submission.Busy());
        }
        var accepted = new Submission.Accepted(group.first().id());
        if (!awaited) {
            return CompletableFuture.completedFuture(accepted);
        }
        return answers == Answers.WITH_BLOCK_MADE_ELSEWHERE
                ? candidate
                        .answer()
                        .completeOnTimeout(accepted, BLOCK_SECONDS_MAX, TimeUnit.SECONDS)
                : candidate.answer();
    }

    public IngestCounters counters() {
        return counters;
    }

    /** When this node first met some of the transactions. */
    public FirstSeen firstSeen() {
        return firstSeen;
    }

    /** What became of the transactions that this node met lately. */
    public TransactionTrace trace() {
        return trace;
    }

    /** Groups that wait for the ingest thread. */
    public int waiting() {
        return ring.size();
    }

    /** Closes the door and ends its threads; who still waits is told that there is no room. */
    @Override
    public void close() {
        open = false;
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException waitOn) {
                interrupted = true;
            }
        }
        workers.close();
        for (Candidate rest = ring.poll(); rest != null; rest = ring.poll()) {
            counters.drop(Drop.STOPPING);
            rest.drop(Drop.STOPPING, Refusal.Kind.FOR_NOW, "the node stops");
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    boolean sealsEach() {
        return answers == Answers.WITH_BLOCK_MADE_HERE;
    }

    boolean answersWithBlock() {
        return answers != Answers.WHEN_POOLED;
    }

    /** Lets a message come again. */
    void forget(long key) {
        filter.forget(key);
    }

    /** Tells all peers of a group submitted here. */
    void broadcast(TransactionGroup group) {
        Gossip network = gossip;
        if (network != null) {
            network.broadcast(Tag.TRANSACTION, group.bytes(), group.offset(), group.signedLength());
        }
    }

    /** Tells all peers again, within a bound for each round; the pool thread only. */
    void resend(TransactionGroup group, long round) {
        if (round != resendRound) {
            resendRound = round;
            resends = 0;
        }
        if (resends < RESENDS_MAX) {
            resends++;
            counters.resent();
            Gossip network = gossip;
            if (network != null) {
                network.resend(group.bytes(), group.offset(), group.signedLength());
            }
        }
    }

    // The ingest thread.

    private void run() {
        List<Candidate> batch = new ArrayList<>(VerifyWorkers.BATCH_GROUPS);
        long oldest = 0;
        try {
            while (open) {
                Candidate next = ring.poll();
                if (next != null && pass(next)) {
                    oldest = batch.isEmpty() ? System.nanoTime() : oldest;
                    batch.add(next);
                }
                boolean full = batch.size() == VerifyWorkers.BATCH_GROUPS;
                long left =
                        batch.isEmpty() ? IDLE_NANOS : oldest + LINGER_NANOS - System.nanoTime();
                if (full || (!batch.isEmpty() && next == null && left <= 0)) {
                    workers.submit(batch);
                    batch = new ArrayList<>(VerifyWorkers.BATCH_GROUPS);
                } else if (next == null) {
                    ring.await(left);
                }
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error ours) {
            fault.accept(ours);
        }
    }

    /** Steps 4 to 7; false if the candidate ended here. */
    private boolean pass(Candidate candidate) {
        switch (candidate) {
            case Candidate.FromPeer message -> {
                byte[] bytes = message.bytes();
                long key = filter.key(bytes, 0, bytes.length);
                if (!filter.add(key)) {
                    return drop(message, Drop.DUPLICATE, Refusal.Kind.FOR_NOW, "");
                }
                message.remember(key);
                try {
                    message.decoded(decoder.decodeGroup(bytes, 0, bytes.length));
                } catch (MalformedMessage malformed) {
                    return drop(message, Drop.MALFORMED, Refusal.Kind.FOREVER, "");
                }
                trace.decoded(
                        message.group(), trace.source(message.peer()), message.receivedNanos());
                if (isKnown(message.group())) {
                    trace.dropped(message.group(), Drop.KNOWN, null, "");
                    return drop(message, Drop.KNOWN, Refusal.Kind.FOR_NOW, "");
                }
            }
            // What is known is for the pool to say, in the words that clients wait for.
            case Candidate.Local submitted -> {}
        }
        for (SignedTransaction member : candidate.group()) {
            firstSeen.note(member.id());
        }
        Rules now = rules();
        Refusal refusal = now == null ? null : WellFormed.check(candidate.group(), now);
        if (refusal != null) {
            refuse(candidate, refusal, counters);
            return false;
        }
        return true;
    }

    private boolean isKnown(TransactionGroup group) {
        RoundState state = latest.get();
        for (SignedTransaction member : group) {
            if (pool.contains(member.id())
                    || state.isCommitted(member.id(), member.txn().lastValid())) {
                return true;
            }
        }
        return false;
    }

    /** The rules of the next round, as the latest header has them. */
    private @Nullable Rules rules() {
        RoundState state = latest.get();
        RulesAt known = rules;
        if (known == null || known.state != state) {
            known = new RulesAt(state, Rules.of(state.header(), versions));
            rules = known;
        }
        return known.rules;
    }

    private boolean drop(Candidate candidate, Drop reason, Refusal.Kind kind, String text) {
        counters.drop(reason);
        candidate.drop(reason, kind, text);
        return false;
    }

    /** Ends a candidate that broke a rule. */
    static void refuse(Candidate candidate, Refusal refusal, IngestCounters counters) {
        Drop reason =
                switch (refusal.kind()) {
                    case FOREVER -> Drop.INVALID;
                    case FOR_NOW -> Drop.UNTIMELY;
                    case BEYOND_US -> Drop.BEYOND_US;
                };
        counters.drop(reason);
        String text = refusal.text();
        candidate.ingest().trace().dropped(candidate.group(), reason, refusal.reason(), text);
        candidate.drop(reason, refusal.kind(), text);
    }
}
