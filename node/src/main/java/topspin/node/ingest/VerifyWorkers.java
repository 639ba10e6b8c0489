package topspin.node.ingest;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.SignatureEngine;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Rules;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.rules.VerifiedGroup;
import topspin.node.pool.TransactionPool;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Verifies signatures, a batch per worker at a time, and hands what holds to the pool in the order
 * in which it came: a payment that needs the one before it must not overtake it, least of all when
 * both are relayed and will not come again.
 */
final class VerifyWorkers implements AutoCloseable {
    /** Groups of a batch: what one equation of signatures gains most from. */
    static final int BATCH_GROUPS = 64;

    private static final int BATCHES_PER_WORKER = 2;

    /** Signatures in one equation; multisigs and groups of several may need more than one. */
    private static final int CLAIMS_MAX = 128;

    private final Supplier<@Nullable Rules> rules;
    private final VerifiedCache cache;
    private final SignatureEngine engine;
    private final TransactionPool pool;
    private final IngestCounters counters;
    private final Consumer<Throwable> fault;
    private final List<Thread> threads = new ArrayList<>();

    private final BlockingQueue<Batch> queue;
    private final Semaphore room;
    private long submitted;

    /**
     * Guards what follows, and keeps the pool's order: who delivers may wait for the pool, and the
     * others for him.
     */
    private final Object delivery = new Object();

    private final @Nullable Batch[] finished;
    private long delivered;

    private record Batch(
            long sequence, List<Candidate> candidates, List<Signatures.Outcome> outcomes) {}

    /**
     * @param rules those in force, or null when this node does not know them
     * @param fault told when a worker dies of an error of ours
     */
    VerifyWorkers(
            int workers,
            Supplier<@Nullable Rules> rules,
            VerifiedCache cache,
            SignatureEngine engine,
            TransactionPool pool,
            IngestCounters counters,
            Consumer<Throwable> fault) {
        int batchesMax = workers * BATCHES_PER_WORKER;
        this.rules = rules;
        this.cache = cache;
        this.engine = engine;
        this.pool = pool;
        this.counters = counters;
        this.fault = fault;
        this.queue = new ArrayBlockingQueue<>(batchesMax);
        this.room = new Semaphore(batchesMax);
        this.finished = new Batch[batchesMax];
        for (int i = 0; i < workers; i++) {
            threads.add(Thread.ofPlatform().name("verify-" + i).unstarted(this::run));
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    /**
     * Takes a batch, waiting while two per worker are under way. One thread only: its order is the
     * order of delivery.
     */
    void submit(List<Candidate> candidates) throws InterruptedException {
        room.acquire();
        counters.batch(candidates.size());
        queue.put(new Batch(submitted++, candidates, List.of()));
    }

    /** Whether a batch would not wait for another. */
    boolean idle() {
        return room.availablePermits() == finished.length;
    }

    private void run() {
        Signatures signatures = new Signatures(cache, engine, CLAIMS_MAX);
        try {
            while (true) {
                Batch batch = queue.take();
                deliver(verified(batch, signatures));
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error ours) {
            fault.accept(ours);
        }
    }

    private Batch verified(Batch batch, Signatures signatures) {
        List<TransactionGroup> groups = new ArrayList<>(batch.candidates.size());
        for (Candidate candidate : batch.candidates) {
            groups.add(candidate.group());
        }
        Rules now = rules.get();
        if (now == null) {
            return batch; // No outcomes: nothing here can be judged.
        }
        return new Batch(batch.sequence, batch.candidates, signatures.verify(groups, now));
    }

    private void deliver(Batch batch) throws InterruptedException {
        synchronized (delivery) {
            finished[slot(batch.sequence)] = batch;
            for (Batch next = batch; next != null; next = finished[slot(delivered)]) {
                if (next.sequence != delivered) {
                    return; // One before it is still with another worker, who will deliver both.
                }
                finished[slot(delivered)] = null;
                delivered++;
                handOver(next);
                room.release();
            }
        }
    }

    private int slot(long sequence) {
        return (int) (sequence % finished.length);
    }

    private void handOver(Batch batch) throws InterruptedException {
        for (int i = 0; i < batch.candidates.size(); i++) {
            Candidate candidate = batch.candidates.get(i);
            if (batch.outcomes.isEmpty()) {
                counters.drop(Drop.BEYOND_US);
                String text = "this node does not know the rules of the next round";
                candidate.ingest().trace().dropped(candidate.group(), Drop.BEYOND_US, null, text);
                candidate.drop(Drop.BEYOND_US, Refusal.Kind.BEYOND_US, text);
                continue;
            }
            Signatures.Outcome outcome = batch.outcomes.get(i);
            VerifiedGroup verified = outcome.verified();
            Refusal refusal = outcome.refusal();
            if (verified != null) {
                candidate.ingest().trace().verified(candidate.group());
                pool.offer(verified, candidate.wantsBlock(), candidate);
            } else if (refusal != null) {
                Ingest.refuse(candidate, refusal, counters);
            }
        }
    }

    /** Ends the workers; batches under way are not delivered. */
    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException waitOn) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
