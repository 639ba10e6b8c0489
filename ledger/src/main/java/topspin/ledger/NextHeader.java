package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.BlockHeader.StateProofTracking;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.Uint64;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

import java.util.List;
import java.util.Map;

/**
 * What a header says before its transactions are known: all of it follows from the round below, but
 * for the time and the vote on upgrades (block.md sections 1, 5, 6 and 7). Pure functions.
 */
final class NextHeader {
    /** Parts of a whole in which load and congestion tax are counted. */
    static final long MILLION = 1_000_000;

    private static final long LOAD_TARGET = 500_000;
    private static final long CONGESTION_STEP_MAX = 100_000;
    private static final long BONUS_KEEP_PERCENT = 99;

    private NextHeader() {}

    /**
     * The header of the round after {@code base}, without anything that depends on transactions:
     * our own vote on upgrades, the time clamped into what the previous block allows.
     *
     * @throws IllegalStateException when the base's own protocol version is unknown, or the next
     *     one: this node cannot make the block
     */
    static BlockHeader.Draft draft(
            RoundState base, ConsensusVersions versions, long timestampWanted) {
        BlockHeader previous = base.header();
        ConsensusParams before = require(versions, previous.protocol());
        BlockHeader.Draft next = new BlockHeader.Draft();
        next.round = previous.round() + 1;
        vote(previous, before, versions, next);
        Refusal refusal = applyVote(previous, before, next);
        if (refusal != null) {
            throw new IllegalStateException("our own vote is refused: " + refusal);
        }
        next.timestamp = before.nextTimestamp(timestampWanted, previous.timestamp());
        derive(base, before, require(versions, next.protocol), next);
        return next;
    }

    private static ConsensusParams require(ConsensusVersions versions, String protocol) {
        ConsensusParams params = versions.get(protocol);
        if (params == null) {
            throw new IllegalStateException(Reason.PROTOCOL_UNSUPPORTED.refusal(protocol).text());
        }
        return params;
    }

    /**
     * Fills in what follows from the round below: links, genesis, rewards, bonus, congestion, state
     * proof tracking.
     *
     * @param before parameters of the previous block's version
     * @param now parameters of this block's version
     */
    static void derive(
            RoundState base, ConsensusParams before, ConsensusParams now, BlockHeader.Draft next) {
        BlockHeader previous = base.header();
        next.previous = base.headerHash();
        next.previous512 =
                now.enableSha512BlockHash()
                        ? Bytes.of(BlockEncoder.hash512(previous))
                        : Bytes.EMPTY;
        next.genesisId = previous.genesisId();
        next.genesisHash = previous.genesisHash();
        next.feeSink = previous.feeSink();
        next.rewardsPool = previous.rewardsPool();
        rewards(base, now, next);
        next.bonus = bonus(previous.bonus(), next.round, before.bonus(), now.bonus());
        next.congestionTax = now.loadTracking() ? congestionTax(previous) : 0;
        next.stateProofTracking = stateProofTracking(base, now, next.round);
    }

    /** Proposes the upgrade that the rules in force approve, and says yes to one they approve. */
    private static void vote(
            BlockHeader previous,
            ConsensusParams params,
            ConsensusVersions versions,
            BlockHeader.Draft next) {
        if (previous.nextProtocol().isEmpty()) {
            for (Map.Entry<String, Long> upgrade : params.approvedUpgrades().entrySet()) {
                if (versions.get(upgrade.getKey()) != null) {
                    next.upgradePropose = upgrade.getKey();
                    next.upgradeDelay = upgrade.getValue();
                    next.upgradeApprove = true;
                    return;
                }
            }
        } else if (Uint64.less(next.round, previous.nextProtocolVoteBefore())) {
            next.upgradeApprove = params.approvedUpgrades().containsKey(previous.nextProtocol());
        }
    }

    /**
     * Carries the previous block's upgrade state over this block's vote, which the draft holds
     * already, and writes the result to the draft.
     *
     * @param params of the previous block's version
     */
    static @Nullable Refusal applyVote(
            BlockHeader previous, ConsensusParams params, BlockHeader.Draft next) {
        long round = next.round;
        next.protocol = previous.protocol();
        next.nextProtocol = previous.nextProtocol();
        next.nextProtocolApprovals = previous.nextProtocolApprovals();
        next.nextProtocolVoteBefore = previous.nextProtocolVoteBefore();
        next.nextProtocolSwitchOn = previous.nextProtocolSwitchOn();
        long delay = next.upgradeDelay;
        if (!next.upgradePropose.isEmpty()) {
            if (!next.nextProtocol.isEmpty()) {
                return Reason.BLOCK_UPGRADE_PROPOSED_AGAIN.refusal(
                        next.upgradePropose, next.nextProtocol);
            }
            if (next.upgradePropose.length() > params.maxVersionStringLen()) {
                return Reason.BLOCK_UPGRADE_NAME_TOO_LONG.refusal(next.upgradePropose);
            }
            long delayMin = params.minUpgradeWaitRounds();
            long delayMax = params.maxUpgradeWaitRounds();
            if (Uint64.less(delay, delayMin) || Uint64.less(delayMax, delay)) {
                return Reason.BLOCK_UPGRADE_DELAY_RANGE.refusal(delay, delayMin, delayMax);
            }
            next.nextProtocol = next.upgradePropose;
            next.nextProtocolApprovals = 0;
            next.nextProtocolVoteBefore = round + params.upgradeVoteRounds();
            next.nextProtocolSwitchOn =
                    round
                            + params.upgradeVoteRounds()
                            + (delay == 0 ? params.defaultUpgradeWaitRounds() : delay);
        } else if (delay != 0) {
            return Reason.BLOCK_UPGRADE_DELAY_WITHOUT.refusal(delay);
        }
        if (next.upgradeApprove) {
            if (next.nextProtocol.isEmpty()) {
                return Reason.BLOCK_UPGRADE_APPROVAL_WITHOUT.refusal();
            }
            if (!Uint64.less(round, next.nextProtocolVoteBefore)) {
                return Reason.BLOCK_UPGRADE_APPROVAL_LATE.refusal();
            }
            next.nextProtocolApprovals++;
        }
        if (next.nextProtocol.isEmpty()) {
            return null;
        }
        if (round == next.nextProtocolVoteBefore
                && Uint64.less(next.nextProtocolApprovals, params.upgradeThreshold())) {
            clearUpgrade(next);
        } else if (round == next.nextProtocolSwitchOn) {
            next.protocol = next.nextProtocol;
            clearUpgrade(next);
        }
        return null;
    }

    private static void clearUpgrade(BlockHeader.Draft next) {
        next.nextProtocol = "";
        next.nextProtocolApprovals = 0;
        next.nextProtocolVoteBefore = 0;
        next.nextProtocolSwitchOn = 0;
    }

    private static void rewards(RoundState base, ConsensusParams params, BlockHeader.Draft next) {
        BlockHeader previous = base.header();
        next.rewardsLevel = previous.rewardsLevel();
        next.rewardsRate = previous.rewardsRate();
        next.rewardsResidue = previous.rewardsResidue();
        next.rewardsRecalculationRound = previous.rewardsRecalculationRound();
        if (next.round == previous.rewardsRecalculationRound()) {
            long pool = base.account(previous.rewardsPool()).balance();
            long kept = Uint64.saturatingAdd(params.minBalance(), previous.rewardsResidue());
            next.rewardsRate =
                    Long.divideUnsigned(
                            Uint64.saturatingSubtract(pool, kept),
                            params.rewardsRateRefreshInterval());
            next.rewardsRecalculationRound = next.round + params.rewardsRateRefreshInterval();
        }
        AccountTotals totals = base.totals();
        long units = totals.earningUnits();
        if (units == 0 || Uint64.addOverflows(next.rewardsRate, previous.rewardsResidue())) {
            return;
        }
        long money = next.rewardsRate + previous.rewardsResidue();
        long rise = Long.divideUnsigned(money, units);
        if (!Uint64.addOverflows(previous.rewardsLevel(), rise)) {
            next.rewardsLevel = previous.rewardsLevel() + rise;
            next.rewardsResidue = Long.remainderUnsigned(money, units);
        }
    }

    /**
     * What a block adds to its payout: set when its plan begins, then a hundredth less at times.
     */
    static long bonus(
            long previous, long round, ConsensusParams.Bonus before, ConsensusParams.Bonus now) {
        if (now.baseAmount() != 0) {
            boolean begins = !now.equals(before) || round == 1;
            if (round == now.baseRound() || (begins && round > now.baseRound())) {
                return now.baseAmount();
            }
        }
        if (now.decayInterval() != 0 && Long.remainderUnsigned(round, now.decayInterval()) == 0) {
            return Uint64.multiplyDivide(previous, BONUS_KEEP_PERCENT, 100);
        }
        return previous;
    }

    /** Rises while blocks are more than half full, falls while they are less; in millionths. */
    static long congestionTax(BlockHeader previous) {
        long load = previous.load();
        long tax = previous.congestionTax();
        if (!Uint64.less(LOAD_TARGET, load)) {
            long down = CONGESTION_STEP_MAX * (LOAD_TARGET - load) / LOAD_TARGET;
            long shrunk = Uint64.multiplyDivide(tax, MILLION - down, MILLION);
            return Uint64.saturatingSubtract(shrunk, down);
        }
        long up = Uint64.multiplyDivide(CONGESTION_STEP_MAX, load - LOAD_TARGET, LOAD_TARGET);
        long grown = Uint64.multiplyDivide(tax, Uint64.saturatingAdd(MILLION, up), MILLION);
        return Uint64.saturatingAdd(grown, up);
    }

    /** How full a block is, in millionths. */
    static long load(long bytes, ConsensusParams params) {
        return Math.min(MILLION, MILLION * bytes / params.maxTxnBytesPerBlock());
    }

    private static List<StateProofTracking> stateProofTracking(
            RoundState base, ConsensusParams params, long round) {
        long interval = params.stateProofInterval();
        if (interval == 0) {
            return List.of();
        }
        long nextRound = 0;
        for (StateProofTracking tracking : base.header().stateProofTracking()) {
            nextRound = tracking.type() == 0 ? tracking.nextRound() : nextRound;
        }
        if (nextRound == 0) {
            long voters = round + params.stateProofVotersLookback();
            nextRound = (voters + interval - 1) / interval * interval + interval;
        }
        if (round % interval != 0) {
            return List.of(new StateProofTracking(0, nextRound, 0, Bytes.EMPTY));
        }
        long snapshot = Math.max(0, round - params.stateProofVotersLookback());
        return List.of(
                new StateProofTracking(
                        0,
                        nextRound,
                        base.circulation(snapshot, round + interval),
                        VotersCommitment.of(base, params, snapshot, round + interval)));
    }
}
