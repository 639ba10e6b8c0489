package topspin.node.rest;

import static io.netty.handler.codec.http.HttpMethod.GET;

import io.netty.buffer.ByteBuf;

import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockJson;
import topspin.codec.block.TransactionRoot;
import topspin.codec.crypto.HashFunction;
import topspin.codec.txn.BlockTransaction;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerView;

import java.util.List;

/** Blocks and what is proved about them (rest.md section 3, Blocks and ledger). */
final class BlockRoutes {
    static final String NOT_FOUND = "failed to retrieve information from the ledger";

    /** msgpack of a map of one or two entries, and of the keys that open them. */
    private static final byte[] BLOCK_AND_CERT = {
        (byte) 0x82, (byte) 0xa5, 'b', 'l', 'o', 'c', 'k'
    };

    private static final byte[] BLOCK_ALONE = {(byte) 0x81, (byte) 0xa5, 'b', 'l', 'o', 'c', 'k'};
    private static final byte[] CERT = {(byte) 0xa4, 'c', 'e', 'r', 't'};

    private final Ledger ledger;
    private final Blocks blocks;

    BlockRoutes(Ledger ledger, Blocks blocks) {
        this.ledger = ledger;
        this.blocks = blocks;
    }

    List<Route> routes() {
        return List.of(
                Route.of(GET, "/v2/blocks/{round}", Access.PUBLIC, "A block.", this::block)
                        .reads("header-only", "format")
                        .onWorker(),
                Route.of(
                                GET,
                                "/v2/blocks/{round}/hash",
                                Access.PUBLIC,
                                "The hash of a block.",
                                this::hash)
                        .onWorker(),
                Route.of(
                                GET,
                                "/v2/blocks/{round}/txids",
                                Access.PUBLIC,
                                "The ids of a block's transactions.",
                                this::transactionIds)
                        .onWorker(),
                Route.of(
                                GET,
                                "/v2/blocks/{round}/logs",
                                Access.PUBLIC,
                                "What applications logged in a block.",
                                this::logs)
                        .onWorker(),
                Route.of(
                                GET,
                                "/v2/blocks/{round}/transactions/{txid}/proof",
                                Access.PUBLIC,
                                "That a block commits to a transaction.",
                                this::proof)
                        .reads("hashtype", "format")
                        .onWorker(),
                Route.of(
                        GET,
                        "/v2/blocks/{round}/lightheader/proof",
                        Access.PUBLIC,
                        "That a state proof covers a block.",
                        this::stateProof),
                Route.of(
                        GET,
                        "/v2/stateproofs/{round}",
                        Access.PUBLIC,
                        "The state proof that covers a round.",
                        this::stateProof));
    }

    private void block(Exchange exchange) {
        long round = exchange.number(0, "round");
        boolean headerOnly = exchange.queryFlag("header-only");
        boolean msgpack = Exchange.isMsgpack(exchange.formatText());
        if (headerOnly) {
            header(round, msgpack, exchange);
            return;
        }
        byte[] stored = blocks.stored(round);
        if (stored == null) {
            throw new RequestFault(404, NOT_FOUND);
        }
        if (msgpack) {
            byte[] certificate = blocks.certificate(round);
            exchange.bytes(ResponseHead.MSGPACK)
                    .writeBytes(BLOCK_AND_CERT)
                    .writeBytes(stored)
                    .writeBytes(CERT)
                    .writeBytes(certificate);
            exchange.header("X-Algorand-Struct: block-v1");
            exchange.sendAsIs(200);
        } else {
            JsonWriter json = exchange.json().beginObject().name("block");
            write(stored, json);
            json.endObject();
            exchange.send(200);
        }
    }

    private void header(long round, boolean msgpack, Exchange exchange) {
        byte[] bytes;
        try {
            bytes = BlockEncoder.encodeHeader(ledger.view().header(round));
        } catch (IllegalArgumentException aheadOrPruned) {
            throw new RequestFault(404, NOT_FOUND);
        }
        if (msgpack) {
            ByteBuf out = exchange.bytes(ResponseHead.MSGPACK);
            out.writeBytes(BLOCK_ALONE).writeBytes(bytes);
            exchange.sendAsIs(200);
        } else {
            JsonWriter json = exchange.json().beginObject().name("block");
            write(bytes, json);
            json.endObject();
            exchange.send(200);
        }
    }

    private void hash(Exchange exchange) {
        long round = exchange.number(0, "round");
        Digest hash;
        try {
            hash = ledger.view().headerHash(round);
        } catch (IllegalArgumentException aheadOrPruned) {
            throw new RequestFault(404, NOT_FOUND);
        }
        exchange.json().beginObject().name("blockHash").digest(hash).endObject();
        exchange.send(200);
    }

    private void transactionIds(Exchange exchange) {
        Block block = require(exchange.number(0, "round"), 404);
        JsonWriter json = exchange.json().beginObject().name("blockTxids").beginArray();
        for (BlockTransaction each : block.transactions()) {
            json.digest(each.signed().id());
        }
        json.endArray().endObject();
        exchange.send(200);
    }

    /** No application has ever run here, so none has logged. */
    private void logs(Exchange exchange) {
        require(exchange.number(0, "round"), 404);
        exchange.json().beginObject().name("logs").beginArray().endArray().endObject();
        exchange.send(200);
    }

    private void proof(Exchange exchange) {
        long round = exchange.number(0, "round");
        String hashType = exchange.query("hashtype");
        exchange.formatText(); // May not stand twice; is not looked at otherwise.
        Digest id = exchange.transactionId(1);
        boolean sha256 = "sha256".equals(hashType);
        if (hashType != null && !sha256 && !hashType.equals("sha512_256")) {
            throw new RequestFault(400, "invalid hash type");
        }
        Block block = require(round, 500);
        List<BlockTransaction> transactions = block.transactions();
        int index = 0;
        while (index < transactions.size() && !transactions.get(index).signed().id().equals(id)) {
            index++;
        }
        if (index == transactions.size()) {
            throw new RequestFault(404, TransactionRoutes.NOT_FOUND);
        }
        TransactionRoot.Proof proof =
                TransactionRoot.prove(
                        sha256 ? HashFunction.SHA256 : HashFunction.SHA512_256,
                        transactions,
                        index);
        JsonWriter json = exchange.json().beginObject();
        json.name("hashtype").string(sha256 ? "sha256" : "sha512_256");
        json.name("idx").uint(index);
        json.name("proof").base64(proof.proof().concatenated());
        json.name("stibhash").base64(proof.stibHash().toArray());
        json.name("treedepth").uint(proof.proof().depth()).endObject();
        exchange.send(200);
    }

    /** State proofs are not made here, so no round is covered by one. */
    private void stateProof(Exchange exchange) {
        long round = exchange.number(0, "round");
        LedgerView view = ledger.view();
        if (Long.compareUnsigned(round, view.round()) > 0) {
            throw new RequestFault(500, "given round is greater than the latest round");
        }
        throw new RequestFault(404, "no state proof can be found for that round");
    }

    /** Writes a stored block or header as JSON. */
    private static void write(byte[] encoded, JsonWriter json) {
        json.embed(generator -> BlockJson.writeBlock(encoded, generator));
    }

    private Block require(long round, int status) {
        Block block = blocks.decoded(round);
        if (block == null) {
            throw new RequestFault(status, NOT_FOUND);
        }
        return block;
    }
}
