package topspin.node.catchup;

import topspin.codec.block.Block;
import topspin.ledger.Ledger;
import topspin.ledger.Replay;
import topspin.ledger.rules.GroupVerifier;
import topspin.ledger.rules.Refusal;
import topspin.net.Gossip;
import topspin.net.Peer;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.stream.BlockAnswer;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Follows one node of the network: asks it for the next round over the connection that this node
 * dialled, judges the block and adds it to the ledger, as {@link Replay} does with any. Everything
 * in it is evaluated anew except the seed and who may propose. Of a certificate of agreement only
 * is seen that it names the block; that of a dev mode holds the round and no more. A block that is
 * wrong, or a second one for a round, ends it: see {@link CatchupFault}. A producer that is away is
 * waited for.
 *
 * <p>Works on a thread of its own, which is the ledger's one writer on this node.
 */
public final class Catchup implements AutoCloseable {
    /** An answer without a block that came sooner than this is not followed by another request. */
    private static final long SOON_NANOS = 100_000_000;

    /** The pause after such an answer. */
    private static final long PAUSE_NANOS = 250_000_000;

    /** So often the producer must say that it lacks a round behind its latest: it may just race. */
    private static final int PRUNED_AFTER = 3;

    private static final Logger LOG = System.getLogger(Catchup.class.getName());

    private final Multiaddr producer;
    private final Gossip gossip;
    private final Ledger ledger;
    private final Replay replay;
    private final BlockJudge judge;
    private final SyncRound sync;
    private final LongSupplier nanoTime;
    private final Consumer<Throwable> fault;
    private final Thread thread = Thread.ofPlatform().name("catchup").unstarted(this::run);

    /** Done when no more is to be done; every wait ends with it. */
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /**
     * A follower at rest; {@link #start} sets it going.
     *
     * @param producer one of the addresses that gossip keeps dialled
     * @param signatures this object's alone
     * @param certificates judges those of a network of agreement
     * @param sync what holds this node back; unset in most
     * @param nanoTime as {@link System#nanoTime}
     * @param fault told once why this node cannot go on: {@link CatchupFault}, a fault of the
     *     ledger's store, or an error of ours
     */
    public Catchup(
            Multiaddr producer,
            Gossip gossip,
            Ledger ledger,
            GroupVerifier signatures,
            CertificateCheck certificates,
            SyncRound sync,
            LongSupplier nanoTime,
            Consumer<Throwable> fault) {
        this.producer = producer;
        this.gossip = gossip;
        this.ledger = ledger;
        this.replay = new Replay(ledger, signatures);
        this.judge = new BlockJudge(ledger.genesis().devMode(), certificates);
        this.sync = sync;
        this.nanoTime = nanoTime;
        this.fault = fault;
    }

    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!closed.isDone()) {
                try {
                    follow(await(gossip.dialled(producer)));
                } catch (CompletionException left) {
                    LOG.log(Level.DEBUG, () -> producer + ": not followed", left);
                    pause(PAUSE_NANOS);
                }
            }
        } catch (CancellationException done) {
            LOG.log(Level.DEBUG, "closed");
        } catch (CatchupFault | RuntimeException | Error end) {
            fault.accept(end);
        }
    }

    /** Takes blocks of a peer until it leaves, which shows as a {@link CompletionException}. */
    private void follow(Peer peer) throws CatchupFault {
        var services = new BlockServices(gossip, peer);
        checkCommonPast(services);
        long first = ledger.view().round() + 1;
        LOG.log(Level.INFO, "{0}: following from round {1} on", peer.address(), first);
        var fetcher = new BlockFetcher(services, first);
        int withoutBlock = 0;
        while (true) {
            CompletableFuture<BlockAnswer> answer = fetcher.answer();
            boolean waited = !answer.isDone();
            long askedNanos = nanoTime.getAsLong();
            long round = fetcher.round();
            BlockAnswer said = awaitAnswer(answer);
            boolean soon = nanoTime.getAsLong() - askedNanos < SOON_NANOS;
            if (said instanceof BlockAnswer.Found found) {
                withoutBlock = 0;
                fetcher.advance(found, waited);
                while (!sync.allows(round)) {
                    await(sync.turn(round));
                }
                take(round, found);
                continue;
            }
            withoutBlock++;
            if (said instanceof BlockAnswer.Refused) {
                services.change();
            }
            if (said instanceof BlockAnswer.Missing(long latest)) {
                boolean ahead = Long.compareUnsigned(latest, round) >= 0;
                if (ahead && withoutBlock >= PRUNED_AFTER) {
                    throw fault(round, "it is kept no longer there; start from a copy of its data");
                }
            }
            fetcher.again();
            // A producer that answers at once, instead of waiting for the block, is not pestered.
            if (withoutBlock > 1 && soon) {
                pause(PAUSE_NANOS);
            }
        }
    }

    /** Compares our latest block with the producer's, so that a fork is found before it grows. */
    private void checkCommonPast(BlockServices services) throws CatchupFault {
        boolean told = false;
        while (true) {
            long latest = ledger.view().round();
            BlockAnswer said = awaitAnswer(services.apply(latest));
            if (said instanceof BlockAnswer.Found found) {
                if (!Arrays.equals(found.block(), ledger.blockBytes(latest))) {
                    throw fault(latest, "this node has another block of that round");
                }
                return;
            }
            if (said instanceof BlockAnswer.Missing(long theirs)) {
                if (Long.compareUnsigned(theirs, latest) >= 0) {
                    return; // Pruned there. The next round links to ours, or is refused.
                }
                if (!told) {
                    told = true;
                    LOG.log(
                            Level.WARNING,
                            "the producer is at round {0}, behind this node at {1}: waiting",
                            Long.toUnsignedString(theirs),
                            latest);
                }
            }
            if (said instanceof BlockAnswer.Refused) {
                services.change();
            }
            pause(PAUSE_NANOS);
        }
    }

    /** Judges a block and makes it durable. */
    private void take(long round, BlockAnswer.Found found) throws CatchupFault {
        BlockJudge.Judged judged = judge.judge(round, found);
        Block block = judged.block();
        if (block == null) {
            throw fault(round, judged.fault());
        }
        Refusal refusal = replay.add(block, found.certificate()).refusal();
        if (refusal != null) {
            throw fault(round, refusal.text());
        }
    }

    private CatchupFault fault(long round, String reason) {
        return new CatchupFault(round, "the producer at " + producer, reason);
    }

    /** As {@link #await}; a peer that does not answer in time has refused. */
    private BlockAnswer awaitAnswer(CompletableFuture<BlockAnswer> answer) {
        try {
            return await(answer);
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof TimeoutException) {
                return new BlockAnswer.Refused("no answer");
            }
            throw failed;
        }
    }

    /** The future's value, unless this object is closed before: then a cancellation. */
    private <T> T await(CompletableFuture<T> future) {
        CompletableFuture.anyOf(future, closed).join();
        if (closed.isDone()) {
            throw new CancellationException();
        }
        return future.join();
    }

    private void pause(long nanos) {
        await(new CompletableFuture<Void>().completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS));
    }

    /** Takes no further block; returns when the one in hand is in the ledger. */
    @Override
    public void close() {
        closed.complete(null);
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
