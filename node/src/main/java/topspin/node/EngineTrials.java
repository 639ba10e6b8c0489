package topspin.node;

import topspin.codec.crypto.Calibration;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Has the vector engine prove itself in the background, and again later if it was slower: a node
 * starts while the compiler is busy with everything else, most of all under load, and vectors that
 * are not compiled yet are slower by orders of magnitude. Nothing waits for it, and what it finds
 * takes effect by itself. One line of log for each thing found.
 */
final class EngineTrials implements AutoCloseable {
    /**
     * Seconds before each trial; then it stays as it is. The first leaves a node that starts the
     * cores it needs for its first blocks.
     */
    private static final long[] PAUSES = {3, 5, 15, 60, 300};

    /** Waits between trials. */
    interface Pause {
        /** Returns after so many seconds, true; or at once, false, when it is all over. */
        boolean lasts(long seconds) throws InterruptedException;
    }

    private final Supplier<Calibration> trial;
    private final Consumer<String> log;
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * @param trial one calibration of the engine, a few seconds of the thread that asks
     * @param log where a line for the operator goes
     */
    EngineTrials(Supplier<Calibration> trial, Consumer<String> log) {
        this.trial = trial;
        this.log = log;
    }

    void start() {
        Thread.ofPlatform().name("calibration").daemon().start(this::runUntilClosed);
    }

    private void runUntilClosed() {
        try {
            run(seconds -> !closed.await(seconds, TimeUnit.SECONDS));
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    /** All trials, one after another. */
    void run(Pause pause) throws InterruptedException {
        Calibration found = null;
        for (int i = 0; i < PAUSES.length && (found == null || found.isWorthRepeating()); i++) {
            if (!pause.lasts(PAUSES[i])) {
                return;
            }
            Calibration again = trial.get();
            if (found == null
                    || again.signatures() != found.signatures()
                    || again.digests() != found.digests()) {
                log.accept(again.toString());
            }
            found = again;
        }
    }

    /** Ends the pause; a trial under way comes to its own end within seconds. */
    @Override
    public void close() {
        closed.countDown();
    }
}
