package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

import topspin.codec.block.BlockHeader;
import topspin.codec.params.ConsensusParams;
import topspin.ledger.LedgerView;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Where the chain is, and waiting for it to move on (rest.md section 3, Status). */
final class StatusRoutes {
    private static final String SHUTTING_DOWN = "operation aborted as server is shutting down";

    private final NodeParts node;
    private final long waitNanosMax;

    /** Clients ask thousands of times a round: all but one number is written once a round. */
    private volatile @Nullable Told told;

    /** What is said of a view, before and after the time since it came to be. */
    private record Told(LedgerView view, byte[] before, byte[] after) {}

    StatusRoutes(NodeParts node, Limits limits) {
        this.node = node;
        this.waitNanosMax = TimeUnit.MILLISECONDS.toNanos(limits.waitMillisMax());
    }

    List<Route> routes() {
        return List.of(
                Route.of(GET, "/v2/status", Access.PUBLIC, "The latest round.", this::answerStatus),
                Route.of(
                        GET,
                        "/v2/status/wait-for-block-after/{round}",
                        Access.PUBLIC,
                        "The same, once the round after this one exists or a minute has passed.",
                        this::await));
    }

    private void await(Exchange exchange) {
        long after = exchange.number(0, "round");
        // As in the reference, the round after the last one is 0, which is always there.
        long awaited = after + 1;
        BlockHeader header = node.ledger().view().header();
        if (!header.nextProtocol().isEmpty()
                && node.versions().get(header.nextProtocol()) == null
                && Long.compareUnsigned(awaited, header.nextProtocolSwitchOn()) >= 0) {
            throw new RequestFault(
                    400,
                    "requested round would reach only after the protocol upgrade which isn't"
                            + " supported");
        }
        if (nothingComes()) {
            answerStatus(exchange);
            return;
        }
        long round = awaited < 0 ? Long.MAX_VALUE : awaited; // Nobody will see either.
        RoundWaits.Wait wait =
                node.waits()
                        .await(
                                round,
                                waitNanosMax,
                                outcome -> exchange.onLoop(same -> ended(same, outcome)));
        exchange.onAbandoned(wait::giveUp);
    }

    /**
     * On an instant network whoever asks for a block has it with the answer. With nothing under way
     * none is coming, and a wait would last its whole minute.
     */
    private boolean nothingComes() {
        return node.standing().isInstant()
                && node.pool().pending().transactionCount() == 0
                && node.ingest().waiting() == 0;
    }

    private void ended(Exchange exchange, RoundWaits.Outcome outcome) {
        switch (outcome) {
            case REACHED, TIME_OVER -> answerStatus(exchange);
            case STOPPED -> exchange.fault(500, SHUTTING_DOWN);
        }
    }

    private void answerStatus(Exchange exchange) {
        LedgerView view = node.ledger().view();
        Told current = told;
        if (current == null || current.view != view) {
            current = tell(view);
            told = current;
        }
        ByteBuf out = exchange.bytes(ResponseHead.JSON).writeBytes(current.before);
        JsonWriter.digits(out, node.waits().nanosSinceRound());
        out.writeBytes(current.after);
        exchange.send(200);
    }

    private Told tell(LedgerView view) {
        BlockHeader header = view.header();
        ByteBuf text = Unpooled.buffer();
        JsonWriter json = new JsonWriter(text).beginObject();
        json.name("catchpoint").string("");
        json.name("catchpoint-acquired-blocks").uint(0);
        json.name("catchpoint-processed-accounts").uint(0);
        json.name("catchpoint-processed-kvs").uint(0);
        json.name("catchpoint-total-accounts").uint(0);
        json.name("catchpoint-total-blocks").uint(0);
        json.name("catchpoint-total-kvs").uint(0);
        json.name("catchpoint-verified-accounts").uint(0);
        json.name("catchpoint-verified-kvs").uint(0);
        json.name("catchup-time").uint(0);
        json.name("last-catchpoint").string("");
        json.name("last-round").uint(view.round());
        json.name("last-version").string(header.protocol());
        next(view, json);
        json.name("time-since-last-round");
        int gap = text.writerIndex();
        json.uint(0);
        byte[] before = ByteBufUtil.getBytes(text, 0, gap);
        int rest = text.writerIndex();
        if (header.nextProtocolVoteBefore() > 0) {
            vote(view, json);
        }
        json.endObject();
        return new Told(view, before, ByteBufUtil.getBytes(text, rest, text.writerIndex() - rest));
    }

    private void next(LedgerView view, JsonWriter json) {
        BlockHeader header = view.header();
        long round = view.round();
        boolean decided =
                header.nextProtocolVoteBefore() > 0
                        && header.nextProtocolVoteBefore() <= round
                        && round < header.nextProtocolSwitchOn();
        String next = decided ? header.nextProtocol() : header.protocol();
        json.name("next-version").string(next);
        json.name("next-version-round").uint(decided ? header.nextProtocolSwitchOn() : round + 1);
        json.name("next-version-supported").bool(node.versions().get(next) != null);
        json.name("stopped-at-unsupported-round")
                .bool(
                        decided
                                && round + 1 == header.nextProtocolSwitchOn()
                                && node.versions().get(next) == null);
    }

    /** How the vote on the next protocol stands. */
    private static void vote(LedgerView view, JsonWriter json) {
        BlockHeader header = view.header();
        ConsensusParams params = view.params();
        // The round after this one is the first that is left, and the vote ends before that round.
        long left = Math.max(0, header.nextProtocolVoteBefore() - view.round() - 1);
        long votes = params.upgradeVoteRounds() - left;
        json.name("upgrade-delay").uint(header.upgradeDelay());
        json.name("upgrade-next-protocol-vote-before").uint(header.nextProtocolVoteBefore());
        json.name("upgrade-no-votes").uint(votes - header.nextProtocolApprovals());
        json.name("upgrade-node-vote").bool(header.upgradeApprove());
        json.name("upgrade-vote-rounds").uint(params.upgradeVoteRounds());
        json.name("upgrade-votes").uint(votes);
        json.name("upgrade-votes-required").uint(params.upgradeThreshold());
        json.name("upgrade-yes-votes").uint(header.nextProtocolApprovals());
    }
}
