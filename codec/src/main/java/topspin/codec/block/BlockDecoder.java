package topspin.codec.block;

import static topspin.codec.block.Keys.*;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.BlockTransactionDecoder;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads canonical blocks and headers, and refuses all others with a reason and an offset: what it
 * takes, {@link BlockEncoder} turns back into the same bytes. One per thread. What it returns
 * points into the array read, which must not change afterwards.
 */
public final class BlockDecoder {
    private static final int TEXT_BYTES_MAX = 128;
    private static final int ACCOUNTS_MAX = 32;
    private static final int STATE_PROOF_TYPES_MAX = 1;
    private static final int DIGEST512_BYTES = 64;

    private final MsgpackReader in = new MsgpackReader();
    private final BlockTransactionDecoder transactions = new BlockTransactionDecoder(in);

    /**
     * Decodes a block, and nothing behind. Its transactions get back the genesis id and hash that
     * the header says.
     */
    public Block decodeBlock(byte[] bytes, int offset, int length) throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            return readBlock();
        } finally {
            in.release();
        }
    }

    /** Decodes a block, and nothing behind. */
    public Block decodeBlock(byte[] bytes) throws MalformedMessage {
        return decodeBlock(bytes, 0, bytes.length);
    }

    /** Decodes a header, and nothing behind. */
    public BlockHeader decodeHeader(byte[] bytes, int offset, int length) throws MalformedMessage {
        in.reset(bytes, offset, length);
        try {
            int outer = in.openMap();
            var draft = new BlockHeader.Draft();
            readBefore(draft);
            readAfter(draft);
            in.closeElement(outer);
            refuseRest();
            return draft.build();
        } finally {
            in.release();
        }
    }

    /** Decodes a header, and nothing behind. */
    public BlockHeader decodeHeader(byte[] bytes) throws MalformedMessage {
        return decodeHeader(bytes, 0, bytes.length);
    }

    private Block readBlock() throws MalformedMessage {
        int outer = in.openMap();
        var draft = new BlockHeader.Draft();
        readBefore(draft);
        List<BlockTransaction> payset = List.of();
        int listStart = in.position();
        int size = in.array(TXNS, Block.TRANSACTIONS_MAX);
        if (size > 0) {
            // Grows as elements are read: the size is only what the sender says.
            payset = new ArrayList<>();
            for (int index = 0; index < size; index++) {
                payset.add(transactions.read(draft.genesisId, draft.genesisHash));
                if (in.position() - listStart > Block.TRANSACTIONS_BYTES_MAX + 5) {
                    throw in.malformed("transactions over the limit of a block", listStart);
                }
            }
            in.endField();
        }
        readAfter(draft);
        in.closeElement(outer);
        refuseRest();
        return new Block(draft.build(), payset);
    }

    private void readBefore(BlockHeader.Draft draft) throws MalformedMessage {
        draft.bonus = in.uint(BI);
        draft.congestionTax = in.uint(CT);
        draft.rewardsLevel = in.uint(EARN);
        draft.feesCollected = in.uint(FC);
        draft.feeSink = in.address(FEES);
        draft.rewardsResidue = in.uint(FRAC);
        draft.genesisId = in.string(GEN, TEXT_BYTES_MAX, "");
        draft.genesisHash = in.digest(GH);
        draft.load = in.uint(LD);
        draft.nextProtocolVoteBefore = in.uint(NEXTBEFORE);
        draft.nextProtocol = in.string(NEXTPROTO, TEXT_BYTES_MAX, "");
        draft.nextProtocolSwitchOn = in.uint(NEXTSWITCH);
        draft.nextProtocolApprovals = in.uint(NEXTYES);
        draft.absentAccounts = addresses(PARTUPDABS);
        draft.expiredAccounts = addresses(PARTUPDRMV);
        draft.payout = in.uint(PP);
        draft.previous = in.digest(PREV);
        draft.previous512 = in.fixed(PREV512, DIGEST512_BYTES);
        draft.protocol = in.string(PROTO, TEXT_BYTES_MAX, "");
        draft.proposer = in.address(PRP);
        draft.rewardsRate = in.uint(RATE);
        draft.round = in.uint(RND);
        draft.rewardsRecalculationRound = in.uint(RWCALR);
        draft.rewardsPool = in.address(RWD);
        draft.seed = in.digest(SEED);
        draft.stateProofTracking = tracking();
        draft.transactionCounter = in.uint(TC);
        draft.timestamp = in.signed(TS);
        draft.transactionRoot = in.digest(TXN);
        draft.sha256Root = in.digest(TXN256);
        draft.sha512Root = in.fixed(TXN512, DIGEST512_BYTES);
    }

    private void readAfter(BlockHeader.Draft draft) throws MalformedMessage {
        draft.upgradeDelay = in.uint(UPGRADEDELAY);
        draft.upgradePropose = in.string(UPGRADEPROP, TEXT_BYTES_MAX, "");
        draft.upgradeApprove = in.flag(UPGRADEYES);
    }

    private void refuseRest() throws MalformedMessage {
        if (!in.atEnd()) {
            throw in.malformed("bytes behind the end", in.position());
        }
    }

    private List<BlockHeader.StateProofTracking> tracking() throws MalformedMessage {
        if (!in.atMap(SPT)) {
            return List.of();
        }
        int start = in.position();
        int size = in.readMapHeader();
        if (size > STATE_PROOF_TYPES_MAX) {
            throw in.malformed(size + " over the limit of " + STATE_PROOF_TYPES_MAX, start);
        }
        List<BlockHeader.StateProofTracking> types = new ArrayList<>(size);
        for (int index = 0; index < size; index++) {
            long type = in.readUint();
            int outer = in.openMap();
            long nextRound = in.uint(N);
            long onlineTotalWeight = in.uint(T);
            Bytes votersCommitment = in.bytes(V, DIGEST512_BYTES);
            in.closeElement(outer);
            types.add(
                    new BlockHeader.StateProofTracking(
                            type, nextRound, onlineTotalWeight, votersCommitment));
        }
        in.endField();
        return types;
    }

    private List<Address> addresses(Key key) throws MalformedMessage {
        int size = in.array(key, ACCOUNTS_MAX);
        if (size == 0) {
            return List.of();
        }
        List<Address> addresses = new ArrayList<>(size);
        for (int index = 0; index < size; index++) {
            addresses.add(in.readAddress());
        }
        in.endField();
        return addresses;
    }
}
