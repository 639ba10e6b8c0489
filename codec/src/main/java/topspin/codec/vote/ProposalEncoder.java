package topspin.codec.vote;

import static topspin.codec.vote.Keys.*;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockFields;
import topspin.codec.block.BlockHeader;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

/** The canonical bytes of proposals, and their names: a block's fields with others in between. */
public final class ProposalEncoder {
    private static final int KEY_BYTES_MAX = 15;

    private ProposalEncoder() {}

    /** A proposal as it travels. */
    public static byte[] encode(ProposalMessage message) {
        return encoded(message.proposal(), message.vote()).toByteArray();
    }

    /** A proposal as it travels without a vote. */
    public static Bytes encode(Proposal proposal) {
        return written(encoded(proposal, null));
    }

    private static Bytes written(CanonicalWriter out) {
        return Bytes.of(out.array(), 0, out.position());
    }

    /** What votes for {@code proposal} name. */
    public static ProposalValue value(Proposal proposal) {
        return value(proposal, encode(proposal));
    }

    /**
     * The same, where its encoding is at hand.
     *
     * @param encoding as it travels without a vote
     */
    public static ProposalValue value(Proposal proposal, Bytes encoding) {
        byte[] digest = new byte[Digest.BYTES];
        Sha512_256.digest(
                Domain.PL, encoding.array(), encoding.offset(), encoding.length(), digest, 0);
        return new ProposalValue(
                proposal.originalPeriod(),
                proposal.originalProposer(),
                BlockEncoder.hash(proposal.block().header()),
                Digest.of(digest, 0));
    }

    /**
     * Puts a vote into a proposal that travelled, or was made, without one.
     *
     * @param plain what {@link #encode} gave for the proposal alone
     * @throws IllegalArgumentException if it is not that
     */
    public static Bytes withVote(Bytes plain, Vote vote) {
        try {
            var in = new MsgpackReader().reset(plain.array(), plain.offset(), plain.length());
            int fields = in.readMapHeader();
            int first = in.position();
            int place = first;
            for (int left = fields; left > 0 && isBeforeVote(in); left--) {
                in.skip();
                place = in.position();
            }
            var out = new CanonicalWriter(plain.length() + 1024);
            out.writeMapHeader(fields + 1);
            out.raw(plain.array(), first, place - first);
            long mark = out.openMapField(PV);
            VoteEncoder.fields(vote, out);
            out.closeMapField(PV, mark);
            out.raw(plain.array(), place, plain.offset() + plain.length() - place);
            return written(out);
        } catch (MalformedMessage none) {
            throw new IllegalArgumentException("no proposal: " + none.getMessage(), none);
        }
    }

    /**
     * Takes the vote out of a proposal that travels.
     *
     * @param travelling the whole array, as {@link #encode} gives it; where there is no vote in it,
     *     it is what is returned
     * @throws IllegalArgumentException if it is not that
     */
    public static Bytes withoutVote(byte[] travelling) {
        try {
            var in = new MsgpackReader().reset(travelling, 0, travelling.length);
            int fields = in.readMapHeader();
            int first = in.position();
            for (int left = fields; left > 0; left--) {
                int place = in.position();
                int order = in.readText(KEY_BYTES_MAX).toText().compareTo(PV.name());
                if (order > 0) {
                    break;
                }
                in.skip();
                if (order == 0) {
                    int behind = in.position();
                    var out = new CanonicalWriter(travelling.length);
                    out.writeMapHeader(fields - 1);
                    out.raw(travelling, first, place - first);
                    out.raw(travelling, behind, travelling.length - behind);
                    return written(out);
                }
            }
            return Bytes.of(travelling);
        } catch (MalformedMessage none) {
            throw new IllegalArgumentException("no proposal: " + none.getMessage(), none);
        }
    }

    /** Reads a key; whether its field stands before that of the vote. */
    private static boolean isBeforeVote(MsgpackReader in) throws MalformedMessage {
        Bytes key = in.readText(KEY_BYTES_MAX);
        return key.toText().compareTo(PV.name()) < 0;
    }

    private static CanonicalWriter encoded(Proposal proposal, @Nullable Vote vote) {
        var out = new CanonicalWriter(2048 + BlockEncoder.sizeHint(proposal.block()));
        BlockHeader header = proposal.block().header();
        long map = out.openMap();
        BlockFields.writeToNextProtocol(header, out);
        out.uint(OPER, proposal.originalPeriod());
        out.address(OPROP, proposal.originalProposer());
        BlockFields.writeToProposer(header, out);
        if (vote != null) {
            long fields = out.openMapField(PV);
            VoteEncoder.fields(vote, out);
            out.closeMapField(PV, fields);
        }
        BlockFields.writeToRewards(header, out);
        out.bytes(SDPF, proposal.seedProof());
        BlockFields.writeToRoots(header, out);
        BlockFields.writeTransactions(proposal.block().transactions(), out);
        BlockFields.writeUpgrade(header, out);
        out.closeMap(map);
        return out;
    }
}
