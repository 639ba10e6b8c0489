package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;
import static io.netty.handler.codec.http.HttpMethod.POST;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.LooseDecoder;
import topspin.codec.txn.SignedTransaction;
import topspin.ledger.LedgerView;
import topspin.node.ingest.Submission;
import topspin.node.pool.Pending;
import topspin.node.pool.PoolEntry;

import java.util.ArrayList;
import java.util.List;

/** Submitting transactions and asking what became of them (rest.md section 3, Transactions). */
final class TransactionRoutes {
    /** How far back a confirmed transaction is found. */
    private static final long CONFIRMED_ROUNDS = 1000;

    static final String NOT_FOUND =
            "could not find the transaction in the transaction pool or in the last 1000 confirmed"
                    + " rounds";

    private final NodeParts node;
    private final RestConfig config;
    private final Blocks blocks;

    TransactionRoutes(NodeParts node, RestConfig config, Blocks blocks) {
        this.node = node;
        this.config = config;
        this.blocks = blocks;
    }

    List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        routes.add(
                Route.of(
                                POST,
                                "/v2/transactions",
                                Access.PUBLIC,
                                "Submits a group and waits for the pool's answer.",
                                this::submit)
                        .reads("skip-pq-address-check")
                        .inPipeline());
        if (config.experimentalApi()) {
            routes.add(
                    Route.of(
                                    POST,
                                    "/v2/transactions/async",
                                    Access.PUBLIC,
                                    "Submits a group and does not wait.",
                                    this::submitAsync)
                            .reads("skip-pq-address-check"));
        }
        routes.add(
                Route.of(
                        GET,
                        "/v2/transactions/params",
                        Access.PUBLIC,
                        "What a new transaction needs to know.",
                        this::params));
        routes.add(
                Route.of(
                                GET,
                                "/v2/transactions/pending",
                                Access.PUBLIC,
                                "What waits for a block.",
                                this::pending)
                        .reads("max", "format")
                        .onWorker());
        routes.add(
                Route.of(
                                GET,
                                "/v2/transactions/pending/{txid}",
                                Access.PUBLIC,
                                "What became of a transaction.",
                                this::lookup)
                        .reads("format")
                        .onWorker());
        routes.add(
                Route.of(
                                GET,
                                "/v2/accounts/{address}/transactions/pending",
                                Access.PUBLIC,
                                "What waits for a block and concerns an account.",
                                this::pendingOf)
                        .reads("max", "format")
                        .onWorker());
        return routes;
    }

    // Submitting.

    private void submit(Exchange exchange) {
        // Checked for its form; the rule it would switch off concerns signatures unknown to us.
        exchange.queryFlag("skip-pq-address-check");
        if (config.followMode()) {
            refuse(exchange);
            return;
        }
        var unused =
                node.ingest()
                        .submit(exchange.bodyBytes())
                        .whenComplete((submission, failure) -> answer(exchange, submission));
    }

    private static void answer(Exchange exchange, @Nullable Submission submission) {
        switch (submission) {
            case Submission.Accepted(Digest first) -> {
                exchange.json().beginObject().name("txId").digest(first).endObject();
                exchange.send(200);
            }
            case Submission.Refused(String text) -> exchange.fault(400, text);
            case Submission.Busy() -> exchange.fault(503, "backlog full");
            case null -> exchange.fault(500, "operation aborted as server is shutting down");
        }
    }

    private void submitAsync(Exchange exchange) {
        if (!config.developerApi()) {
            exchange.text(
                    404,
                    "/transactions/async was not enabled in the configuration file by setting the"
                            + " EnableDeveloperAPI to true");
            return;
        }
        exchange.queryFlag("skip-pq-address-check");
        if (config.followMode()) {
            refuse(exchange);
            return;
        }
        switch (node.ingest().submitAsync(exchange.bodyBytes())) {
            case Submission.Accepted accepted -> exchange.empty(200);
            case Submission.Refused(String text) -> exchange.fault(400, text);
            case Submission.Busy() -> exchange.fault(503, "backlog full");
        }
    }

    /** A follower sends nothing on; what cannot be read at all is told first. */
    private static void refuse(Exchange exchange) {
        try {
            var unused = new LooseDecoder().decodeGroup(exchange.bodyBytes());
        } catch (MalformedMessage malformed) {
            throw new RequestFault(400, malformed.reason());
        }
        throw new RequestFault(400, "cannot broadcast txns in follower mode");
    }

    private void params(Exchange exchange) {
        LedgerView view = node.ledger().view();
        BlockHeader header = view.header();
        JsonWriter json = exchange.json().beginObject();
        json.name("consensus-version").string(header.protocol());
        json.name("fee").uint(node.pool().feePerByte());
        json.name("genesis-hash").base64(header.genesisHash().toBytes());
        json.name("genesis-id").string(header.genesisId());
        json.name("last-round").uint(view.round());
        json.name("min-fee").uint(view.params().minTxnFee()).endObject();
        exchange.send(200);
    }

    // What waits.

    private void pending(Exchange exchange) {
        answerPending(exchange, null);
    }

    private void pendingOf(Exchange exchange) {
        answerPending(exchange, exchange.address(0, "address"));
    }

    private void answerPending(Exchange exchange, @Nullable Address concerned) {
        long max = exchange.queryNumber("max", 0);
        boolean msgpack = Exchange.isMsgpack(exchange.formatText());
        Pending pending = node.pool().pending();
        List<SignedTransaction> shown = new ArrayList<>();
        for (SignedTransaction each : pending) {
            if (max != 0 && Long.compareUnsigned(shown.size(), max) >= 0) {
                break;
            }
            if (concerned == null || TransactionForm.concerns(each.txn(), concerned)) {
                shown.add(each);
            }
        }
        exchange.send(
                msgpack,
                out -> {
                    out.map(2).name("top-transactions").list(shown.size());
                    shown.forEach(out::transaction);
                    out.endList();
                    out.name("total-transactions").uint(pending.transactionCount()).endMap();
                });
    }

    // What became of one.

    private void lookup(Exchange exchange) {
        Digest id = exchange.transactionId(0);
        boolean msgpack = Exchange.isMsgpack(exchange.formatText());
        PoolEntry entry = node.pool().lookup(id);
        TransactionForm found = confirmed(id, entry);
        if (found == null && entry != null) {
            found = TransactionForm.of(entry);
        }
        if (found == null) {
            throw new RequestFault(404, NOT_FOUND);
        }
        exchange.send(msgpack, found::write);
    }

    /** A transaction in a block of the last thousand rounds, which wins over the pool; or null. */
    private @Nullable TransactionForm confirmed(Digest id, @Nullable PoolEntry entry) {
        LedgerView view = node.ledger().view();
        long round =
                entry == null
                        ? view.committedRound(id)
                        : view.committedRound(id, entry.transaction().txn().header().lastValid());
        if (round == LedgerView.NOT_COMMITTED || round < view.round() - CONFIRMED_ROUNDS) {
            return null;
        }
        Block block = blocks.decoded(round);
        if (block == null) {
            return null;
        }
        for (BlockTransaction each : block.transactions()) {
            if (each.signed().id().equals(id)) {
                return TransactionForm.of(each, round);
            }
        }
        throw new IllegalStateException(
                "the ledger has " + id + " in " + round + ", the block not");
    }
}
