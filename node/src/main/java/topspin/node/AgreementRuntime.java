package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.params.ConsensusParams;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalMessage;
import topspin.codec.vote.Vote;
import topspin.ledger.Ledger;
import topspin.ledger.rules.GroupVerifier;
import topspin.net.Gossip;
import topspin.net.Peer;
import topspin.node.agreement.AgreementLoop;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.AgreementService;
import topspin.node.agreement.Chain;
import topspin.node.agreement.Clock;
import topspin.node.agreement.CredentialVerifier;
import topspin.node.agreement.KeyRing;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Payload;
import topspin.node.agreement.Source;
import topspin.node.agreement.Timing;
import topspin.node.catchup.MissedRounds;
import topspin.node.keys.KeyStore;
import topspin.node.pool.Assembly;
import topspin.node.pool.TransactionPool;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * This node's part in agreement: the service, and what joins it to ledger, pool, peers and keys.
 *
 * <pre>
 *                 peers ─► AgreementInbox ─► AgreementService ─► GossipOutbox ─► peers
 *   pool, keys ─► blocks: assemble, verify, add ─┘   │  └─ journal: durable before it leaves
 *                     ▲                              ▼
 *                     └──────────── MissedRounds ◄─ a certificate without its block
 * </pre>
 *
 * <p>The thread {@code blocks} makes, judges and adds blocks one after the other and is the
 * ledger's one writer.
 */
final class AgreementRuntime implements AutoCloseable {
    /** How long the pool may still evaluate for a proposal (agreement.md 1.3), at most. */
    private static final long ASSEMBLY_NANOS_MAX = 500_000_000;

    /** Of the time in which proposals count, the part that passes before there is one. */
    private static final long ASSEMBLY_PART = 3;

    /** Of that time, the part in which the pool may still evaluate. */
    private static final long EVALUATION_PART = 4;

    /** Proposals that wait to be packed for peers; the oldest gives way. */
    private static final int PACKING_MAX = 16;

    private final Ledger ledger;
    private final TransactionPool pool;
    private final Gossip gossip;
    private final AgreementInbox inbox;
    private final InstantSource clock;
    private final Consumer<Throwable> fault;

    private final ExecutorService blocks = single("blocks");
    private final ExecutorService journal = single("journal");
    private final ExecutorService keeper = single("keys");
    private final ExecutorService packer =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(PACKING_MAX),
                    Thread.ofPlatform().name("pack").daemon().factory(),
                    new ThreadPoolExecutor.DiscardOldestPolicy());
    private final ExecutorService workers =
            Executors.newFixedThreadPool(
                    Runtime.getRuntime().availableProcessors(),
                    Thread.ofPlatform().name("verify-vote-", 0).daemon().factory());

    private final LedgerRounds rounds;
    private final BlockProposals proposals;
    private final VotingKeys keys;
    private final AgreementPeers peers;
    private final MissedRounds missed;
    private final AgreementService service;

    /**
     * At rest; {@link #start} sets it going.
     *
     * @param signatures for blocks, this object's alone
     * @param clock tells timestamps and, across restarts, how far a period is
     * @param fault told when agreement cannot go on
     */
    AgreementRuntime(
            Ledger ledger,
            TransactionPool pool,
            KeyStore store,
            GroupVerifier signatures,
            Gossip gossip,
            AgreementInbox inbox,
            InstantSource clock,
            SecureRandom random,
            Consumer<Throwable> fault) {
        this.ledger = ledger;
        this.pool = pool;
        this.gossip = gossip;
        this.inbox = inbox;
        this.clock = clock;
        this.fault = fault;
        Timing timing = Timing.DEFAULT;
        var stake = new LedgerStake(ledger::view, ledger.versions(), timing);
        this.rounds = new LedgerRounds(ledger, timing);
        this.proposals = new BlockProposals(ledger, stake, signatures);
        this.keys =
                new VotingKeys(
                        store, stake, ledger.view().round(), random, task -> on(keeper, task));
        this.peers = new AgreementPeers(gossip::peers);
        this.missed =
                new MissedRounds(
                        gossip,
                        ledger,
                        new CertificateJudge(ledger),
                        this::take,
                        this::caughtUp,
                        System::nanoTime,
                        fault);
        this.service =
                new AgreementService(
                        AgreementService.Bounds.DEFAULT,
                        new AgreementService.Surroundings(
                                new SystemClock(clock),
                                random::nextLong,
                                new LedgerChain(),
                                new GossipOutbox(gossip, peers, packer),
                                keys.ring(),
                                itself -> this::assemble,
                                itself -> new LedgerJournal(ledger, journal, itself),
                                new CredentialVerifier(stake),
                                this::verify,
                                workers,
                                fault),
                        timing,
                        rounds::rules);
    }

    private static ExecutorService single(String name) {
        return Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).daemon().factory());
    }

    /** Takes what peers send; it waits for {@link #start}. Before the first peer comes. */
    void listen() {
        inbox.start(new FromPeers(), workers);
    }

    void start() {
        ledger.addListener((view, block, delta) -> keys.roundOver(view.round()));
        keys.start();
        service.start();
        missed.start();
    }

    AgreementInbox inbox() {
        return inbox;
    }

    AgreementService service() {
        return service;
    }

    /** Rounds that came from peers, with their certificates. */
    long roundsTaken() {
        return missed.taken.sum();
    }

    /** How many finished rounds peers speak of that are not here; 0 when in step. */
    long roundsBehind() {
        return missed.behind();
    }

    /** Has a task done on a thread; what goes wrong there stops the node. */
    private void on(ExecutorService thread, Runnable task) {
        try {
            thread.execute(
                    () -> {
                        try {
                            task.run();
                        } catch (RuntimeException | Error failed) {
                            fault.accept(failed);
                        }
                    });
        } catch (RejectedExecutionException closing) {
            return;
        }
    }

    // Blocks of our own.

    /**
     * Asks the pool for a block: in period 0 as late as it may be, so that it holds what came
     * meanwhile, later at once.
     */
    private void assemble(long round, long period) {
        on(
                blocks,
                () -> {
                    long left = assemblyNanos(round);
                    if (rounds.next() != round || !keys.ring().hasKeys(round)) {
                        return;
                    } else if (period != 0) {
                        ask(round, period, left);
                        return;
                    }
                    CompletableFuture.delayedExecutor(
                                    left - left / EVALUATION_PART, TimeUnit.NANOSECONDS)
                            .execute(() -> ask(round, period, left / EVALUATION_PART));
                });
    }

    private void ask(long round, long period, long nanos) {
        if (rounds.next() == round) {
            var unused =
                    pool.assemble(System.nanoTime() + nanos)
                            .thenAccept(
                                    assembly -> {
                                        assembly.release();
                                        on(blocks, () -> propose(assembly, round, period));
                                    });
        }
    }

    private long assemblyNanos(long round) {
        AgreementRules rules = rounds.rules(Math.max(0, round - 2));
        return rules == null
                ? ASSEMBLY_NANOS_MAX
                : Math.min(ASSEMBLY_NANOS_MAX, rules.filterTimeout(0) / ASSEMBLY_PART);
    }

    private void propose(Assembly assembly, long round, long period) {
        if (rounds.next() != round || assembly.base().round() != round - 1) {
            return; // The round was settled meanwhile.
        }
        long timestamp = timestamp(assembly.base().header());
        AgreementLoop.Proposal made =
                keys.ring()
                        .propose(
                                round,
                                period,
                                (account, seed, isEligible) ->
                                        proposals.make(
                                                maker -> assembly.propose(maker, timestamp),
                                                account,
                                                period,
                                                seed,
                                                isEligible,
                                                this::isOurs));
        if (made != null) {
            service.onAssembled(List.of(made));
        }
    }

    private boolean isOurs(Address account) {
        for (KeyRing.Keys next : keys.ring().keys()) {
            if (next.account().equals(account)) {
                return true;
            }
        }
        return false;
    }

    private long timestamp(BlockHeader previous) {
        ConsensusParams params = Objects.requireNonNull(ledger.versions().get(previous.protocol()));
        return params.nextTimestamp(clock.instant().getEpochSecond(), previous.timestamp());
    }

    // Blocks of others.

    private void verify(Payload payload, long round, Consumer<Outcome<Payload>> answer) {
        on(blocks, () -> answer.accept(proposals.verify(payload, round)));
    }

    private CompletableFuture<@Nullable String> take(Block block, byte[] certificate) {
        var answer = new CompletableFuture<@Nullable String>();
        on(
                blocks,
                () -> {
                    try {
                        answer.complete(proposals.add(block, certificate));
                    } catch (RuntimeException | Error failed) {
                        answer.completeExceptionally(failed);
                        throw failed;
                    }
                });
        return answer;
    }

    private void caughtUp() {
        service.onRound();
    }

    /** The ledger as agreement drives it. */
    private final class LedgerChain implements Chain {
        @Override
        public long nextRound() {
            return rounds.next();
        }

        @Override
        public @Nullable AgreementRules rules(long round) {
            return rounds.rules(round);
        }

        @Override
        public void ensure(Payload payload, Bundle certificate) {
            on(
                    blocks,
                    () -> {
                        proposals.add(payload, certificate);
                        if (rounds.next() <= payload.round()) {
                            missed.want(payload.round() - 1);
                        }
                    });
        }

        @Override
        public void fetch(Bundle certificate) {
            missed.want(certificate.round());
        }
    }

    /** What peers send, decoded. */
    private final class FromPeers implements AgreementInbox.Recipient {
        @Override
        public void vote(Vote vote, Source source) {
            missed.seen(vote.raw().round());
            service.offer(vote, source);
        }

        @Override
        public void proposal(ProposalMessage message, byte[] bytes, Source source) {
            missed.seen(message.proposal().block().round());
            service.offer(proposals.received(message, bytes), message.vote(), source);
        }

        @Override
        public void bundle(Bundle bundle, Source source) {
            missed.seen(bundle.round());
            service.offer(bundle, source);
        }

        @Override
        public void arrived(Source source) {
            service.onPeer(source);
        }

        @Override
        public Source source(Peer peer) {
            return peers.source(peer);
        }

        @Override
        public void reject(Peer peer) {
            gossip.reject(peer);
        }
    }

    /** The machine's time. */
    private record SystemClock(InstantSource wall) implements Clock {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallNanos() {
            Instant now = wall.instant();
            return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        }
    }

    /** Stops everything; a block that is being added is finished first. */
    @Override
    public void close() {
        missed.close();
        service.close();
        workers.shutdown();
        on(keeper, keys::end);
        for (ExecutorService thread : List.of(blocks, journal, packer, keeper)) {
            thread.shutdown();
            awaitEnd(thread);
        }
    }

    private static void awaitEnd(ExecutorService thread) {
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                ended = thread.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException waitOn) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
