package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.DigestSet;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.BlockHeader.StateProofTracking;
import topspin.codec.block.TransactionRoot;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.Limits;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TxIdHasher;
import topspin.ledger.StateDelta.AccountChange;
import topspin.ledger.StateDelta.AssetChange;
import topspin.ledger.StateDelta.CommittedId;
import topspin.ledger.StateDelta.HoldingChange;
import topspin.ledger.StateDelta.Lease;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.Uint64;
import topspin.ledger.apply.ApplyTransaction;
import topspin.ledger.apply.BlockContext;
import topspin.ledger.apply.Effects;
import topspin.ledger.apply.Fees;
import topspin.ledger.apply.WorkingState;
import topspin.ledger.rules.Alive;
import topspin.ledger.rules.GroupRules;
import topspin.ledger.rules.GroupVerifier;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Rules;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedGroup;
import topspin.ledger.rules.WellFormed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Evaluates groups on top of a round, one after the other, and makes the next block of them; or
 * evaluates a block that another node made and finds whether it is what it says. For one thread.
 *
 * <p>The same groups in the same order give the same block and the same {@link StateDelta}, byte
 * for byte: nothing here depends on a clock, on chance or on the order of a hash table (I10).
 */
public final class BlockEvaluator {
    /** Whose blocks are judged: what agreement settles is left out where there is none. */
    public enum Origin {
        /** Certified by agreement: names its proposer. */
        AGREEMENT,
        /** Made by the one producer of a dev mode: proposer empty, payout 0, seed unchecked. */
        DEV_MODE;

        /** Who makes the blocks of a network. */
        public static Origin of(Genesis genesis) {
            return genesis.devMode() ? DEV_MODE : AGREEMENT;
        }
    }

    /** What came of a block that another node made. */
    public record Outcome(@Nullable EvaluatedBlock block, @Nullable Refusal refusal) {
        public Outcome {
            if ((block == null) == (refusal == null)) {
                throw new IllegalArgumentException("neither evaluated nor refused, or both");
            }
        }
    }

    private record LeaseKey(Address sender, Digest lease) {}

    private final RoundState base;
    private final BlockHeader.Draft header;
    private final Rules rules;
    private final BlockContext context;
    private final WorkingState state;
    private final EndOfBlock end;
    private final Effects effects = new Effects();

    private final List<BlockTransaction> transactions = new ArrayList<>();
    private final DigestSet ids = new DigestSet();
    private final List<CommittedId> committed = new ArrayList<>();
    private final Map<LeaseKey, Long> leases = new HashMap<>();
    private final List<Lease> leasesTaken = new ArrayList<>();
    private long bytes;
    private long feesCollected;
    private long counter;

    /** Set when this state is no longer that of one block: it does not make one any more. */
    private boolean beyondOneBlock;

    /**
     * An evaluator for the block after {@code base}, with nothing in it yet.
     *
     * @param timestamp wall clock in seconds, clamped into what the previous block allows
     * @throws IllegalStateException when this node does not know the rules of that block, or the
     *     rewards pool cannot pay what is due: the chain stops here
     */
    public BlockEvaluator(RoundState base, ConsensusVersions versions, long timestamp) {
        this(base, versions, NextHeader.draft(base, versions, timestamp));
        Refusal refusal = withdrawRewards();
        if (refusal != null) {
            throw new IllegalStateException(
                    "round " + header.round + " cannot be made: " + refusal.text());
        }
    }

    /** The draft's protocol must be known. */
    private BlockEvaluator(RoundState base, ConsensusVersions versions, BlockHeader.Draft header) {
        this.base = base;
        this.header = header;
        ConsensusParams params = Objects.requireNonNull(versions.get(header.protocol));
        rules = new Rules(header.protocol, params, header.feeSink, header.rewardsPool);
        context =
                new BlockContext(
                        header.round,
                        params,
                        header.feeSink,
                        header.rewardsPool,
                        header.rewardsLevel);
        state = new WorkingState(base);
        end = new EndOfBlock(base, versions, context, state);
        counter = base.header().transactionCounter();
    }

    private BlockEvaluator(BlockEvaluator other) {
        base = other.base;
        header = other.header;
        rules = other.rules;
        context = other.context;
        state = other.state.copy();
        end = other.end.on(state);
        transactions.addAll(other.transactions);
        committed.addAll(other.committed);
        committed.forEach(each -> ids.add(each.id()));
        leases.putAll(other.leases);
        leasesTaken.addAll(other.leasesTaken);
        bytes = other.bytes;
        feesCollected = other.feesCollected;
        counter = other.counter;
        beyondOneBlock = other.beyondOneBlock;
    }

    /**
     * The same with all that was added, which from here on goes its own way: so that a block is
     * finished on one thread while more is added on another. Takes far less than either.
     */
    public BlockEvaluator copy() {
        return new BlockEvaluator(this);
    }

    /** The round of the block being made. */
    public long round() {
        return header.round;
    }

    /** The rules of the block being made. */
    public Rules rules() {
        return rules;
    }

    /** Transactions in the block so far. */
    public int size() {
        return transactions.size();
    }

    /** Bytes they take in the block, at most {@link ConsensusParams#maxTxnBytesPerBlock}. */
    public long bytes() {
        return bytes;
    }

    /**
     * Adds a group, all of it or nothing. {@link Reason#NO_SPACE} means that the block is full: it
     * may be finished, or {@link #startNextBlock} goes on without a block.
     *
     * @return null when the group is in
     */
    public @Nullable Refusal add(VerifiedGroup verified) {
        TransactionGroup group = verified.group();
        if (!verified.protocol().equals(rules.protocol())) {
            Refusal refusal = checkAgain(group);
            if (refusal != null) {
                return refusal;
            }
        }
        return evaluate(group, null, 0);
    }

    /**
     * How a trial went.
     *
     * @param applied what each member did, up to the one that failed
     * @param refusal why the group may not be in a block; null if it may
     * @param failedAt the member that failed, or the last where the group as a whole did; -1 if
     *     none
     */
    record Trial(List<ApplyData> applied, @Nullable Refusal refusal, int failedAt) {}

    /**
     * Applies a group whose form is right, whoever signed it, to see what it would do. From here on
     * there is no block to finish.
     */
    Trial tryOut(TransactionGroup group) {
        beyondOneBlock = true;
        List<ApplyData> applied = new ArrayList<>();
        state.begin();
        Refusal refusal = null;
        for (int i = 0; i < group.size() && refusal == null; i++) {
            refusal = evaluate(group.get(i), (BlockTransaction) null);
            if (refusal == null) {
                applied.add(transactions.getLast().applied());
            }
        }
        int failedAt = refusal == null ? -1 : applied.size();
        if (refusal == null) {
            refusal = Fees.check(group, rules.params());
            failedAt = refusal == null ? -1 : group.size() - 1;
        }
        state.rollback();
        return new Trial(applied, refusal, failedAt);
    }

    /** Rules may have changed since the group was verified: what depends on them is asked again. */
    private @Nullable Refusal checkAgain(TransactionGroup group) {
        for (int i = 0; i < group.size(); i++) {
            Refusal refusal = WellFormed.check(group.get(i).txn(), rules);
            if (refusal != null) {
                return refusal.malformed(group.get(i).id());
            }
        }
        return GroupRules.check(group, rules);
    }

    /**
     * Takes up counting bytes for the block after this one, on the same state: for a pool that
     * wants to know whether more groups than fit one block are good. From here on there is no block
     * to finish.
     */
    public void startNextBlock() {
        beyondOneBlock = true;
        transactions.clear();
        bytes = 0;
    }

    /** What the proposer of a block of all groups that were added may be paid, in microalgos. */
    public long payoutMax() {
        return end.payoutMax(feesCollected, header.bonus);
    }

    /**
     * The block of all groups that were added. The evaluator is unchanged and may go on.
     *
     * @throws IllegalStateException after {@link #startNextBlock} or a trial
     */
    public EvaluatedBlock finish(BlockMaker maker) {
        if (beyondOneBlock) {
            throw new IllegalStateException("the block was left behind for the next one");
        }
        BlockHeader.Draft draft = header.build().toDraft();
        end.fillLists(draft, maker);
        TransactionRoot root = TransactionRoot.of(transactions);
        draft.transactionRoot = root.sha512_256();
        draft.sha256Root = root.sha256();
        draft.sha512Root = root.sha512();
        draft.transactionCounter = counter;
        draft.feesCollected = feesCollected;
        draft.load = rules.params().loadTracking() ? NextHeader.load(bytes, rules.params()) : 0;
        draft.seed = maker.seed();
        draft.proposer = maker.proposer();
        boolean paid =
                maker.payoutEligible()
                        && !maker.proposer().isZero()
                        && !state.account(maker.proposer()).isEmpty();
        draft.payout = paid ? end.payoutMax(feesCollected, draft.bonus) : 0;
        BlockHeader finished = draft.build();
        state.begin();
        try {
            Refusal refusal = applyEnd(finished);
            if (refusal != null) {
                throw new IllegalStateException("our own block is refused: " + refusal);
            }
            return new EvaluatedBlock(new Block(finished, transactions), delta(finished));
        } finally {
            state.rollback();
        }
    }

    /**
     * Judges a block that another node made: everything in it but its certificate and seed, which
     * agreement answers for.
     *
     * @param signatures verifies what it has not verified already; nobody else's meanwhile
     * @return the block with all it changes, or the first rule that it breaks
     */
    public static Outcome validate(
            Block block,
            RoundState base,
            ConsensusVersions versions,
            GroupVerifier signatures,
            Origin origin) {
        BlockHeader given = block.header();
        ConsensusParams params = versions.get(given.protocol());
        ConsensusParams before = versions.get(base.header().protocol());
        if (params == null || before == null) {
            return refused(Reason.PROTOCOL_UNSUPPORTED.refusal(given.protocol()));
        }
        BlockHeader.Draft draft = new BlockHeader.Draft();
        Refusal refusal = checkHeader(given, base, before, params, origin, draft);
        if (refusal != null) {
            return refused(refusal);
        }
        BlockEvaluator evaluator = new BlockEvaluator(base, versions, draft);
        refusal = evaluator.withdrawRewards();
        if (refusal == null) {
            refusal = evaluator.evaluateAll(block.transactions(), signatures);
        }
        if (refusal == null) {
            refusal = evaluator.checkContents(block, origin);
        }
        if (refusal != null) {
            return refused(refusal);
        }
        evaluator.state.begin();
        refusal = evaluator.applyEnd(given);
        return refusal != null
                ? refused(refusal)
                : new Outcome(new EvaluatedBlock(block, evaluator.delta(given)), null);
    }

    /**
     * One group of a block.
     *
     * @param first its first member's place in the block
     * @param group the group
     * @param delta what it changed by itself, each kind in order of first writes; totals are those
     *     before the block
     */
    public record GroupChanges(int first, TransactionGroup group, StateDelta delta) {}

    /**
     * What each group changed, in order.
     *
     * @param block one that was found right on the same base
     */
    public static List<GroupChanges> groupChanges(
            Block block, RoundState base, ConsensusVersions versions) {
        BlockHeader.Draft draft = block.header().toDraft();
        BlockEvaluator evaluator = new BlockEvaluator(base, versions, draft);
        List<TransactionGroup> groups = new ArrayList<>();
        Refusal refusal = evaluator.withdrawRewards();
        if (refusal == null) {
            refusal = evaluator.collectGroups(block.transactions(), groups);
        }
        List<GroupChanges> all = new ArrayList<>();
        for (TransactionGroup group : groups) {
            int first = evaluator.committed.size();
            int leased = evaluator.leasesTaken.size();
            List<AccountChange> accounts = new ArrayList<>();
            List<HoldingChange> holdings = new ArrayList<>();
            List<AssetChange> assets = new ArrayList<>();
            if (refusal == null) {
                refusal = evaluator.evaluate(group, collector(accounts, holdings, assets));
            }
            if (refusal != null) {
                throw new IllegalStateException(
                        "block " + block.round() + " was right before: " + refusal);
            }
            List<CommittedId> ids = evaluator.committed;
            List<Lease> leases = evaluator.leasesTaken;
            all.add(
                    new GroupChanges(
                            first,
                            group,
                            new StateDelta(
                                    block.round(),
                                    accounts,
                                    holdings,
                                    assets,
                                    ids.subList(first, ids.size()),
                                    leases.subList(leased, leases.size()),
                                    base.totals())));
        }
        return all;
    }

    private static WorkingState.GroupVisitor collector(
            List<AccountChange> accounts, List<HoldingChange> holdings, List<AssetChange> assets) {
        return new WorkingState.GroupVisitor() {
            @Override
            public void account(int turn, Address address, Account before, Account after) {
                accounts.add(new AccountChange(address, before, after, turn));
            }

            @Override
            public void holding(
                    int turn,
                    Address address,
                    long asset,
                    @Nullable Holding before,
                    @Nullable Holding after) {
                holdings.add(new HoldingChange(address, asset, before, after, turn));
            }

            @Override
            public void asset(
                    int turn,
                    long asset,
                    @Nullable AssetRecord before,
                    @Nullable AssetRecord after) {
                assets.add(new AssetChange(asset, before, after, turn));
            }
        };
    }

    /** Evaluates a group and, when it is good, shows what it wrote before that is kept. */
    private @Nullable Refusal evaluate(TransactionGroup group, WorkingState.GroupVisitor visitor) {
        state.begin();
        Refusal refusal = null;
        for (int i = 0; i < group.size() && refusal == null; i++) {
            refusal = evaluate(group.get(i), (BlockTransaction) null);
        }
        state.forEachOfGroup(visitor);
        state.commit();
        return refusal;
    }

    private static Outcome refused(Refusal refusal) {
        return new Outcome(null, refusal);
    }

    /**
     * What can be told of a header without its transactions; fills the draft with what it must be.
     */
    private static @Nullable Refusal checkHeader(
            BlockHeader given,
            RoundState base,
            ConsensusParams before,
            ConsensusParams params,
            Origin origin,
            BlockHeader.Draft draft) {
        BlockHeader previous = base.header();
        draft.round = previous.round() + 1;
        if (given.round() != draft.round) {
            return Reason.BLOCK_ROUND.refusal(given.round(), draft.round);
        }
        draft.upgradePropose = given.upgradePropose();
        draft.upgradeDelay = given.upgradeDelay();
        draft.upgradeApprove = given.upgradeApprove();
        Refusal refusal = NextHeader.applyVote(previous, before, draft);
        if (refusal != null) {
            return refusal;
        }
        if (!given.protocol().equals(draft.protocol)
                || !given.nextProtocol().equals(draft.nextProtocol)
                || given.nextProtocolApprovals() != draft.nextProtocolApprovals
                || given.nextProtocolVoteBefore() != draft.nextProtocolVoteBefore
                || given.nextProtocolSwitchOn() != draft.nextProtocolSwitchOn) {
            return Reason.BLOCK_UPGRADE_STATE.refusal(
                    upgradeState(draft.build()), upgradeState(given));
        }
        draft.timestamp = given.timestamp();
        if (previous.timestamp() > 0) {
            if (given.timestamp() < previous.timestamp()) {
                return Reason.BLOCK_TIME_BEFORE.refusal(given.timestamp(), previous.timestamp());
            }
            // The producer of a dev mode may have been told to let an hour pass.
            if (origin == Origin.AGREEMENT
                    && given.timestamp() - previous.timestamp() > params.maxTimestampIncrement()) {
                return Reason.BLOCK_TIME_BEYOND.refusal(
                        given.timestamp(), previous.timestamp(), params.maxTimestampIncrement());
            }
        }
        NextHeader.derive(base, before, params, draft);
        return compare(given, draft);
    }

    private static @Nullable Refusal compare(BlockHeader given, BlockHeader.Draft expected) {
        if (!given.previous().equals(expected.previous)) {
            return Reason.BLOCK_PREVIOUS.refusal(given.previous(), expected.previous);
        }
        if (!given.previous512().equals(expected.previous512)) {
            return Reason.BLOCK_PREVIOUS512.refusal(given.previous512(), expected.previous512);
        }
        if (given.genesisId().isEmpty()) {
            return Reason.BLOCK_GENESIS_ID_MISSING.refusal();
        }
        if (!given.genesisId().equals(expected.genesisId)) {
            return Reason.BLOCK_GENESIS_ID.refusal(given.genesisId(), expected.genesisId);
        }
        if (given.genesisHash().isZero()) {
            return Reason.BLOCK_GENESIS_HASH_MISSING.refusal();
        }
        if (!given.genesisHash().equals(expected.genesisHash)) {
            return Reason.BLOCK_GENESIS_HASH.refusal(given.genesisHash(), expected.genesisHash);
        }
        if (!given.feeSink().equals(expected.feeSink)
                || !given.rewardsPool().equals(expected.rewardsPool)
                || given.rewardsLevel() != expected.rewardsLevel
                || given.rewardsRate() != expected.rewardsRate
                || given.rewardsResidue() != expected.rewardsResidue
                || given.rewardsRecalculationRound() != expected.rewardsRecalculationRound) {
            return Reason.BLOCK_REWARDS.refusal(
                    rewardsState(given), rewardsState(expected.build()));
        }
        if (given.bonus() != expected.bonus) {
            return Reason.BLOCK_BONUS.refusal(given.bonus(), expected.bonus);
        }
        if (given.congestionTax() != expected.congestionTax) {
            return Reason.BLOCK_CONGESTION.refusal(given.congestionTax(), expected.congestionTax);
        }
        return null;
    }

    private static @Nullable Refusal compareStateProofs(
            List<StateProofTracking> given, List<StateProofTracking> expected) {
        if (given.equals(expected)) {
            return null;
        }
        StateProofTracking none = new StateProofTracking(0, 0, 0, topspin.codec.Bytes.EMPTY);
        StateProofTracking stated = none;
        for (StateProofTracking tracking : given) {
            if (tracking.type() != 0 || expected.isEmpty()) {
                return Reason.BLOCK_STATE_PROOF_TYPE.refusal(tracking.type());
            }
            stated = tracking;
        }
        StateProofTracking right = expected.isEmpty() ? none : expected.getFirst();
        if (stated.nextRound() != right.nextRound()) {
            return Reason.BLOCK_STATE_PROOF_NEXT.refusal(stated.nextRound(), right.nextRound());
        }
        if (stated.onlineTotalWeight() != right.onlineTotalWeight()) {
            return Reason.BLOCK_STATE_PROOF_WEIGHT.refusal(
                    stated.onlineTotalWeight(), right.onlineTotalWeight());
        }
        return Reason.BLOCK_STATE_PROOF_VOTERS.refusal(
                stated.votersCommitment(), right.votersCommitment());
    }

    private static String upgradeState(BlockHeader header) {
        return "{"
                + String.join(
                        " ",
                        header.protocol(),
                        header.nextProtocol(),
                        Long.toUnsignedString(header.nextProtocolApprovals()),
                        Long.toUnsignedString(header.nextProtocolVoteBefore()),
                        Long.toUnsignedString(header.nextProtocolSwitchOn()))
                + "}";
    }

    private static String rewardsState(BlockHeader header) {
        return "{FeeSink:"
                + header.feeSink()
                + " RewardsPool:"
                + header.rewardsPool()
                + " RewardsLevel:"
                + Long.toUnsignedString(header.rewardsLevel())
                + " RewardsRate:"
                + Long.toUnsignedString(header.rewardsRate())
                + " RewardsResidue:"
                + Long.toUnsignedString(header.rewardsResidue())
                + " RewardsRecalculationRound:"
                + Long.toUnsignedString(header.rewardsRecalculationRound())
                + "}";
    }

    /** Takes from the pool what this block's rise of the level lets all accounts earn. */
    private @Nullable Refusal withdrawRewards() {
        long rise = header.rewardsLevel - base.header().rewardsLevel();
        long units = base.totals().earningUnits();
        long due = Uint64.saturatingMultiply(units, rise);
        Account pool = state.account(header.rewardsPool);
        long minimum = rules.params().minBalance();
        if (Uint64.less(pool.balance(), Uint64.saturatingAdd(due, minimum))) {
            return Reason.BLOCK_REWARDS_POOL.refusal(units, minimum);
        }
        state.begin();
        state.putAccount(header.rewardsPool, pool.withBalance(pool.balance() - due));
        state.commit();
        return null;
    }

    /**
     * Evaluates a group on a child of the state.
     *
     * @param recorded the block that the group stands in, at {@code from}, when another node made
     *     it: what applying the group does must be what it says
     */
    private @Nullable Refusal evaluate(
            TransactionGroup group, @Nullable List<BlockTransaction> recorded, int from) {
        int transactionsBefore = transactions.size();
        int leasesBefore = leasesTaken.size();
        int committedBefore = committed.size();
        long bytesBefore = bytes;
        long feesBefore = feesCollected;
        long counterBefore = counter;
        state.begin();
        Refusal refusal = null;
        for (int i = 0; i < group.size() && refusal == null; i++) {
            refusal = evaluate(group.get(i), recorded == null ? null : recorded.get(from + i));
        }
        if (refusal == null) {
            refusal = Fees.check(group, rules.params());
        }
        if (refusal == null) {
            state.commit();
            return null;
        }
        state.rollback();
        for (int i = committed.size(); i-- > committedBefore; ) {
            ids.remove(committed.remove(i).id());
        }
        for (int i = leasesTaken.size(); i-- > leasesBefore; ) {
            Lease lease = leasesTaken.remove(i);
            leases.remove(new LeaseKey(lease.sender(), lease.lease()));
        }
        transactions.subList(transactionsBefore, transactions.size()).clear();
        bytes = bytesBefore;
        feesCollected = feesBefore;
        counter = counterBefore;
        return refusal;
    }

    private @Nullable Refusal evaluate(
            SignedTransaction signed, @Nullable BlockTransaction recorded) {
        Transaction txn = signed.txn();
        Refusal refusal = Alive.check(txn.header(), header.round, base.header());
        if (refusal != null) {
            return refusal;
        }
        Digest id = signed.id();
        refusal = checkNovelty(txn, id);
        if (refusal != null) {
            return refusal;
        }
        Address authorizer = state.account(txn.sender()).authorizer();
        Address expected = authorizer.isZero() ? txn.sender() : authorizer;
        if (!signed.authorizer().equals(expected)) {
            return Reason.WRONG_AUTHORIZER.refusal(expected, signed.authorizer()).applying(id);
        }
        refusal = ApplyTransaction.apply(state, context, txn, counter, effects);
        if (refusal != null) {
            return refusal.applying(id);
        }
        ApplyData applied = effects.toApplyData();
        BlockTransaction placed;
        if (recorded == null) {
            placed = BlockTransaction.of(signed, applied);
        } else if (recorded.applied().equals(applied)) {
            placed = recorded;
        } else {
            return Reason.BLOCK_APPLY_DATA.refusal(recorded.applied(), applied).applying(id);
        }
        long grown = bytes + placed.encoding().length();
        if (grown > rules.params().maxTxnBytesPerBlock()) {
            return Reason.NO_SPACE.refusal();
        }
        record(txn, id, placed);
        bytes = grown;
        return null;
    }

    private void record(Transaction txn, Digest id, BlockTransaction placed) {
        ids.add(id);
        committed.add(new CommittedId(id, txn.lastValid()));
        if (!txn.lease().isZero()) {
            leases.put(new LeaseKey(txn.sender(), txn.lease()), txn.lastValid());
            leasesTaken.add(new Lease(txn.sender(), txn.lease(), txn.lastValid()));
        }
        transactions.add(placed);
        counter++;
        if (!txn.sender().equals(header.feeSink)) {
            feesCollected = Uint64.saturatingAdd(feesCollected, txn.fee());
        }
    }

    /** Neither committed before nor holding what another holds: validation.md section 9. */
    private @Nullable Refusal checkNovelty(Transaction txn, Digest id) {
        if (ids.contains(id)) {
            return Reason.DUPLICATE.refusal(id);
        }
        if (!txn.lease().isZero() && isLeased(txn)) {
            return Reason.LEASE_HELD.refusal(
                    id, txn.sender(), Address.fromBytes(txn.lease().toBytes()));
        }
        return base.isCommitted(id, txn.lastValid()) ? Reason.DUPLICATE.refusal(id) : null;
    }

    private boolean isLeased(Transaction txn) {
        if (leases.containsKey(new LeaseKey(txn.sender(), txn.lease()))) {
            return true; // Whoever took it in this block is alive, so holds it in this round.
        }
        long until = base.leaseUntil(txn.sender(), txn.lease());
        return until != RoundState.NO_LEASE && !Uint64.less(until, header.round);
    }

    /** Verifies and evaluates the groups of another node's block. */
    private @Nullable Refusal evaluateAll(
            List<BlockTransaction> recorded, GroupVerifier signatures) {
        List<TransactionGroup> groups = new ArrayList<>();
        Refusal refusal = collectGroups(recorded, groups);
        if (refusal != null) {
            return refusal;
        }
        int from = 0;
        for (Signatures.Outcome outcome : signatures.verify(groups, rules)) {
            VerifiedGroup verified = outcome.verified();
            if (verified == null) {
                return outcome.refusal();
            }
            refusal = evaluate(verified.group(), recorded, from);
            if (refusal != null) {
                return refusal;
            }
            from += verified.group().size();
        }
        return null;
    }

    /** Neighbours with the same group id that is not zero belong together (validation.md 5). */
    private @Nullable Refusal collectGroups(
            List<BlockTransaction> recorded, List<TransactionGroup> groups) {
        TxIdHasher.perThread().identify(recorded);
        List<SignedTransaction> members = new ArrayList<>();
        int groupMax = Math.min(rules.params().maxTxGroupSize(), Limits.GROUP_SIZE);
        for (int i = 0; i < recorded.size(); i++) {
            BlockTransaction transaction = recorded.get(i);
            if (transaction.hasGenesisHash()) {
                return Reason.BLOCK_GENESIS_HASH_FLAG.refusal();
            }
            if (!transaction.stripped()) {
                return Reason.BLOCK_GENESIS_REPEATED.refusal();
            }
            members.add(transaction.signed());
            if (members.size() > groupMax) {
                return Reason.GROUP_TOO_LARGE.refusal((long) members.size(), (long) groupMax);
            }
            Digest group = transaction.txn().group();
            boolean last = i + 1 == recorded.size();
            if (last || group.isZero() || !recorded.get(i + 1).txn().group().equals(group)) {
                groups.add(TransactionGroup.of(members));
                members.clear();
            }
        }
        return null;
    }

    /** What a header says about the transactions that were evaluated. */
    private @Nullable Refusal checkContents(Block block, Origin origin) {
        BlockHeader given = block.header();
        TransactionRoot root = TransactionRoot.of(block.transactions());
        if (!root.sha512_256().equals(given.transactionRoot())
                || !root.sha256().equals(given.sha256Root())
                || !root.sha512().equals(given.sha512Root())) {
            return Reason.BLOCK_ROOT.refusal(given.transactionRoot(), root.sha512_256());
        }
        if (given.transactionCounter() != counter) {
            return Reason.BLOCK_COUNTER.refusal(given.transactionCounter(), counter);
        }
        if (given.feesCollected() != feesCollected) {
            return Reason.BLOCK_FEES.refusal(given.feesCollected(), feesCollected);
        }
        long load = rules.params().loadTracking() ? NextHeader.load(bytes, rules.params()) : 0;
        if (given.load() != load) {
            return Reason.BLOCK_LOAD.refusal(given.load(), load);
        }
        Refusal refusal = compareStateProofs(given.stateProofTracking(), header.stateProofTracking);
        return refusal != null ? refusal : end.checkPayout(given, origin == Origin.DEV_MODE);
    }

    /** Does to the state what a finished header says; a group must be open. */
    private @Nullable Refusal applyEnd(BlockHeader finished) {
        Refusal refusal = end.checkExpired(finished.expiredAccounts());
        if (refusal != null) {
            return refusal;
        }
        end.clearExpired(finished.expiredAccounts());
        refusal = end.checkAbsent(finished.absentAccounts());
        if (refusal != null) {
            return refusal;
        }
        end.suspendAbsent(finished.absentAccounts());
        if (finished.proposer().isZero() || !rules.params().payouts().enabled()) {
            return null;
        }
        refusal =
                ApplyTransaction.payOut(
                        state, context, finished.proposer(), finished.payout(), effects);
        if (refusal == null) {
            end.recordProposal(finished.proposer());
        }
        return refusal;
    }

    private StateDelta delta(BlockHeader finished) {
        List<AccountChange> accounts = new ArrayList<>();
        long unit = rules.params().rewardUnit();
        AccountTotals totals = base.totals().atLevel(finished.rewardsLevel());
        long money = base.totals().money();
        TotalsInMotion moving = new TotalsInMotion(totals);
        state.forEachAccount(
                (address, before, after) -> {
                    accounts.add(new AccountChange(address, before, after, state.turn(address)));
                    moving.replace(before, after, unit);
                });
        if (moving.totals.money() != money) {
            throw new IllegalStateException(
                    "round %d would turn %s microAlgos into %s"
                            .formatted(
                                    header.round,
                                    Long.toUnsignedString(money),
                                    Long.toUnsignedString(moving.totals.money())));
        }
        List<HoldingChange> holdings = new ArrayList<>();
        state.forEachHolding(
                (address, asset, before, after) ->
                        holdings.add(
                                new HoldingChange(
                                        address,
                                        asset,
                                        before,
                                        after,
                                        state.turn(address, asset))));
        List<AssetChange> assets = new ArrayList<>();
        state.forEachAsset(
                (asset, before, after) ->
                        assets.add(new AssetChange(asset, before, after, state.turn(asset))));
        return new StateDelta(
                header.round, accounts, holdings, assets, committed, leasesTaken, moving.totals);
    }

    /** Sums while accounts change; only for the length of a loop. */
    private static final class TotalsInMotion {
        private AccountTotals totals;

        TotalsInMotion(AccountTotals totals) {
            this.totals = totals;
        }

        void replace(Account before, Account after, long unit) {
            totals = totals.minus(before, unit).plus(after, unit);
        }
    }
}
