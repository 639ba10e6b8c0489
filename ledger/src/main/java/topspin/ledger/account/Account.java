package topspin.ledger.account;

import topspin.codec.Address;

/**
 * The record of one address. Immutable and small: what seldom changes hangs off it in records of
 * its own, so that a payment copies a handful of words.
 *
 * @param status whether it takes part in agreement
 * @param balance microAlgos, unsigned, without the rewards that are pending
 * @param rewardsBase the rewards level up to which rewards are in the balance, unsigned
 * @param rewarded all rewards ever credited, wrapping
 * @param authorizer who signs for it; {@link Address#ZERO} when its own key does
 * @param participation its voting keys, or {@link Participation#NONE}
 * @param resources what it holds and created, or {@link Resources#NONE}
 * @param incentiveEligible whether it paid the fee that makes it eligible for payouts
 * @param lastProposed the last round it proposed, 0 when never
 * @param lastHeartbeat the last round it showed itself alive other than by proposing
 */
public record Account(
        Status status,
        long balance,
        long rewardsBase,
        long rewarded,
        Address authorizer,
        Participation participation,
        Resources resources,
        boolean incentiveEligible,
        long lastProposed,
        long lastHeartbeat) {

    /** No record at all. What equals it is not stored, and is exempt from the minimum balance. */
    public static final Account EMPTY =
            new Account(
                    Status.OFFLINE,
                    0,
                    0,
                    0,
                    Address.ZERO,
                    Participation.NONE,
                    Resources.NONE,
                    false,
                    0,
                    0);

    /** Whether every field is zero: then the account does not exist. */
    public boolean isEmpty() {
        return balance == 0
                && rewardsBase == 0
                && rewarded == 0
                && status == Status.OFFLINE
                && !incentiveEligible
                && lastProposed == 0
                && lastHeartbeat == 0
                && authorizer.isZero()
                && participation.equals(Participation.NONE)
                && resources.equals(Resources.NONE);
    }

    /** Whether it can vote with keys of its own, online or suspended. */
    public boolean hasVoteKey() {
        return !participation.voteKey().isZero();
    }

    /**
     * Rewards earned since they were last credited, in microAlgos.
     *
     * @param level the rewards level of the block, at least {@link #rewardsBase}
     * @param rewardUnit microAlgos that earn one unit of the level's rise
     */
    public long pendingRewards(long level, long rewardUnit) {
        if (status == Status.NOT_PARTICIPATING || level == rewardsBase) {
            return 0;
        }
        return Long.divideUnsigned(balance, rewardUnit) * (level - rewardsBase);
    }

    /** Balance with pending rewards, in microAlgos. */
    public long balanceAt(long level, long rewardUnit) {
        long sum = balance + pendingRewards(level, rewardUnit);
        // Rewards come out of a pool, so all balances together fit 64 bits (I6).
        assert !Uint64.less(sum, balance) : "rewards overflow the balance " + balance;
        return sum;
    }

    /** Pays the pending rewards out into the balance. */
    public Account withRewards(long level, long rewardUnit) {
        if (status == Status.NOT_PARTICIPATING || level == rewardsBase) {
            return this;
        }
        long newBalance = balanceAt(level, rewardUnit);
        return new Account(
                status,
                newBalance,
                level,
                rewarded + (newBalance - balance),
                authorizer,
                participation,
                resources,
                incentiveEligible,
                lastProposed,
                lastHeartbeat);
    }

    public Account withBalance(long newBalance) {
        return new Account(
                status,
                newBalance,
                rewardsBase,
                rewarded,
                authorizer,
                participation,
                resources,
                incentiveEligible,
                lastProposed,
                lastHeartbeat);
    }

    public Account withAuthorizer(Address newAuthorizer) {
        return new Account(
                status,
                balance,
                rewardsBase,
                rewarded,
                newAuthorizer,
                participation,
                resources,
                incentiveEligible,
                lastProposed,
                lastHeartbeat);
    }

    public Account withResources(Resources newResources) {
        return new Account(
                status,
                balance,
                rewardsBase,
                rewarded,
                authorizer,
                participation,
                newResources,
                incentiveEligible,
                lastProposed,
                lastHeartbeat);
    }

    /** Changes how it takes part; keys and eligibility are given together with the status. */
    public Account withStatus(
            Status newStatus, Participation newParticipation, boolean newIncentiveEligible) {
        return new Account(
                newStatus,
                balance,
                rewardsBase,
                rewarded,
                authorizer,
                newParticipation,
                resources,
                newIncentiveEligible,
                lastProposed,
                lastHeartbeat);
    }

    /** Notes when it was last seen at work. */
    public Account withLastSeen(long newLastProposed, long newLastHeartbeat) {
        return new Account(
                status,
                balance,
                rewardsBase,
                rewarded,
                authorizer,
                participation,
                resources,
                incentiveEligible,
                newLastProposed,
                newLastHeartbeat);
    }
}
