package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.ledger.LedgerView;
import topspin.node.ingest.TransactionTrace.End;
import topspin.node.ingest.TransactionTrace.Moment;
import topspin.node.ingest.TransactionTrace.Story;
import topspin.node.pool.PoolEntry;

/**
 * What became of a transaction on this node: {@code GET /topspin/trace/{txid}}. Where it stands now
 * is the ledger's and the pool's to say; the trace adds how it came there, as far as it is kept.
 */
final class TraceRoute {
    /** Where a transaction stands. */
    private enum State {
        UNSEEN,
        UNDER_WAY,
        POOLED,
        CONFIRMED,
        DROPPED;

        String label() {
            return switch (this) {
                case UNSEEN -> "unseen";
                case UNDER_WAY -> "under-way";
                case POOLED -> "pooled";
                case CONFIRMED -> "confirmed";
                case DROPPED -> "dropped";
            };
        }
    }

    private final NodeParts node;

    TraceRoute(NodeParts node) {
        this.node = node;
    }

    Route route() {
        return Route.get(
                        "/topspin/trace/{txid}",
                        Access.PUBLIC,
                        "What became of a transaction on this node, step by step.",
                        this::answer)
                .onWorker();
    }

    private void answer(Exchange exchange) {
        Digest id = exchange.transactionId(0);
        Story story = node.ingest().trace().story(id);
        PoolEntry entry = node.pool().lookup(id);
        long round = confirmedRound(id, story, entry);
        End end = end(story, entry);
        JsonWriter json = exchange.json().beginObject();
        json.name("id").digest(id);
        json.name("state").string(state(story, entry, round, end).label());
        if (round != LedgerView.NOT_COMMITTED) {
            json.name("round").uint(round);
        }
        if (end != null) {
            json.name("reason").string(end.label());
            json.name("text").string(end.text());
        }
        if (story != null) {
            json.name("from").string(story.source());
            json.name("copies").uint(story.copies());
        }
        json.name("steps").beginArray();
        if (story != null) {
            for (Moment moment : story.moments()) {
                json.beginObject().name("step").string(moment.step().label());
                json.name("at_us").uint(moment.epochMicros());
                json.name("after_us").uint(moment.afterMicros()).endObject();
            }
        }
        json.endArray().endObject();
        exchange.send(200);
    }

    /** The ledger's word, cheapest question first. */
    private long confirmedRound(Digest id, @Nullable Story story, @Nullable PoolEntry entry) {
        LedgerView view = node.ledger().view();
        if (story != null && story.round() > 0 && story.round() <= view.round()) {
            return story.round();
        }
        return entry == null
                ? view.committedRound(id)
                : view.committedRound(id, entry.transaction().txn().header().lastValid());
    }

    /** The trace has both the reason and the text; the pool only the text, but longer. */
    private static @Nullable End end(@Nullable Story story, @Nullable PoolEntry entry) {
        String text = entry instanceof PoolEntry.Evicted evicted ? evicted.error() : "";
        if (story != null && story.end() != null) {
            return story.end().text().isEmpty() ? new End(story.end().label(), text) : story.end();
        }
        return text.isEmpty() ? null : new End("evicted", text);
    }

    private static State state(
            @Nullable Story story, @Nullable PoolEntry entry, long round, @Nullable End end) {
        if (round != LedgerView.NOT_COMMITTED) {
            return State.CONFIRMED;
        }
        if (entry instanceof PoolEntry.Waiting) {
            return State.POOLED;
        }
        if (end != null) {
            return State.DROPPED;
        }
        return story == null ? State.UNSEEN : State.UNDER_WAY;
    }
}
