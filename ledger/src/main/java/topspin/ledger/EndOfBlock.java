package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.block.BlockHeader;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.account.Account;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Status;
import topspin.ledger.account.Uint64;
import topspin.ledger.apply.BlockContext;
import topspin.ledger.apply.WorkingState;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What happens after a block's last transaction: accounts whose keys ran out or who do not show
 * themselves are taken offline, the proposer is paid and noted (block.md section 5).
 */
final class EndOfBlock {
    /**
     * An account is expected to propose once in so many blocks, as its stake says; then it is late.
     */
    private static final long ABSENCE_FACTOR = 20;

    private final RoundState base;
    private final ConsensusVersions versions;
    private final BlockContext block;
    private final WorkingState state;

    EndOfBlock(
            RoundState base, ConsensusVersions versions, BlockContext block, WorkingState state) {
        this.base = base;
        this.versions = versions;
        this.block = block;
        this.state = state;
    }

    /** The same on a copy of the state. */
    EndOfBlock on(WorkingState copy) {
        return new EndOfBlock(base, versions, block, copy);
    }

    /**
     * What the proposer may be paid at most: part of the fees and the bonus, if the sink has it.
     */
    long payoutMax(long feesCollected, long bonus) {
        ConsensusParams params = block.params();
        if (!params.payouts().enabled()) {
            return 0;
        }
        long share = Uint64.multiplyDivide(feesCollected, params.payouts().percent(), 100);
        Account sink = state.account(block.feeSink());
        long available =
                Uint64.saturatingSubtract(
                        sink.balance(), topspin.ledger.apply.MinimumBalance.of(sink, params));
        return Uint64.min(Uint64.saturatingAdd(share, bonus), available);
    }

    /** The payout and who gets it, against the state after the transactions. */
    @Nullable Refusal checkPayout(BlockHeader header, boolean devMode) {
        Address proposer = header.proposer();
        boolean enabled = block.params().payouts().enabled();
        if (proposer.isZero()) {
            if (enabled && !devMode) {
                return Reason.BLOCK_PROPOSER_MISSING.refusal();
            }
            return header.payout() == 0
                    ? null
                    : Reason.BLOCK_PAYOUT_TO_NOBODY.refusal(header.payout());
        }
        if (!enabled) {
            return Reason.BLOCK_PROPOSER_SET.refusal(proposer);
        }
        long max = payoutMax(header.feesCollected(), header.bonus());
        if (Uint64.less(max, header.payout())) {
            return Reason.BLOCK_PAYOUT.refusal(header.payout(), max);
        }
        return header.payout() != 0 && state.account(proposer).isEmpty()
                ? Reason.BLOCK_PAYOUT_CLOSED.refusal(proposer, header.payout())
                : null;
    }

    /** Whether each account of the list has keys that ran out. */
    @Nullable Refusal checkExpired(List<Address> expired) {
        Refusal refusal =
                checkList("expired", expired, block.params().maxProposedExpiredOnlineAccounts());
        if (refusal != null) {
            return refusal;
        }
        for (Address address : expired) {
            Account account = state.account(address);
            if (!account.hasVoteKey()) {
                return Reason.BLOCK_EXPIRED_NO_KEY.refusal(address);
            }
            long last = account.participation().voteLast();
            if (!Uint64.less(last, block.round())) {
                return Reason.BLOCK_EXPIRED_TOO_EARLY.refusal(address, last, block.round());
            }
        }
        return null;
    }

    /** Whether each account of the list is absent; expired ones must have been cleared before. */
    @Nullable Refusal checkAbsent(List<Address> absent) {
        Refusal refusal = checkList("absent", absent, block.params().payouts().maxMarkAbsent());
        if (refusal != null) {
            return refusal;
        }
        Challenge challenge = Challenge.active(base, versions, block);
        for (Address address : absent) {
            Account account = state.account(address);
            if (account.status() != Status.ONLINE) {
                return Reason.BLOCK_ABSENT_NOT_ONLINE.refusal(address, account.status());
            }
            if (account.balance() == 0) {
                return Reason.BLOCK_ABSENT_EMPTY.refusal(address);
            }
            if (!account.incentiveEligible()) {
                return Reason.BLOCK_ABSENT_NOT_ELIGIBLE.refusal(address);
            }
            if (!isAbsent(address, account, challenge)) {
                return Reason.BLOCK_ABSENT_NOT_ABSENT.refusal(
                        address, lastSeen(account), block.round());
            }
        }
        return null;
    }

    private static @Nullable Refusal checkList(String name, List<Address> list, long max) {
        if (list.size() > max) {
            return Reason.BLOCK_LIST_TOO_LONG.refusal(name, (long) list.size(), max);
        }
        Set<Address> seen = new HashSet<>();
        for (Address address : list) {
            if (!seen.add(address)) {
                return Reason.BLOCK_LIST_DUPLICATE.refusal(address);
            }
        }
        return null;
    }

    /**
     * Writes the lists of a block of our own making: accounts that this block changed, and, once in
     * an interval of state proofs, all that are online, as far as there is room.
     */
    void fillLists(BlockHeader.Draft header, BlockMaker maker) {
        List<Address> candidates = new ArrayList<>();
        state.forEachAccount((address, before, after) -> candidates.add(address));
        long interval = block.params().stateProofInterval();
        if (interval != 0 && block.round() % interval == 0) {
            base.forEachOnline(
                    base.round(),
                    (address, account) -> {
                        if (account.incentiveEligible() || isExpired(account)) {
                            candidates.add(address);
                        }
                    });
        }
        Challenge challenge = Challenge.active(base, versions, block);
        Set<Address> seen = new HashSet<>();
        List<Address> expired = new ArrayList<>();
        List<Address> absent = new ArrayList<>();
        for (Address address : candidates) {
            Account account = state.account(address);
            if (!account.hasVoteKey() || maker.ownAccount().test(address) || !seen.add(address)) {
                continue;
            }
            if (isExpired(account)) {
                if (expired.size() < block.params().maxProposedExpiredOnlineAccounts()) {
                    expired.add(address);
                }
            } else if (account.status() == Status.ONLINE
                    && account.incentiveEligible()
                    && account.balance() != 0
                    && absent.size() < block.params().payouts().maxMarkAbsent()
                    && isAbsent(address, account, challenge)) {
                absent.add(address);
            }
        }
        header.expiredAccounts = expired;
        header.absentAccounts = absent;
    }

    private boolean isExpired(Account account) {
        return Uint64.less(account.participation().voteLast(), block.round());
    }

    /**
     * Takes the listed accounts offline: without keys when expired, without eligibility when
     * absent.
     */
    void clearExpired(List<Address> expired) {
        for (Address address : expired) {
            Account account = state.account(address);
            state.putAccount(
                    address,
                    account.withStatus(
                            Status.OFFLINE, Participation.NONE, account.incentiveEligible()));
        }
    }

    void suspendAbsent(List<Address> absent) {
        for (Address address : absent) {
            Account account = state.account(address);
            state.putAccount(
                    address, account.withStatus(Status.OFFLINE, account.participation(), false));
        }
    }

    /**
     * Notes that the proposer is at work, unless its account is gone; one that was suspended is
     * online again by that.
     */
    void recordProposal(Address proposer) {
        Account account = state.account(proposer);
        if (account.isEmpty()) {
            return;
        }
        Account noted = account.withLastSeen(block.round(), account.lastHeartbeat());
        boolean suspended = account.status() == Status.OFFLINE && account.hasVoteKey();
        state.putAccount(
                proposer,
                suspended
                        ? noted.withStatus(
                                Status.ONLINE, account.participation(), account.incentiveEligible())
                        : noted);
    }

    private static long lastSeen(Account account) {
        return Uint64.max(account.lastProposed(), account.lastHeartbeat());
    }

    private boolean isAbsent(Address address, Account account, @Nullable Challenge challenge) {
        long seen = lastSeen(account);
        return isLate(address, seen) || (challenge != null && challenge.isFailed(address, seen));
    }

    /** Whether an account of its stake should have proposed since it was last seen. */
    private boolean isLate(Address address, long seen) {
        if (seen == 0) {
            return false;
        }
        long lookback = Uint64.saturatingSubtract(block.round(), block.params().balanceLookback());
        Account then = base.online(address, lookback);
        long stake =
                then.balanceAt(base.header(lookback).rewardsLevel(), block.params().rewardUnit());
        if (stake == 0) {
            return false;
        }
        long total = base.circulation(lookback, block.round());
        long allowed = Uint64.multiplyDivide(ABSENCE_FACTOR, total, stake);
        return !Uint64.less(0xffff_ffffL, allowed) && Uint64.less(seen + allowed, block.round());
    }

    /** A round that asks accounts whose address begins like its seed to show themselves. */
    private record Challenge(long round, Digest seed, int bits) {
        /** The challenge whose time to answer is over while this block is made; null if none. */
        static @Nullable Challenge active(
                RoundState base, ConsensusVersions versions, BlockContext block) {
            ConsensusParams.Payouts rules = block.params().payouts();
            long interval = rules.challengeInterval();
            if (!rules.enabled() || interval == 0 || block.round() < interval) {
                return null;
            }
            long challenge = block.round() - block.round() % interval;
            long grace = rules.challengeGracePeriod();
            if (block.round() <= challenge + grace || block.round() > challenge + 2 * grace) {
                return null;
            }
            BlockHeader header = base.header(challenge);
            ConsensusParams then = versions.get(header.protocol());
            return then != null && then.payouts().equals(rules)
                    ? new Challenge(challenge, header.seed(), rules.challengeBits())
                    : null;
        }

        boolean isFailed(Address address, long seen) {
            return Uint64.less(seen, round) && beginsLikeSeed(address);
        }

        private boolean beginsLikeSeed(Address address) {
            byte[] ours = address.toBytes();
            byte[] theirs = seed.toBytes();
            int whole = bits / Byte.SIZE;
            for (int i = 0; i < whole; i++) {
                if (ours[i] != theirs[i]) {
                    return false;
                }
            }
            int rest = bits % Byte.SIZE;
            return rest == 0 || ((ours[whole] ^ theirs[whole]) & 0xff) >>> (Byte.SIZE - rest) == 0;
        }
    }
}
