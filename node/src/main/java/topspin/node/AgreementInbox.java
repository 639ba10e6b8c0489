package topspin.node;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.ProposalDecoder;
import topspin.codec.vote.ProposalMessage;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteDecoder;
import topspin.net.Inbox;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Verdict;
import topspin.node.agreement.Source;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/**
 * Votes, proposals and bundles of peers on their way to agreement: copied, decoded, handed on. What
 * does not decode ends its peer, but for proposals, which are dropped; all else about them is for
 * the state machine to say, which also passes on what is right (agreement.md 7.2). Called on event
 * loops; what takes its time is decoded by workers.
 */
final class AgreementInbox implements Inbox {
    /** Proposals and bundles that are being decoded, or wait for it; each takes up to 6 MB. */
    private static final int DECODING_MAX = 16;

    private static final ThreadLocal<VoteDecoder> VOTES = ThreadLocal.withInitial(VoteDecoder::new);
    private static final ThreadLocal<ProposalDecoder> PROPOSALS =
            ThreadLocal.withInitial(ProposalDecoder::new);

    private final Semaphore room = new Semaphore(DECODING_MAX);
    private volatile @Nullable Recipient recipient;
    private volatile @Nullable Executor workers;

    /** Messages dropped because too many were being decoded. */
    final LongAdder crowded = new LongAdder();

    /** Messages that were none. */
    final LongAdder malformed = new LongAdder();

    /** Takes what was decoded. */
    interface Recipient {
        void vote(Vote vote, Source source);

        /**
         * @param bytes what it was decoded from, all of them
         */
        void proposal(ProposalMessage message, byte[] bytes, Source source);

        void bundle(topspin.codec.vote.Bundle bundle, Source source);

        /** A peer is there. */
        void arrived(Source source);

        /** Stands for a peer. */
        Source source(Peer peer);

        /** Ends a peer that sent what is no message. */
        void reject(Peer peer);
    }

    /** Before this, all is ignored. */
    void start(Recipient to, Executor decoders) {
        workers = decoders;
        recipient = to;
    }

    @Override
    public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
        Recipient to = recipient;
        Executor decoders = workers;
        if (to == null || decoders == null) {
            return Verdict.IGNORE;
        }
        byte[] bytes = new byte[body.readableBytes()];
        body.readBytes(bytes);
        if (tag == Tag.VOTE) {
            return offerVote(bytes, peer, to);
        }
        if (!room.tryAcquire()) {
            crowded.increment();
            return Verdict.IGNORE;
        }
        try {
            decoders.execute(
                    () -> {
                        try {
                            decode(bytes, tag, peer, to);
                        } finally {
                            room.release();
                        }
                    });
        } catch (RejectedExecutionException closing) {
            room.release();
        }
        return Verdict.IGNORE;
    }

    @Override
    public void arrived(Peer peer) {
        Recipient to = recipient;
        if (to != null) {
            to.arrived(to.source(peer));
        }
    }

    private Verdict offerVote(byte[] bytes, Peer peer, Recipient to) {
        try {
            to.vote(VOTES.get().decodeVote(bytes, 0, bytes.length), to.source(peer));
            return Verdict.IGNORE; // It is passed on once it has been judged.
        } catch (MalformedMessage none) {
            malformed.increment();
            return Verdict.REJECT;
        }
    }

    private void decode(byte[] bytes, Tag tag, Peer peer, Recipient to) {
        try {
            if (tag == Tag.BUNDLE) {
                to.bundle(VOTES.get().decodeBundle(bytes, 0, bytes.length), to.source(peer));
            } else {
                ProposalMessage message = PROPOSALS.get().decode(bytes, 0, bytes.length);
                to.proposal(message, bytes, to.source(peer));
            }
        } catch (MalformedMessage none) {
            malformed.increment();
            if (tag == Tag.BUNDLE) {
                to.reject(peer);
            }
        }
    }
}
