package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.loadgen.client.NodeClient;
import topspin.loadgen.client.Reply;

import java.io.IOException;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** What the generator asks of a node apart from the load itself (rest.md section 3). Blocks. */
final class Queries {
    private Queries() {}

    /**
     * What a sender must know.
     *
     * @param protocol the consensus version in force, by its own name
     * @param minFee of a transaction, in microalgos
     */
    record Params(
            String protocol, String genesisId, Digest genesisHash, long lastRound, long minFee) {}

    static Params params(NodeClient node) {
        JsonNode json = json(await(node.get("/v2/transactions/params")), node);
        byte[] hash = Base64.getDecoder().decode(json.path("genesis-hash").asText());
        return new Params(
                json.path("consensus-version").asText(),
                json.path("genesis-id").asText(),
                Digest.fromBytes(hash),
                json.path("last-round").asLong(),
                json.path("min-fee").asLong());
    }

    /**
     * What an account has.
     *
     * @param minimum that must stay
     */
    record Balance(long amount, long minimum) {
        long spare() {
            return amount - minimum;
        }
    }

    static CompletableFuture<Balance> balance(NodeClient node, Address address) {
        return node.get("/v2/accounts/" + address + "?exclude=all")
                .thenApply(reply -> json(reply, node))
                .thenApply(
                        json ->
                                new Balance(
                                        json.path("amount").asLong(),
                                        json.path("min-balance").asLong()));
    }

    static JsonNode json(Reply reply, NodeClient node) {
        if (!reply.ok()) {
            throw new LoadFault(
                    LoadFault.MACHINE_REFUSED,
                    node.name() + " answers " + reply.status() + ": " + reply.message());
        }
        try {
            return reply.json();
        } catch (IOException e) {
            throw new LoadFault(
                    LoadFault.MACHINE_REFUSED, node.name() + " answers what is not JSON", e);
        }
    }

    /** The future's value; its failure as a {@link LoadFault} that says which node failed how. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof LoadFault fault) {
                throw fault;
            }
            throw new LoadFault(LoadFault.MACHINE_REFUSED, message(cause), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LoadFault(LoadFault.NOT_REACHED, "interrupted", e);
        }
    }

    private static String message(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }
}
