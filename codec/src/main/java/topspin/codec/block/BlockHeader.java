package topspin.codec.block;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;

import java.util.List;

/**
 * What a block says of itself (block.md section 1). Integers are unsigned unless said otherwise;
 * what is zero or empty is absent on the wire.
 *
 * @param round 0 only in the genesis block
 * @param previous hash of the previous header
 * @param previous512 SHA-512 of the previous header, 64 bytes or empty
 * @param seed of sortition
 * @param transactionRoot Merkle root over the transactions, SHA-512/256
 * @param sha256Root vector commitment, SHA-256
 * @param sha512Root vector commitment, SHA-512, 64 bytes or empty
 * @param timestamp seconds since 1970, signed
 * @param genesisId the network's name
 * @param genesisHash the network's identity
 * @param proposer zero in dev mode
 * @param feesCollected microalgos, those paid by the sink left out
 * @param bonus microalgos
 * @param payout microalgos moved from the sink to the proposer
 * @param rewardsLevel microalgos per reward unit, ever
 * @param rewardsRate microalgos to distribute a round
 * @param rewardsResidue microalgos left over
 * @param rewardsRecalculationRound when the rate is set next
 * @param protocol rules of this block
 * @param nextProtocol rules being voted on, or empty
 * @param nextProtocolApprovals votes for them
 * @param nextProtocolVoteBefore round that ends the vote
 * @param nextProtocolSwitchOn round that they begin with
 * @param upgradePropose rules that this block proposes, or empty
 * @param upgradeDelay rounds from the end of the vote to the switch
 * @param upgradeApprove this block's vote
 * @param transactionCounter transactions ever, inner ones too
 * @param stateProofTracking by type, ascending
 * @param expiredAccounts whose keys have run out
 * @param absentAccounts that have not been heard of
 * @param load millionths of a full block
 * @param congestionTax millionths
 */
public record BlockHeader(
        long round,
        Digest previous,
        Bytes previous512,
        Digest seed,
        Digest transactionRoot,
        Digest sha256Root,
        Bytes sha512Root,
        long timestamp,
        String genesisId,
        Digest genesisHash,
        Address proposer,
        long feesCollected,
        long bonus,
        long payout,
        Address feeSink,
        Address rewardsPool,
        long rewardsLevel,
        long rewardsRate,
        long rewardsResidue,
        long rewardsRecalculationRound,
        String protocol,
        String nextProtocol,
        long nextProtocolApprovals,
        long nextProtocolVoteBefore,
        long nextProtocolSwitchOn,
        String upgradePropose,
        long upgradeDelay,
        boolean upgradeApprove,
        long transactionCounter,
        List<StateProofTracking> stateProofTracking,
        List<Address> expiredAccounts,
        List<Address> absentAccounts,
        long load,
        long congestionTax) {

    public BlockHeader {
        stateProofTracking = List.copyOf(stateProofTracking);
        expiredAccounts = List.copyOf(expiredAccounts);
        absentAccounts = List.copyOf(absentAccounts);
    }

    /**
     * How far state proofs of one type are.
     *
     * @param type the key in the map; 0 is the only one in use
     * @param nextRound last round of the interval that the next proof attests
     * @param onlineTotalWeight microalgos
     * @param votersCommitment 64 bytes or empty
     */
    public record StateProofTracking(
            long type, long nextRound, long onlineTotalWeight, Bytes votersCommitment) {}

    /** The same header, that does not keep alive the block's bytes that it was read from. */
    public BlockHeader compact() {
        Draft draft = toDraft();
        draft.previous512 = previous512.compact();
        draft.sha512Root = sha512Root.compact();
        draft.stateProofTracking =
                stateProofTracking.stream()
                        .map(
                                next ->
                                        new StateProofTracking(
                                                next.type,
                                                next.nextRound,
                                                next.onlineTotalWeight,
                                                next.votersCommitment.compact()))
                        .toList();
        return draft.build();
    }

    /** A draft that starts as this header. */
    public Draft toDraft() {
        var draft = new Draft();
        draft.round = round;
        draft.previous = previous;
        draft.previous512 = previous512;
        draft.seed = seed;
        draft.transactionRoot = transactionRoot;
        draft.sha256Root = sha256Root;
        draft.sha512Root = sha512Root;
        draft.timestamp = timestamp;
        draft.genesisId = genesisId;
        draft.genesisHash = genesisHash;
        draft.proposer = proposer;
        draft.feesCollected = feesCollected;
        draft.bonus = bonus;
        draft.payout = payout;
        draft.feeSink = feeSink;
        draft.rewardsPool = rewardsPool;
        draft.rewardsLevel = rewardsLevel;
        draft.rewardsRate = rewardsRate;
        draft.rewardsResidue = rewardsResidue;
        draft.rewardsRecalculationRound = rewardsRecalculationRound;
        draft.protocol = protocol;
        draft.nextProtocol = nextProtocol;
        draft.nextProtocolApprovals = nextProtocolApprovals;
        draft.nextProtocolVoteBefore = nextProtocolVoteBefore;
        draft.nextProtocolSwitchOn = nextProtocolSwitchOn;
        draft.upgradePropose = upgradePropose;
        draft.upgradeDelay = upgradeDelay;
        draft.upgradeApprove = upgradeApprove;
        draft.transactionCounter = transactionCounter;
        draft.stateProofTracking = stateProofTracking;
        draft.expiredAccounts = expiredAccounts;
        draft.absentAccounts = absentAccounts;
        draft.load = load;
        draft.congestionTax = congestionTax;
        return draft;
    }

    /** A header in the making: its fields, all zero at first. Not for several threads. */
    public static final class Draft {
        public long round;
        public Digest previous = Digest.ZERO;
        public Bytes previous512 = Bytes.EMPTY;
        public Digest seed = Digest.ZERO;
        public Digest transactionRoot = Digest.ZERO;
        public Digest sha256Root = Digest.ZERO;
        public Bytes sha512Root = Bytes.EMPTY;
        public long timestamp;
        public String genesisId = "";
        public Digest genesisHash = Digest.ZERO;
        public Address proposer = Address.ZERO;
        public long feesCollected;
        public long bonus;
        public long payout;
        public Address feeSink = Address.ZERO;
        public Address rewardsPool = Address.ZERO;
        public long rewardsLevel;
        public long rewardsRate;
        public long rewardsResidue;
        public long rewardsRecalculationRound;
        public String protocol = "";
        public String nextProtocol = "";
        public long nextProtocolApprovals;
        public long nextProtocolVoteBefore;
        public long nextProtocolSwitchOn;
        public String upgradePropose = "";
        public long upgradeDelay;
        public boolean upgradeApprove;
        public long transactionCounter;
        public List<StateProofTracking> stateProofTracking = List.of();
        public List<Address> expiredAccounts = List.of();
        public List<Address> absentAccounts = List.of();
        public long load;
        public long congestionTax;

        /** The header as the fields are now. */
        public BlockHeader build() {
            return new BlockHeader(
                    round,
                    previous,
                    previous512,
                    seed,
                    transactionRoot,
                    sha256Root,
                    sha512Root,
                    timestamp,
                    genesisId,
                    genesisHash,
                    proposer,
                    feesCollected,
                    bonus,
                    payout,
                    feeSink,
                    rewardsPool,
                    rewardsLevel,
                    rewardsRate,
                    rewardsResidue,
                    rewardsRecalculationRound,
                    protocol,
                    nextProtocol,
                    nextProtocolApprovals,
                    nextProtocolVoteBefore,
                    nextProtocolSwitchOn,
                    upgradePropose,
                    upgradeDelay,
                    upgradeApprove,
                    transactionCounter,
                    stateProofTracking,
                    expiredAccounts,
                    absentAccounts,
                    load,
                    congestionTax);
        }
    }
}
