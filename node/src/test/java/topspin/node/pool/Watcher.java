package topspin.node.pool;

import topspin.ledger.rules.Refusal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A sink that tests can ask what happened. */
public final class Watcher implements PoolSink {
    private static final int SECONDS_MAX = 10;

    private final CompletableFuture<String> entry = new CompletableFuture<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private final CompletableFuture<String> exit = new CompletableFuture<>();

    @Override
    public void accepted() {
        once(entry, "accepted");
    }

    @Override
    public void refused(PoolRefusal refusal) {
        once(entry, refusal.text());
    }

    @Override
    public void committed(long round) {
        once(exit, "committed in " + round);
    }

    @Override
    public void passedOver(long round) {
        rounds.incrementAndGet();
    }

    @Override
    public void evicted(Refusal refusal) {
        once(exit, refusal.text());
    }

    private static void once(CompletableFuture<String> future, String text) {
        if (!future.complete(text)) {
            throw new AssertionError("told twice: " + text);
        }
    }

    /** {@code accepted}, or why not. */
    public String entry() throws Exception {
        return entry.get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    /** {@code committed in ROUND}, or why it was evicted. */
    public String exit() throws Exception {
        return exit.get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    /** Rounds that came without it. */
    int roundsPassed() {
        return rounds.get();
    }

    boolean hasEntry() {
        return entry.isDone();
    }
}
