package topspin.ledger.account;

/**
 * Sums over all accounts, by status, kept up to date by each round's changes. Money includes
 * rewards up to {@code rewardsLevel}, so the three sums of money together never change (I6).
 *
 * @param online accounts that take part
 * @param offline accounts that do not, and earn
 * @param notParticipating accounts that never will, and do not earn
 * @param rewardsLevel the level up to which the sums contain rewards
 */
public record AccountTotals(Sum online, Sum offline, Sum notParticipating, long rewardsLevel) {

    /**
     * @param money microAlgos, unsigned
     * @param rewardUnits whole reward units, rounded down account by account, unsigned
     */
    public record Sum(long money, long rewardUnits) {
        public static final Sum ZERO = new Sum(0, 0);
    }

    public static final AccountTotals ZERO = new AccountTotals(Sum.ZERO, Sum.ZERO, Sum.ZERO, 0);

    /** Units that earn rewards, unsigned: no more than all money has, so the sum fits. */
    public long earningUnits() {
        return online.rewardUnits + offline.rewardUnits;
    }

    /** All money there is: the same in every round. */
    public long money() {
        return online.money + offline.money + notParticipating.money;
    }

    /** Lets online and offline accounts earn up to a new level, at least the present one. */
    public AccountTotals atLevel(long level) {
        if (level == rewardsLevel) {
            return this;
        }
        long rise = level - rewardsLevel;
        return new AccountTotals(
                new Sum(online.money + online.rewardUnits * rise, online.rewardUnits),
                new Sum(offline.money + offline.rewardUnits * rise, offline.rewardUnits),
                notParticipating,
                level);
    }

    /** Adds an account as it is at this level of rewards. */
    public AccountTotals plus(Account account, long rewardUnit) {
        return moved(account, rewardUnit, 1);
    }

    /** Takes an account out again, as it was before a change. */
    public AccountTotals minus(Account account, long rewardUnit) {
        return moved(account, rewardUnit, -1);
    }

    private AccountTotals moved(Account account, long rewardUnit, int sign) {
        long money = sign * account.balanceAt(rewardsLevel, rewardUnit);
        long units = sign * Long.divideUnsigned(account.balance(), rewardUnit);
        return switch (account.status()) {
            case ONLINE ->
                    new AccountTotals(
                            added(online, money, units), offline, notParticipating, rewardsLevel);
            case OFFLINE ->
                    new AccountTotals(
                            online, added(offline, money, units), notParticipating, rewardsLevel);
            case NOT_PARTICIPATING ->
                    new AccountTotals(
                            online, offline, added(notParticipating, money, units), rewardsLevel);
        };
    }

    private static Sum added(Sum sum, long money, long units) {
        return new Sum(sum.money + money, sum.rewardUnits + units);
    }
}
