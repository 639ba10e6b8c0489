package topspin.codec.vote;

import static topspin.codec.vote.Keys.*;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockFields;
import topspin.codec.block.BlockHeader;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;

/** The canonical bytes of proposals, and their names: a block's fields with others in between. */
public final class ProposalEncoder {
    private ProposalEncoder() {}

    /** A proposal as it travels. */
    public static byte[] encode(ProposalMessage message) {
        return encoded(message.proposal(), message.vote()).toByteArray();
    }

    /** What votes for {@code proposal} name. */
    public static ProposalValue value(Proposal proposal) {
        var out = encoded(proposal, null);
        byte[] digest = new byte[Digest.BYTES];
        Sha512_256.digest(Domain.PL, out.array(), 0, out.position(), digest, 0);
        return new ProposalValue(
                proposal.originalPeriod(),
                proposal.originalProposer(),
                BlockEncoder.hash(proposal.block().header()),
                Digest.of(digest, 0));
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
