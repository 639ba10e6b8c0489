package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.node.devmode.BlockPacer;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Blocks and time at will, on the node that makes the blocks: what algod does not have. Its own
 * call for the offset between blocks stands with {@link ControlRoutes}.
 */
final class DevmodeRoutes {
    /** Blocks of one call. */
    static final int BLOCKS_MAX = 1000;

    private final NodeParts node;

    DevmodeRoutes(NodeParts node) {
        this.node = node;
    }

    List<Route> routes() {
        return List.of(
                Route.post(
                                "/topspin/blocks",
                                Access.PUBLIC,
                                "Makes blocks now, of what waits; answers when they are durable.",
                                this::makeBlocks)
                        .reads("count"),
                Route.get(
                        "/topspin/clock",
                        Access.PUBLIC,
                        "What the time of blocks follows.",
                        this::clock),
                Route.post(
                        "/topspin/clock/next/{timestamp}",
                        Access.PUBLIC,
                        "Sets the time of the next block, from which later ones go on.",
                        this::setNext),
                Route.post(
                        "/topspin/clock/advance/{seconds}",
                        Access.PUBLIC,
                        "Advances the time of all blocks to come.",
                        this::advance));
    }

    private BlockPacer pacer() {
        BlockPacer pacer = node.pacer();
        if (pacer == null) {
            throw new RequestFault(
                    400,
                    "this node makes no blocks at will: another node of its network does, or all"
                            + " agree on them");
        }
        return pacer;
    }

    private void makeBlocks(Exchange exchange) {
        BlockPacer pacer = pacer();
        long count = exchange.queryNumber("count", 1);
        if (count < 1 || count > BLOCKS_MAX) {
            throw new RequestFault(400, "count: 1 to " + BLOCKS_MAX + ", not " + count);
        }
        var unused =
                more(pacer, count).whenComplete((round, failure) -> answerBlocks(exchange, round));
    }

    private static CompletableFuture<Long> more(BlockPacer pacer, long left) {
        CompletableFuture<Long> made = pacer.makeBlock();
        return left == 1 ? made : made.thenCompose(round -> more(pacer, left - 1));
    }

    private void answerBlocks(Exchange exchange, @Nullable Long round) {
        if (round == null) {
            exchange.fault(503, "no block: the node stops, or too many ask for one");
            return;
        }
        exchange.json().beginObject().name("round").uint(round).endObject();
        exchange.send(200);
    }

    private void clock(Exchange exchange) {
        BlockPacer.Time time = pacer().time();
        JsonWriter json = exchange.json().beginObject();
        json.name("latest").uint(node.ledger().view().header().timestamp());
        json.name("shift").integer(time.shift());
        if (time.offset().isPresent()) {
            json.name("offset").uint(time.offset().getAsLong());
        }
        if (time.next().isPresent()) {
            json.name("next").uint(time.next().getAsLong());
        }
        json.endObject();
        exchange.send(200);
    }

    private void setNext(Exchange exchange) {
        long timestamp = exchange.number(0, "timestamp");
        set(exchange, pacer -> pacer.setNext(timestamp));
    }

    private void advance(Exchange exchange) {
        long seconds = exchange.number(0, "seconds");
        set(exchange, pacer -> pacer.advance(seconds));
    }

    /** Something to be done to the clock. */
    @FunctionalInterface
    private interface Setting {
        void of(BlockPacer pacer);
    }

    private void set(Exchange exchange, Setting setting) {
        BlockPacer pacer = pacer();
        try {
            setting.of(pacer);
        } catch (IllegalArgumentException refused) {
            throw new RequestFault(400, String.valueOf(refused.getMessage()));
        }
        clock(exchange);
    }
}
