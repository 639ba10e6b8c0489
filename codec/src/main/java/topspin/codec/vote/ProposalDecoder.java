package topspin.codec.vote;

import static topspin.codec.vote.Keys.*;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.block.Block;
import topspin.codec.block.BlockFields;
import topspin.codec.block.BlockHeader;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.txn.BlockTransaction;

import java.util.List;

/**
 * Reads canonical proposals, and refuses all others with a reason and an offset: what it takes,
 * {@link ProposalEncoder} turns back into the same bytes. One per thread. What it returns points
 * into the array read, which must not change afterwards.
 */
public final class ProposalDecoder {
    private final MsgpackReader in = new MsgpackReader();
    private final BlockFields fields = new BlockFields(in);
    private final VoteDecoder votes = new VoteDecoder(in);

    /** Decodes a proposal as it travels, and nothing behind. */
    public ProposalMessage decode(byte[] bytes, int offset, int length) throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            return read();
        } finally {
            in.release();
        }
    }

    private ProposalMessage read() throws MalformedMessage {
        int outer = in.openMap();
        var draft = new BlockHeader.Draft();
        fields.readToNextProtocol(draft);
        long originalPeriod = in.uint(OPER);
        Address originalProposer = in.address(OPROP);
        fields.readToProposer(draft);
        Vote vote = null;
        if (in.atMap(PV)) {
            vote = votes.readVote();
            in.endField();
        }
        fields.readToRewards(draft);
        Bytes seedProof = in.fixed(SDPF, VoteDecoder.CREDENTIAL_BYTES);
        fields.readToRoots(draft);
        List<BlockTransaction> transactions = fields.readTransactions(draft);
        fields.readUpgrade(draft);
        in.closeElement(outer);
        if (!in.atEnd()) {
            throw in.malformed("bytes behind the end", in.position());
        }
        var block = new Block(draft.build(), transactions);
        return new ProposalMessage(
                new Proposal(block, originalPeriod, originalProposer, seedProof), vote);
    }
}
