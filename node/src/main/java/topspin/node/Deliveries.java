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
 * @param agreement takes votes, proposals and bundles
 */
record Deliveries(Inbox transactions, Inbox requests, Inbox agreement) implements Inbox {
    @Override
    public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
        return switch (tag) {
            case TRANSACTION -> transactions.offer(peer, tag, body);
            case BLOCK_REQUEST -> requests.offer(peer, tag, body);
            case VOTE, PROPOSAL, BUNDLE -> agreement.offer(peer, tag, body);
            // Votes are packed for those who ask for it, and an answer goes to whoever asked.
            case PACKED_VOTE,
                    INTEREST,
                    DIGEST_SKIP,
                    IDENTITY_VERIFICATION,
                    PRIORITY_RESPONSE,
                    STATE_PROOF_SIGNATURE,
                    BLOCK_RESPONSE ->
                    Verdict.IGNORE;
        };
    }

    @Override
    public void arrived(Peer peer) {
        agreement.arrived(peer);
    }
}
