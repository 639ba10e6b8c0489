package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.ledger.store.Recovery.Link;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The headers of the latest rounds, in memory, with their hashes. A header never changes, so all
 * views share these. One writer, any reader.
 */
final class Headers {
    /** A power of two above the rounds that transactions and agreement look back to. */
    static final int KEPT = 2048;

    private final AtomicReferenceArray<@Nullable Link> ring = new AtomicReferenceArray<>(KEPT);

    void add(Link latest) {
        ring.setRelease((int) (latest.header().round() & (KEPT - 1)), latest);
    }

    /** The header of a round, or null when it is not among the latest. */
    @Nullable Link get(long round) {
        Link found = ring.getAcquire((int) (round & (KEPT - 1)));
        return found != null && found.header().round() == round ? found : null;
    }
}
