package topspin.codec.block;

import static topspin.codec.block.Keys.*;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.BlockTransactionDecoder;

import java.util.ArrayList;
import java.util.List;

/**
 * The fields of a block's map in six runs, in key order, each written and read: between them a
 * proposal has fields of its own in the same map (agreement.md section 4). Reads from a reader that
 * its owner positions; one per thread. What it returns points into the array read.
 */
public final class BlockFields {
    private static final int TEXT_BYTES_MAX = 128;
    private static final int ACCOUNTS_MAX = 32;
    private static final int STATE_PROOF_TYPES_MAX = 1;
    private static final int DIGEST512_BYTES = 64;

    private final MsgpackReader in;
    private final BlockTransactionDecoder transactions;

    public BlockFields(MsgpackReader in) {
        this.in = in;
        this.transactions = new BlockTransactionDecoder(in);
    }

    /** From {@code bi} to {@code nextyes}. */
    public static void writeToNextProtocol(BlockHeader header, CanonicalWriter out) {
        out.uint(BI, header.bonus());
        out.uint(CT, header.congestionTax());
        out.uint(EARN, header.rewardsLevel());
        out.uint(FC, header.feesCollected());
        out.address(FEES, header.feeSink());
        out.uint(FRAC, header.rewardsResidue());
        out.text(GEN, header.genesisId());
        out.digest(GH, header.genesisHash());
        out.uint(LD, header.load());
        out.uint(NEXTBEFORE, header.nextProtocolVoteBefore());
        out.text(NEXTPROTO, header.nextProtocol());
        out.uint(NEXTSWITCH, header.nextProtocolSwitchOn());
        out.uint(NEXTYES, header.nextProtocolApprovals());
    }

    /** From {@code bi} to {@code nextyes}. */
    public void readToNextProtocol(BlockHeader.Draft draft) throws MalformedMessage {
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
    }

    /** From {@code partupdabs} to {@code prp}. */
    public static void writeToProposer(BlockHeader header, CanonicalWriter out) {
        addresses(PARTUPDABS, header.absentAccounts(), out);
        addresses(PARTUPDRMV, header.expiredAccounts(), out);
        out.uint(PP, header.payout());
        out.digest(PREV, header.previous());
        out.bytes(PREV512, header.previous512());
        out.text(PROTO, header.protocol());
        out.address(PRP, header.proposer());
    }

    /** From {@code partupdabs} to {@code prp}. */
    public void readToProposer(BlockHeader.Draft draft) throws MalformedMessage {
        draft.absentAccounts = addresses(PARTUPDABS);
        draft.expiredAccounts = addresses(PARTUPDRMV);
        draft.payout = in.uint(PP);
        draft.previous = in.digest(PREV);
        draft.previous512 = in.fixed(PREV512, DIGEST512_BYTES);
        draft.protocol = in.string(PROTO, TEXT_BYTES_MAX, "");
        draft.proposer = in.address(PRP);
    }

    /** From {@code rate} to {@code rwd}. */
    public static void writeToRewards(BlockHeader header, CanonicalWriter out) {
        out.uint(RATE, header.rewardsRate());
        out.uint(RND, header.round());
        out.uint(RWCALR, header.rewardsRecalculationRound());
        out.address(RWD, header.rewardsPool());
    }

    /** From {@code rate} to {@code rwd}. */
    public void readToRewards(BlockHeader.Draft draft) throws MalformedMessage {
        draft.rewardsRate = in.uint(RATE);
        draft.round = in.uint(RND);
        draft.rewardsRecalculationRound = in.uint(RWCALR);
        draft.rewardsPool = in.address(RWD);
    }

    /** From {@code seed} to {@code txn512}. */
    public static void writeToRoots(BlockHeader header, CanonicalWriter out) {
        out.digest(SEED, header.seed());
        tracking(header.stateProofTracking(), out);
        out.uint(TC, header.transactionCounter());
        out.signed(TS, header.timestamp());
        out.digest(TXN, header.transactionRoot());
        out.digest(TXN256, header.sha256Root());
        out.bytes(TXN512, header.sha512Root());
    }

    /** From {@code seed} to {@code txn512}. */
    public void readToRoots(BlockHeader.Draft draft) throws MalformedMessage {
        draft.seed = in.digest(SEED);
        draft.stateProofTracking = tracking();
        draft.transactionCounter = in.uint(TC);
        draft.timestamp = in.signed(TS);
        draft.transactionRoot = in.digest(TXN);
        draft.sha256Root = in.digest(TXN256);
        draft.sha512Root = in.fixed(TXN512, DIGEST512_BYTES);
    }

    /** {@code txns}. */
    public static void writeTransactions(List<BlockTransaction> transactions, CanonicalWriter out) {
        out.arrayHeader(TXNS, transactions.size());
        for (int index = 0; index < transactions.size(); index++) {
            out.raw(transactions.get(index).encoding());
        }
    }

    /**
     * {@code txns}. They get back the genesis id and hash that {@code draft} has.
     *
     * @throws MalformedMessage too if they are more than fit any block
     */
    public List<BlockTransaction> readTransactions(BlockHeader.Draft draft)
            throws MalformedMessage {
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
        return payset;
    }

    /** From {@code upgradedelay} on. */
    public static void writeUpgrade(BlockHeader header, CanonicalWriter out) {
        out.uint(UPGRADEDELAY, header.upgradeDelay());
        out.text(UPGRADEPROP, header.upgradePropose());
        out.flag(UPGRADEYES, header.upgradeApprove());
    }

    /** From {@code upgradedelay} on. */
    public void readUpgrade(BlockHeader.Draft draft) throws MalformedMessage {
        draft.upgradeDelay = in.uint(UPGRADEDELAY);
        draft.upgradePropose = in.string(UPGRADEPROP, TEXT_BYTES_MAX, "");
        draft.upgradeApprove = in.flag(UPGRADEYES);
    }

    private static void tracking(List<BlockHeader.StateProofTracking> types, CanonicalWriter out) {
        if (types.isEmpty()) {
            return;
        }
        out.key(SPT);
        out.writeMapHeader(types.size());
        for (int index = 0; index < types.size(); index++) {
            BlockHeader.StateProofTracking tracking = types.get(index);
            out.writeUint(tracking.type());
            long map = out.openMap();
            out.uint(N, tracking.nextRound());
            out.uint(T, tracking.onlineTotalWeight());
            out.bytes(V, tracking.votersCommitment());
            out.closeMap(map);
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

    private static void addresses(Key key, List<Address> addresses, CanonicalWriter out) {
        out.arrayHeader(key, addresses.size());
        for (int index = 0; index < addresses.size(); index++) {
            out.writeAddress(addresses.get(index));
        }
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
