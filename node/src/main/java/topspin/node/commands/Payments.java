package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionHeader;
import topspin.node.WalletFile;

import java.io.IOException;
import java.util.Base64;

/**
 * One payment, made as any wallet makes it: over REST, from suggested parameters to the round that
 * holds it.
 */
final class Payments {
    private static final long LIFETIME_ROUNDS = 1000;

    /**
     * Waits of a minute each: a payment that takes longer than its lifetime is lost before these
     * run out.
     */
    private static final int WAITS_MAX = 1100;

    /**
     * A payment that is in a block.
     *
     * @param id its transaction id
     * @param round the block's
     */
    record Receipt(String id, long round) {}

    private Payments() {}

    /**
     * Pays and waits for the round.
     *
     * @param amount microalgos, unsigned
     * @throws CommandFault with the node's own words if it refuses
     */
    static Receipt pay(NodeClient node, WalletFile.Entry from, Address to, long amount) {
        JsonNode params = node.json("/v2/transactions/params");
        long first = params.path("last-round").longValue();
        Payment payment =
                new Payment(
                        new TransactionHeader(
                                from.address(),
                                params.path("min-fee").longValue(),
                                first,
                                first + LIFETIME_ROUNDS,
                                params.path("genesis-id").textValue(),
                                Digest.of(
                                        Base64.getDecoder()
                                                .decode(params.path("genesis-hash").textValue()),
                                        0)),
                        to,
                        amount,
                        Address.ZERO);
        SignedTransaction signed;
        try (KeyPair keys = from.keyPair()) {
            signed = SignedTransaction.sign(payment, keys);
        }
        try {
            NodeClient.Answer answer = node.post("/v2/transactions", signed.toBytes());
            if (!answer.isOk()) {
                throw CommandFault.missed("the node refuses the payment: " + answer.message());
            }
            String id = answer.json().path("txId").textValue();
            return new Receipt(id, await(node, id, first));
        } catch (IOException unreachable) {
            throw node.unreachable(unreachable);
        }
    }

    private static long await(NodeClient node, String id, long round) throws IOException {
        long seen = round;
        for (int i = 0; i < WAITS_MAX; i++) {
            JsonNode pending = node.json("/v2/transactions/pending/" + id);
            long confirmed = pending.path("confirmed-round").asLong(0);
            if (confirmed > 0) {
                return confirmed;
            }
            String error = pending.path("pool-error").asText("");
            if (!error.isEmpty()) {
                throw CommandFault.missed("the payment " + id + " left the pool: " + error);
            }
            seen =
                    node.json("/v2/status/wait-for-block-after/" + seen)
                            .path("last-round")
                            .longValue();
        }
        throw CommandFault.missed("the payment " + id + " is in no block yet");
    }
}
