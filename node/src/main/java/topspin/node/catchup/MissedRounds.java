package topspin.node.catchup;

import org.jspecify.annotations.Nullable;

import topspin.codec.block.Block;
import topspin.ledger.Ledger;
import topspin.net.Gossip;
import topspin.net.Peer;
import topspin.net.stream.BlockAnswer;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Brings a node that takes part in agreement the rounds that were agreed on without it: asks all
 * peers for the round after the latest, and goes on with the first that has it (agreement.md 10).
 * Each certificate is checked; a peer whose block does not hold is passed over.
 *
 * <p>Asks when the node starts, when a certificate names a block that is not here, when peers are
 * in a later round than the next and it does not come, and when nothing comes for long. Has a
 * thread of its own.
 */
public final class MissedRounds implements AutoCloseable {
    /** How long a round of which others are past may still come by itself. */
    static final long GRACE_NANOS = 500_000_000L;

    /** Without a round for so long, peers are asked whether there is one. */
    static final long STALL_NANOS = 17_000_000_000L;

    /** Between two attempts that brought nothing. */
    private static final long PAUSE_NANOS = 250_000_000L;

    /** How long peers that have nothing may be waited for, before who has come since is asked. */
    private static final long PATIENCE_NANOS = 1_000_000_000L;

    /** Peers asked at once. */
    private static final int PEERS_MAX = 16;

    private static final Logger LOG = System.getLogger(MissedRounds.class.getName());

    /** Makes a block durable. */
    public interface Taker {
        /**
         * Evaluates and adds a block whose certificate holds.
         *
         * @return what is wrong with it, or null when its round is there; fails when the ledger
         *     cannot go on
         */
        CompletableFuture<@Nullable String> take(Block block, byte[] certificate);
    }

    private final Gossip gossip;
    private final Ledger ledger;
    private final BlockJudge judge;
    private final Taker taker;
    private final Runnable caughtUp;
    private final LongSupplier nanoTime;
    private final Consumer<Throwable> fault;
    private final Thread thread = Thread.ofPlatform().name("missed-rounds").unstarted(this::run);

    /** Done when no more is to be done; every wait ends with it. */
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Done when there is a reason to look again. */
    private volatile CompletableFuture<Void> news = new CompletableFuture<>();

    /** A certificate of this round is here, and its block is not. */
    private volatile long wanted = -1;

    /** Peers are in this round. */
    private volatile long seen = -1;

    /** Rounds that came from peers. */
    public final LongAdder taken = new LongAdder();

    // The thread's alone.
    private final Map<Peer, Asked> asked = new HashMap<>();

    private record Asked(BlockServices services, CompletableFuture<BlockAnswer> answer) {}

    private record Offer(Peer peer, BlockServices services, BlockAnswer.Found found) {}

    /**
     * At rest; {@link #start} sets it going.
     *
     * @param certificates judges those of the round after the latest
     * @param taker adds blocks
     * @param caughtUp called when there are no more rounds to be had for the moment
     * @param nanoTime as {@link System#nanoTime}
     * @param fault told once why this node cannot go on: {@link CatchupFault}, a fault of the
     *     ledger's store, or an error of ours
     */
    public MissedRounds(
            Gossip gossip,
            Ledger ledger,
            CertificateCheck certificates,
            Taker taker,
            Runnable caughtUp,
            LongSupplier nanoTime,
            Consumer<Throwable> fault) {
        this.gossip = gossip;
        this.ledger = ledger;
        this.judge = new BlockJudge(ledger.genesis().devMode(), certificates);
        this.taker = taker;
        this.caughtUp = caughtUp;
        this.nanoTime = nanoTime;
        this.fault = fault;
    }

    public void start() {
        thread.start();
    }

    /** A certificate of a round is here, its block is not. Any thread. */
    public void want(long round) {
        wanted = round;
        news.complete(null);
    }

    /** A peer speaks of a round; it may be wrong. Any thread, often. */
    public void seen(long round) {
        if (round > seen && round > ledger.view().round() + 1) {
            seen = round;
            news.complete(null);
        }
    }

    /** How many rounds before the one that peers speak of are not here. Any thread. */
    public long behind() {
        return Math.max(0, seen - 1 - ledger.view().round());
    }

    private void run() {
        try {
            while (!closed.isDone()) {
                Offer offer = ask(ledger.view().round() + 1);
                if (offer != null) {
                    follow(offer);
                    caughtUp.run();
                } else {
                    awaitNeed();
                }
            }
        } catch (CancellationException done) {
            LOG.log(Level.DEBUG, "closed");
        } catch (CatchupFault | RuntimeException | Error end) {
            fault.accept(end);
        }
    }

    // When to ask.

    /** Waits until there is a reason to ask peers for the next round. */
    private void awaitNeed() {
        long round = ledger.view().round();
        long since = nanoTime.getAsLong();
        pause(PAUSE_NANOS); // However often peers make us look.
        seen = Math.min(seen, ledger.view().round() + 1); // What was said before proves nothing.
        while (true) {
            news = new CompletableFuture<>();
            long latest = ledger.view().round();
            long now = nanoTime.getAsLong();
            if (latest != round) {
                round = latest;
                since = now;
            }
            long due = since + STALL_NANOS;
            if (wanted > latest) {
                due = now;
            } else if (seen > latest + 1) {
                due = Math.min(due, now + GRACE_NANOS);
                pause(GRACE_NANOS);
                if (ledger.view().round() == latest) {
                    return;
                }
                continue;
            }
            if (due - now <= 0 || hasNewPeer()) {
                return;
            }
            await(news, Math.min(due - now, PATIENCE_NANOS));
        }
    }

    /** Who has just come may have what nobody had. */
    private boolean hasNewPeer() {
        return asked.size() < PEERS_MAX && !asked.keySet().containsAll(gossip.peers());
    }

    // Asking.

    /** Asks all peers for a round; null if none has it, or it came otherwise. */
    private @Nullable Offer ask(long round) {
        asked.clear();
        long end = nanoTime.getAsLong() + PATIENCE_NANOS;
        while (true) {
            for (Peer peer : gossip.peers()) {
                if (!asked.containsKey(peer) && asked.size() < PEERS_MAX) {
                    var services = new BlockServices(gossip, peer);
                    asked.put(peer, new Asked(services, services.apply(round)));
                }
            }
            Offer offer = answered(round);
            long left = end - nanoTime.getAsLong();
            if (offer != null || left <= 0 || ledger.view().round() >= round) {
                return offer;
            }
            CompletableFuture<?>[] open =
                    asked.values().stream()
                            .map(Asked::answer)
                            .filter(answer -> !answer.isDone())
                            .toArray(CompletableFuture[]::new);
            // A peer may come meanwhile, or the round.
            await(CompletableFuture.anyOf(open), Math.min(left, PAUSE_NANOS));
        }
    }

    private @Nullable Offer answered(long round) {
        Iterator<Map.Entry<Peer, Asked>> each = asked.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Peer, Asked> next = each.next();
            Asked of = next.getValue();
            if (!of.answer.isDone()) {
                continue;
            }
            BlockAnswer said = said(of.answer);
            if (said instanceof BlockAnswer.Found found) {
                return new Offer(next.getKey(), of.services, found);
            } else if (said instanceof BlockAnswer.Refused) { // Perhaps it serves the other way.
                of.services.change();
                next.setValue(new Asked(of.services, of.services.apply(round)));
            }
        }
        return null;
    }

    /** An answer that is there; who left or did not answer in time lacks the round. */
    private static BlockAnswer said(CompletableFuture<BlockAnswer> answer) {
        try {
            return answer.join();
        } catch (CompletionException | CancellationException failed) {
            return new BlockAnswer.Missing(0);
        }
    }

    // Taking.

    /** Takes rounds of a peer as long as it has any. */
    private void follow(Offer offer) throws CatchupFault {
        long first = ledger.view().round() + 1;
        if (!take(first, offer.found, offer.peer)) {
            return;
        }
        var fetcher = new BlockFetcher(offer.services, first + 1);
        while (true) {
            long round = fetcher.round();
            CompletableFuture<BlockAnswer> answer = fetcher.answer();
            if (!answer.isDone()) {
                caughtUp.run();
                await(answer, PATIENCE_NANOS);
            }
            if (!answer.isDone() || ledger.view().round() >= round) {
                break; // It has no more yet, or the round came otherwise.
            }
            BlockAnswer said = said(answer);
            if (!(said instanceof BlockAnswer.Found found)) {
                break;
            }
            fetcher.advance(found, false);
            if (!take(round, found, offer.peer)) {
                break;
            }
        }
        LOG.log(
                Level.INFO,
                "{0}: took rounds {1} to {2}",
                offer.peer.address(),
                first,
                ledger.view().round());
    }

    /** Judges a block and makes it durable; false if it does not hold. */
    private boolean take(long round, BlockAnswer.Found found, Peer peer) throws CatchupFault {
        if (ledger.view().round() != round - 1) {
            return false;
        }
        BlockJudge.Judged judged = judge.judge(round, found);
        Block block = judged.block();
        if (block == null) {
            if (ledger.view().round() == round - 1) {
                LOG.log(
                        Level.WARNING,
                        "{0}: round {1}: {2}",
                        peer.address(),
                        round,
                        judged.fault());
            }
            return false;
        }
        String refused = await(taker.take(block, found.certificate()));
        if (refused != null) {
            // Certified by the network, and wrong by our rules: one of the two is broken.
            throw new CatchupFault(round, "peer " + peer.address(), refused);
        }
        taken.increment();
        return true;
    }

    /** The future's value, unless this object is closed before: then a cancellation. */
    private <T extends @Nullable Object> T await(CompletableFuture<T> future) {
        CompletableFuture.anyOf(future, closed).exceptionally(failed -> null).join();
        if (closed.isDone()) {
            throw new CancellationException();
        }
        return future.join();
    }

    /** Waits for a future, at most so long; how it ended does not matter. */
    private void await(CompletableFuture<?> future, long nanos) {
        var over = new CompletableFuture<@Nullable Object>();
        over.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
        CompletableFuture.anyOf(future, closed, over).exceptionally(failed -> null).join();
        if (closed.isDone()) {
            throw new CancellationException();
        }
    }

    private void pause(long nanos) {
        await(new CompletableFuture<Void>(), nanos);
    }

    /** Takes no further block; returns when the one in hand is in the ledger. */
    @Override
    public void close() {
        closed.complete(null);
        boolean interrupted = false;
        while (thread.isAlive()) {
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
