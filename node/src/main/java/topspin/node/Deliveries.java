package topspin.node;

import io.netty.buffer.ByteBuf;

import topspin.net.Inbox;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Verdict;

/**
 * What peers send, to whom it is for.
 *
 * @param transactions takes transactions
 * @param requests takes requests for blocks
 */
record Deliveries(Inbox transactions, Inbox requests) implements Inbox {
    @Override
    public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
        return switch (tag) {
            case TRANSACTION -> transactions.offer(peer, tag, body);
            case BLOCK_REQUEST -> requests.offer(peer, tag, body);
            // Nobody here votes yet, and an answer goes to whoever asked.
            case VOTE,
                    PROPOSAL,
                    BUNDLE,
                    PACKED_VOTE,
                    INTEREST,
                    DIGEST_SKIP,
                    IDENTITY_VERIFICATION,
                    PRIORITY_RESPONSE,
                    STATE_PROOF_SIGNATURE,
                    BLOCK_RESPONSE ->
                    Verdict.IGNORE;
        };
    }
}
