package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.vote.ProposalEncoder;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteEncoder;
import topspin.net.Gossip;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.node.agreement.Message;
import topspin.node.agreement.Outbox;
import topspin.node.agreement.Payload;
import topspin.node.agreement.Source;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;

/**
 * What agreement says, on its way to the peers. Votes and bundles leave at once; proposals, which
 * are encoded and packed, by a thread of their own.
 */
final class GossipOutbox implements Outbox {
    private final Gossip gossip;
    private final AgreementPeers peers;
    private final Executor packer;

    /**
     * @param packer one thread; may drop what is too much
     */
    GossipOutbox(Gossip gossip, AgreementPeers peers, Executor packer) {
        this.gossip = gossip;
        this.peers = peers;
        this.packer = packer;
    }

    @Override
    public void relay(Message message, Source source) {
        send(message, peers.peer(source));
    }

    @Override
    public void broadcast(Message message) {
        send(message, null);
    }

    @Override
    public void tell(Message message, Source source) {
        Peer peer = peers.peer(source);
        if (peer == null) {
            return;
        }
        pass(
                message,
                (tag, bytes) -> {
                    boolean unused = peer.send(tag, bytes.array(), bytes.offset(), bytes.length());
                });
    }

    @Override
    public void disconnect(Source source) {
        Peer peer = peers.peer(source);
        if (peer != null) {
            gossip.reject(peer);
        }
    }

    private void send(Message message, @Nullable Peer except) {
        pass(
                message,
                (tag, bytes) ->
                        gossip.relay(tag, bytes.array(), bytes.offset(), bytes.length(), except));
    }

    private void pass(Message message, BiConsumer<Tag, Bytes> to) {
        switch (message) {
            case Message.OfVote(var vote) ->
                    to.accept(Tag.VOTE, Bytes.of(VoteEncoder.encode(vote)));
            case Message.OfBundle(var bundle) ->
                    to.accept(Tag.BUNDLE, Bytes.of(VoteEncoder.encode(bundle)));
            case Message.OfPayload(var payload, var vote) -> {
                try {
                    packer.execute(() -> to.accept(Tag.PROPOSAL, encode(payload, vote)));
                } catch (RejectedExecutionException closing) {
                    return;
                }
            }
        }
    }

    private static Bytes encode(Payload payload, @Nullable Vote vote) {
        return vote == null
                ? payload.encoding()
                : ProposalEncoder.withVote(payload.encoding(), vote);
    }
}
